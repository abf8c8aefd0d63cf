import { expect } from 'chai'
import type { Address } from 'viem'
import type { ApiConfig } from '../../../shared/runtime/api-config.ts'
import { type Behaviour, HONEST, lie, refuse, replaceWord } from '../../devnet/swap/behaviours.ts'
import type { QuoteBody } from '../../devnet/swap/make-quote.ts'
import type { TestApi } from '../../support/api.ts'
import { expectError } from '../../support/call-route.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import { API_KEY, createSwapFixture, SETTLER, type SwapFixture } from '../../support/swap-fixture.ts'

const THIEF = `0x${'66'.repeat(20)}` as const

/** Another token of the same chain: USDT instead of the requested USDC. */
const OTHER_TOKEN = '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2'

/** False quotes for a swap of the native coin, and the logged reason of each rejection. */
const LIES: readonly Lie[] = [
  ['pays another recipient', data((text) => replaceWord(text, 0, THIEF.slice(2))), /pays another recipient/],
  [
    'pays another recipient, and names the charge elsewhere in the data',
    data((text) => replaceWord(text, 0, THIEF.slice(2)) + text.slice(10, 74)),
    /pays another recipient/,
  ],
  [
    'pads the recipient’s word with bytes that are not zeros',
    data((text) => `${text.slice(0, 10)}01${text.slice(12)}`),
    /pays another recipient/,
  ],
  ['pays another token', data((text) => replaceWord(text, 1, OTHER_TOKEN.slice(2))), /pays another token/],
  ['pays less', data((text) => replaceWord(text, 2, (9_999_999).toString(16))), /pays another amount/],
  ['pays more', data((text) => replaceWord(text, 2, (10_000_001).toString(16))), /pays another amount/],
  [
    'calls another function of the settler',
    data((text) => `0xfd3ad6d4${text.slice(10)}`),
    /calls 0xfd3ad6d4/,
  ],
  ['ends the data after the selector', data((text) => text.slice(0, 10)), /pays another recipient/],
  [
    'ends the data in the middle of a byte',
    data((text) => text.slice(0, -1)),
    /transaction\/data that cannot be read/,
  ],
  [
    'calls a contract that is not a settler',
    (quote) => void (quote.transaction.to = THIEF),
    /which is not a settler/,
  ],
  [
    'calls the token itself',
    (quote) => void (quote.transaction.to = quote.buyToken),
    /which is not a settler/,
  ],
  ['buys another token', (quote) => void (quote.buyToken = OTHER_TOKEN), /buys 0xfde4/],
  ['sells another token', (quote) => void (quote.sellToken = OTHER_TOKEN), /sells 0xfde4/],
  ['buys less', (quote) => void (quote.buyAmount = '9999999'), /buys 9999999, not 10000000/],
  ['buys more', (quote) => void (quote.buyAmount = '10000001'), /buys 10000001, not 10000000/],
  ['quotes an exact input amount', (quote) => void (quote.mode = 'exact-in'), /\/mode that cannot be read/],
  ['sells no amount', (quote) => void Object.assign(quote, { maxSellAmount: '0' }), /sells no amount/],
  [
    'requests more than a token can represent',
    (quote) => void Object.assign(quote, { maxSellAmount: String(2n ** 256n) }),
    /more than a token can represent/,
  ],
  [
    'sends more native coins than stated',
    (quote) => void (quote.transaction.value = String(BigInt(quote.transaction.value) + 1n)),
    /sends \d+ wei, not/,
  ],
  ['sends no native coins', (quote) => void (quote.transaction.value = '0'), /sends 0 wei/],
  [
    'writes the value as a number with an exponent',
    (quote) => void (quote.transaction.value = '3.4e15'),
    /\/transaction\/value that cannot be read/,
  ],
  [
    'requests more gas than a block has',
    (quote) => void (quote.transaction.gas = '30000001'),
    /requests 30000001 gas/,
  ],
  [
    'takes a service fee if none is configured',
    (quote) => void (quote.fees.integratorFee = feeIn(quote.buyToken)),
    /takes 1 as our fee, above 0/,
  ],
  [
    'takes its own fee in another token',
    (quote) => void (quote.fees.zeroExFee = feeIn(OTHER_TOKEN)),
    /takes a fee in 0xfde4/,
  ],
  [
    'takes the service fee in another token',
    (quote) => void (quote.fees.integratorFee = feeIn(OTHER_TOKEN)),
    /takes a fee in 0xfde4/,
  ],
  ['omits the fees', (quote) => void Object.assign(quote, { fees: null }), /\/fees that cannot be read/],
]

/** False quotes for a swap of LINK, whose payer signs a permit. */
const PERMIT_LIES: readonly Lie[] = [
  ['also sends native coins', (quote) => void (quote.transaction.value = '1'), /sends 1 wei, not 0/],
  ['requires no permit', (quote) => void (quote.permit2 = null), /requires no permit/],
  [
    'allows another account to spend the tokens',
    permit(({ message }) => void (message.spender = THIEF)),
    /permits 0x6666\w+ to spend/,
  ],
  [
    'permits another token',
    permit(({ message }) => void (message.permitted.token = OTHER_TOKEN)),
    /permits 0xfde4/,
  ],
  [
    'permits more than stated',
    permit(({ message }) => void Object.assign(message.permitted, { amount: String(2n ** 160n) })),
    /permits \d+, not \d+/,
  ],
  [
    'permits until a time in the past',
    permit(({ message }) => void (message.deadline = '1')),
    /permit2 has expired/,
  ],
  ['permits on another chain', permit(({ domain }) => void (domain.chainId = 1)), /is for chain 1, not 8453/],
  [
    'permits for another verifying contract',
    permit(({ domain }) => void (domain.verifyingContract = THIEF)),
    /permit2 is for the contract 0x6666/,
  ],
  [
    'permits in another domain',
    permit(({ domain }) => void Object.assign(domain, { name: 'Permit3' })),
    /permit2 has another domain/,
  ],
  [
    'permits a batch',
    permit((eip712) => void (eip712.primaryType = 'PermitBatchTransferFrom')),
    /of another type/,
  ],
  [
    'has a wrong hash',
    (quote) => void Object.assign(quote.permit2 ?? {}, { hash: `0x${'12'.repeat(32)}` }),
    /does not match its hash/,
  ],
  [
    'changes the nonce after hashing',
    permit(({ message }) => void (message.nonce = '7')),
    /does not match its hash/,
  ],
]

/** Failures of the provider that are not false quotes. */
const FAILURES: readonly (readonly [string, Behaviour, RegExp])[] = [
  ['rejects the request', refuse(400, 'INPUT_INVALID'), /responded with 400 INPUT_INVALID/],
  [
    'does not trade for the taker',
    refuse(403, 'TAKER_NOT_AUTHORIZED_FOR_TRADE'),
    /responded with 403 TAKER_NOT/,
  ],
  [
    'does not trade the token',
    refuse(422, 'BUY_TOKEN_NOT_AUTHORIZED_FOR_TRADE'),
    /responded with 422 BUY_TOKEN/,
  ],
  ['throttles us', refuse(429, 'TOO_MANY'), /responded with 429"/],
  ['fails', refuse(500, 'INTERNAL_SERVER_ERROR'), /responded with 500 INTERNAL_SERVER_ERROR/],
  [
    'has no liquidity',
    ({ zid }) => ({ status: 200, body: { liquidityAvailable: false, zid } }),
    /has no liquidity/,
  ],
  [
    'has no liquidity but returns a quote',
    lie((quote) => void (quote.liquidityAvailable = false)),
    /has no liquidity/,
  ],
  ['returns invalid JSON', () => ({ status: 200, body: '<html>' }), /returned invalid JSON/],
  ['returns null', () => ({ status: 200, body: 'null' }), /has no liquidity/],
  ['returns an endless response', () => ({ status: 200, body: `"${'a'.repeat(600_000)}"` }), /broke off/],
  ['breaks off', () => 'cut', /broke off/],
  [
    'redirects to another host',
    () => ({ status: 302, body: '', headers: { location: 'http://127.0.0.1:9/' } }),
    /broke off/,
  ],
]

type Lie = readonly [string, (quote: QuoteBody) => void, RegExp]

describe('POST /v1/charges/{id}/quote with a provider that', function () {
  this.timeout(240_000)
  let stage: SwapFixture

  before(async () => {
    stage = await createSwapFixture()
  })
  after(() => stage.close())

  afterEach(async () => {
    stage.provider.behave(HONEST)
    stage.register({ current: SETTLER, previous: null })
    // Resets the circuit breaker, and verifies that the next quote is unaffected.
    expect((await stage.quote()).status).to.equal(200)
  })

  /**
   * Expects 503 `swap_quote_failed` within 20 s, after one request to the provider, and one log line with the reason.
   * The response must not contain the provider's request id.
   */
  async function expectRefused(
    behaviour: Behaviour,
    why: RegExp,
    ask: Parameters<SwapFixture['quote']>[0] = {},
  ) {
    let zid = 'none'
    stage.provider.behave((quote) => {
      zid = quote.zid
      return behaviour(quote)
    })
    const logged = stage.api.warnings.length
    const asked = stage.provider.asked.length
    const startedMs = performance.now()
    const answer = await stage.quote(ask)
    expectError(answer, '503 swap_quote_failed')
    expect(performance.now() - startedMs, 'ms').to.be.below(20_000)
    const lines = stage.api.warnings.slice(logged)
    expect(lines, 'log').to.have.length(1)
    expect(lines[0]).to.match(why)
    expect(stage.provider.asked.length - asked, 'requests').to.equal(1)
    expect(answer.text).not.to.include(zid)
    return {
      zid,
      text: answer.text,
      line: JSON.parse(lines[0] ?? '') as { zid: string | null; provider: string },
    }
  }

  for (const [title, change, why] of LIES) {
    it(`${title}: rejects the quote`, async () => {
      const { zid, line } = await expectRefused(lie(change), why)
      expect(line).to.include({ zid, provider: '0x' })
    })
  }

  for (const [title, change, why] of PERMIT_LIES) {
    it(`${title}: rejects the quote`, async () => {
      const { zid, line } = await expectRefused(lie(change), why, { inputToken: 'LINK' })
      expect(line).to.include({ zid, provider: '0x' })
    })
  }

  it('requires a permit for the native coin: rejects the quote', async () => {
    let permit2: QuoteBody['permit2'] = null
    stage.provider.behave((quote) => {
      permit2 = quote.permit2
      return HONEST(quote)
    })
    await stage.quote({ inputToken: 'LINK' })
    await expectRefused(
      lie((quote) => void (quote.permit2 = permit2)),
      /permit for the native coin/,
    )
  })

  for (const [title, behaviour, why] of FAILURES) {
    it(`${title}: returns no quote`, async () => {
      await expectRefused(behaviour, why)
    })
  }

  it('does not respond: returns no quote after five seconds', async () => {
    const startedMs = performance.now()
    await expectRefused(() => 'hang', /did not respond in time|did not end within 5000 ms/)
    expect(performance.now() - startedMs).to.be.above(4900)
  })

  it('has paused its settlers: rejects the quote', async () => {
    const paused = await stage.api.startAnother()
    stage.register({ current: null, previous: SETTLER })
    await expectRefused(HONEST, /no settler that our nodes could read/, { at: paused })
    await paused.stop()
  })

  it('cannot be verified because our node does not respond: rejects the quote', async () => {
    const blind = await stage.api.startAnother((config) => withRpc(config, 'http://127.0.0.1:9'))
    await expectRefused(HONEST, /no settler that our nodes could read/, { at: blind })
    await blind.stop()
  })

  it('uses a settler that only one of two nodes reports while the other node is silent: rejects the quote', async () => {
    const one = await stage.api.startAnother(withSilentNode)
    await expectRefused(HONEST, /no settler that our nodes could read/, { at: one })
    await one.stop()
  })

  it('uses the previous settler while a new settler is introduced: returns the quote', async () => {
    const fresh = await stage.api.startAnother()
    stage.register({ current: THIEF, previous: SETTLER })
    expect((await stage.quote({ at: fresh })).status).to.equal(200)
    await fresh.stop()
  })

  it('uses an older settler: rejects the quote', async () => {
    const fresh = await stage.api.startAnother()
    const [current, previous] = [THIEF, `0x${'77'.repeat(20)}`] as readonly Address[]
    stage.register({ current: current ?? null, previous: previous ?? null })
    await expectRefused(HONEST, /which is not a settler/, { at: fresh })
    await fresh.stop()
  })

  describe('is configured to take a service fee', () => {
    let charging: Pick<TestApi, 'baseUrl' | 'routes' | 'stop'>

    before(async () => {
      charging = await stage.api.startAnother((config) => withFee(config, 50))
    })
    after(() => charging.stop())

    it('and takes exactly that fee: returns the quote', async () => {
      const { body } = await stage.quote({ at: charging })
      expect(body.fees).to.deep.equal({
        serviceFee: 0.05,
        serviceFeeExact: '0.05',
        providerFee: null,
        providerFeeExact: null,
      })
    })

    it('and takes more than that fee: rejects the quote', async () => {
      const more = lie((quote) => void Object.assign(quote.fees.integratorFee ?? {}, { amount: '50001' }))
      await expectRefused(more, /takes 50001 as our fee, above 50000/, { at: charging })
    })
  })

  it('echoes our API key: neither the log nor the response contains the key', async () => {
    const leak: Behaviour = () => ({
      status: 400,
      body: { name: API_KEY, message: API_KEY, data: { zid: API_KEY, details: API_KEY } },
    })
    const { line, text } = await expectRefused(leak, /responded with 400"/)
    expect(line.zid).to.equal(null)
    expect(text).not.to.include(API_KEY)
    expect([...stage.api.warnings, ...stage.api.errors].join('')).not.to.include(API_KEY)
  })

  it('fails five times in a row: is not called for the next quote', async () => {
    const other = await stage.api.startAnother()
    for (let count = 0; count < 5; count += 1) await expectRefused(() => 'cut', /broke off/, { at: other })
    const asked = stage.provider.asked.length
    expectError(await stage.quote({ at: other }), '503 swap_quote_failed')
    expect(stage.provider.asked).to.have.length(asked)
    expect(stage.api.warnings.at(-1)).to.include('failed 5 times')
    await other.stop()
  })
})

function data(change: (text: string) => string): (quote: QuoteBody) => void {
  return ({ transaction }) => {
    transaction.data = change(transaction.data)
  }
}

function permit(change: (eip712: NonNullable<QuoteBody['permit2']>['eip712']) => void) {
  return ({ permit2 }: QuoteBody): void => {
    if (permit2 !== null) change(permit2.eip712)
  }
}

function feeIn(token: string) {
  return { amount: '1', token, type: 'volume' }
}

function withRpc(config: ApiConfig, url: string): ApiConfig {
  return { ...config, deployments: config.deployments.map((one) => ({ ...one, ...nodesAt([url]) })) }
}

/** Adds to each deployment a node that does not respond, and sets the quorum to 2. */
function withSilentNode(config: ApiConfig): ApiConfig {
  const deployments = config.deployments.map((one) => ({
    ...one,
    ...nodesAt([...one.rpcUrls, 'http://127.0.0.1:9'], 2),
  }))
  return { ...config, deployments }
}

function withFee(config: ApiConfig, bps: number): ApiConfig {
  const recipient = config.treasury.evm
  return { ...config, swap: config.swap && { ...config.swap, fee: { bps, recipient } } }
}
