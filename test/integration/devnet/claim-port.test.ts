import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { claimPort } from '../../devnet/claim-port.ts'

const MODULE = join(import.meta.dirname, '../../devnet/claim-port.ts')

describe('claiming a port', function () {
  this.timeout(60_000)
  const children: ChildProcess[] = []
  afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')))

  it('gives different ports to two callers that prefer the same port, even before they listen', async () => {
    const preferred = await unclaimed()
    const [one, other] = await Promise.all([claimPort(preferred), claimPort(preferred)])
    expect([one, other]).to.include(preferred)
    expect(one).to.not.equal(other)
  })

  it('reserves a claimed port until the claiming process exits', async () => {
    const preferred = await unclaimed()
    const child = await claimElsewhere(preferred)
    expect(child.port).to.equal(preferred)
    expect(await claimPort(preferred)).to.not.equal(preferred)
    child.process.kill('SIGKILL')
    await once(child.process, 'exit')
    expect(await claimPort(preferred)).to.equal(preferred)
  })

  it('does not return a port that is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    expect(await claimPort(port)).to.not.equal(port)
    server.close()
  })

  /** Returns a free port, which a child process claimed before it exited. */
  async function unclaimed(): Promise<number> {
    const child = await claimElsewhere(0)
    child.process.kill('SIGKILL')
    await once(child.process, 'exit')
    return child.port
  }

  async function claimElsewhere(preferred: number) {
    const program = `import { claimPort } from ${JSON.stringify(MODULE)}
      console.log(await claimPort(${preferred}))
      setInterval(() => {}, 1000)`
    const args = ['--import', 'tsx', '--input-type=module', '-e', program]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    const [text] = (await once(child.stdout, 'data')) as [Buffer]
    return { process: child, port: Number(text.toString()) }
  }
})
