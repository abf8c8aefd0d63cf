import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { createWebhookSecret } from '../../../shared/domain/webhook-secret.ts'
import { claimPort } from '../../devnet/claim-port.ts'
import { waitFor } from '../../devnet/wait-for.ts'

const REPOSITORY = resolve(import.meta.dirname, '../../..')

describe('the example receiver of docs/webhooks.md', function () {
  this.timeout(240_000)

  it('accepts fresh signed requests, rejects other requests, and handles an event once', async () => {
    const page = await readFile(resolve(REPOSITORY, 'docs/webhooks.md'), 'utf8')
    const [, script = 'exit 1'] = /runs the next block. -->\n```sh\n(.*?)```/s.exec(page) ?? []
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: REPOSITORY,
      env: { ...process.env, PORT: String(await claimPort(0)) },
      timeout: 120_000,
    })
    expect(stdout.trim().split('\n')).to.have.members([
      'charge.confirmed ch_1',
      ...['204 genuine', '204 once more', '204 rotated'],
      ...['400 altered', '400 old', '400 another secret'],
    ])
  })

  for (const secret of [undefined, '', 'whsec_', 'secret']) {
    it(`does not start with ${JSON.stringify(secret)} as its secret`, async () => {
      const receiver = startReceiver({ ...(secret !== undefined && { WEBHOOK_SECRET: secret }) })
      const [code] = (await once(receiver, 'exit')) as [number]
      expect(code).to.equal(1)
    })
  }

  describe('while running', () => {
    let port: number
    let receiver: ChildProcess

    beforeEach(async () => {
      port = await claimPort(0)
      receiver = startReceiver({ PORT: String(port), WEBHOOK_SECRET: createWebhookSecret() })
      await waitFor(isUp, { what: 'the receiver to listen', timeoutMs: 60_000 })
    })
    afterEach(() => receiver.kill())

    it('survives clients that disconnect in the middle of a body', async () => {
      for (let times = 0; times < 3; times += 1) {
        const socket = connect(port, '127.0.0.1')
        await once(socket, 'connect')
        socket.write('POST / HTTP/1.1\r\nhost: me\r\ncontent-length: 1000\r\n\r\nhalf')
        await new Promise((done) => setImmediate(done))
        socket.resetAndDestroy()
      }
      expect(await waitFor(isUp, { what: 'the receiver to respond', timeoutMs: 60_000 })).to.equal(true)
      expect(receiver.exitCode).to.equal(null)
    })

    it('responds to an endless body with 413, and disconnects', async () => {
      const { socket, heard } = pourInto(port)
      try {
        await waitFor(() => socket.closed, { what: 'the receiver to hang up', timeoutMs: 60_000 })
      } finally {
        socket.destroy()
      }
      expect(heard()).to.match(/^HTTP\/1\.1 413 /)
      expect(await isUp()).to.equal(true)
      expect(receiver.exitCode).to.equal(null)
    })

    it('also sends 413 to a client that reads only after it has sent everything', async () => {
      // The write's callback also reports a reset.
      const socket = connect(port, '127.0.0.1')
        .pause()
        .on('error', () => {})
      const bytes = 16 * 1024 * 1024 // More bytes than the buffers of the two sockets hold.
      socket.write(`POST / HTTP/1.1\r\nhost: me\r\ncontent-length: ${bytes}\r\n\r\n`)
      await new Promise<void>((sent) => void socket.write(Buffer.alloc(bytes), () => sent()))
      const [answer = ''] = (await once(socket.setEncoding('utf8').resume(), 'data')) as [string?]
      socket.destroy()
      expect(answer).to.match(/^HTTP\/1\.1 413 /)
    })

    /** Whether the receiver is up: it then responds with 400 to unsigned requests. */
    async function isUp(): Promise<boolean> {
      const { status } = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' })
      return status === 400
    }
  })

  /** Sends an endless body as fast as it is accepted. */
  function pourInto(port: number): { socket: Socket; heard: () => string } {
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000), Buffer.from('\r\n')])
    let heard = ''
    const socket = connect(port, '127.0.0.1')
    const pour = () => {
      // The socket limits the speed: `write` returns false once the socket buffers data.
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', pour).on('data', (data) => {
      heard += data.toString()
    })
    // The connection is reset if the peer disconnects during a write.
    socket.on('error', () => {})
    socket.write('POST / HTTP/1.1\r\nhost: me\r\ntransfer-encoding: chunked\r\n\r\n')
    pour()
    return { socket, heard: () => heard }
  }

  function startReceiver(env: Readonly<Record<string, string>>): ChildProcess {
    return spawn(process.execPath, ['docs/examples/webhook-receiver.mjs'], {
      cwd: REPOSITORY,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: 'ignore',
    })
  }
})
