import { expect } from 'chai'
import { createLogger } from '../../../shared/runtime/logger.ts'

describe('a logger', () => {
  it('writes one line of JSON with level, service, ISO time and the fields', () => {
    const [line] = logged((log) => log.info({ msg: 'Credited charge', charge_id: 'ch_1', block_number: 7 }))
    expect(line).to.include({
      level: 'info',
      service: 'test',
      msg: 'Credited charge',
      charge_id: 'ch_1',
      block_number: 7,
    })
    expect(line?.['time']).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  })

  it('omits lines below its level', () => {
    expect(logged((log) => log.debug({ msg: 'Asked' }))).to.deep.equal([])
  })

  it('adds the fields of a child', () => {
    const [line] = logged((log) => log.child({ chain_id: 8453 }).warn({ msg: 'Waited' }))
    expect(line).to.include({ chain_id: 8453, level: 'warn' })
  })

  it('writes a bigint as its digits', () => {
    expect(logged((log) => log.info({ msg: 'Paid', amount: 10n ** 30n }))[0]?.['amount']).to.equal(
      `1${'0'.repeat(30)}`,
    )
  })

  for (const name of [
    'authorization',
    'private_key',
    'relayerPrivateKey',
    'secret',
    'webhook_secret',
    'cookie',
    'api_key',
  ]) {
    it(`redacts ${name} at any depth`, () => {
      const [line] = logged((log) => log.info({ msg: 'Called', headers: [{ [name]: 'hunter2' }] }))
      expect(line?.['headers']).to.deep.equal([{ [name]: '[redacted]' }])
    })
  }

  it('keeps fields whose names only resemble secrets', () => {
    const [line] = logged((log) =>
      log.info({ msg: 'Called', token: 'USDC', api_key_id: 'key_1', scope: 'x' }),
    )
    expect(line).to.include({ token: 'USDC', api_key_id: 'key_1' })
  })

  for (const [url, shown] of [
    ['https://rpc.example/v2/hunter2', 'https://rpc.example'],
    ['https://rpc.example:8545?key=hunter2', 'https://rpc.example:8545'],
    ['wss://user:hunter2@rpc.example/', 'wss://rpc.example'],
    ['postgres://api:hunter2@127.0.0.1:5432/payments', 'postgres://127.0.0.1:5432'],
    ['http://[::1]:8545/hunter2', 'http://[::1]:8545'],
    ['https://rpc.example/jsonrpc#headers:X-Key=hunter2&X=a+b', 'https://rpc.example'],
    ['https://rpc.example', 'https://rpc.example'],
  ] as const) {
    it(`shows only the host of ${url.replace('hunter2', '…')}`, () => {
      const [line] = logged((log) => log.info({ msg: 'Called', url, text: `URL: ${url}, twice` }))
      expect(line).to.include({ url: shown })
      expect(JSON.stringify(line)).not.to.include('hunter2')
    })
  }

  it('redacts API keys and webhook secrets in every text', () => {
    const text = `svc_live_${'a'.repeat(49)} whsec_aGVsbG8=`
    expect(logged((log) => log.info({ msg: 'Called', text }))[0]?.['text']).to.equal(
      'svc_live_[redacted] whsec_[redacted]',
    )
  })

  it('writes an error with its causes, but without a request that a library attached', () => {
    const cause = Object.assign(new Error('fetch https://rpc.example/hunter2 failed'), { code: 'ECONNRESET' })
    const error = Object.assign(new Error('reading the head', { cause }), { request: { body: 'hunter2' } })
    const [line] = logged((log) => log.error({ msg: 'Failed', error }))
    expect(line?.['error']).to.deep.include({ name: 'Error', message: 'reading the head' })
    expect(line?.['error'])
      .to.have.property('cause')
      .that.deep.includes({ message: 'fetch https://rpc.example failed', code: 'ECONNRESET' })
    expect(JSON.stringify(line)).not.to.include('hunter2')
  })

  describe('with texts from a malicious node', () => {
    /** Texts whose repetition might make a regular expression scan to the end from every position. */
    const UNITS = ['a+', 'a://', '://', '@', 'a@', '://a@', 'svc_live_', 'whsec_', ' ', '/', '\\', '"']

    it('logs 50,000 repetitions of any part of a URL or secret in less than 2 s', () => {
      for (const unit of UNITS) {
        // Field names are not truncated, so the patterns read the whole name. A quadratic pattern takes 7 s (measured).
        const long = unit.repeat(50_000)
        const before = process.cpuUsage()
        logged((log) => log.warn({ msg: 'Asked', [long]: 1, text: long }))
        const { user } = process.cpuUsage(before)
        expect(user / 1_000, unit).to.be.below(2_000)
      }
    })

    it('truncates each text to at most 2,000 characters, and states how many are omitted', () => {
      const error = Object.assign(new Error(`refused: ${'x '.repeat(20_000)}`), {
        details: 'y'.repeat(40_000),
      })
      const [line] = logged((log) => log.warn({ msg: 'Asked', error }))
      const { message, details, stack } = (line?.['error'] ?? {}) as Readonly<Record<string, string>>
      expect(message).to.match(/^refused: (x )+x… \(\d+ characters omitted\)$/)
      expect(details).to.equal(`${'y'.repeat(2_000)}… (38000 characters omitted)`)
      expect(stack).to.include('logger.test.ts')
      expect(JSON.stringify(line)).to.have.length.below(8_000)
    })

    it('does not show a truncated URL, which might contain credentials', () => {
      const text = `${'x '.repeat(990)}https://user:hunter2${'0'.repeat(30)}@rpc.example/`
      expect(JSON.stringify(logged((log) => log.warn({ msg: 'Asked', text })))).not.to.include('hunter2')
    })

    it('does not show a truncated URL that begins long before the end of the text', () => {
      const text = `${'x'.repeat(1_900)}https://user:hunter2${'0'.repeat(200)}@rpc.example/`
      expect(JSON.stringify(logged((log) => log.warn({ msg: 'Asked', text })))).not.to.include('hunter2')
    })

    it('does not begin a truncated stack in the middle of a secret', () => {
      for (const secret of [
        `https://rpc.example/${'hunter2'.repeat(100)}`,
        `svc_live_${'hunter2'.repeat(100)}`,
      ]) {
        const error = new Error('refused')
        error.stack = `Error: ${'x '.repeat(1_000)}${secret}\n${'    at f (file.js)\n'.repeat(50)}`
        expect(JSON.stringify(logged((log) => log.warn({ msg: 'Asked', error }))), secret).not.to.include(
          'hunter2',
        )
      }
    })
  })

  it('writes a value that contains itself', () => {
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    expect(logged((log) => log.info({ msg: 'Looped', loop }))).to.have.length(1)
  })
})

function logged(use: (log: ReturnType<typeof createLogger>) => void): readonly Record<string, unknown>[] {
  const lines: string[] = []
  use(createLogger({ level: 'info', service: 'test', destination: { write: (line) => lines.push(line) } }))
  return lines.map((line) => JSON.parse(line))
}
