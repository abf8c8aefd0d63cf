import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { isAlive } from '../../devnet/is-alive.ts'
import { waitFor } from '../../devnet/wait-for.ts'

const WATCH = new URL('../../../indexer/ponder/end-with-daemon.mjs', import.meta.url).href

/**
 * A stand-in for the daemon. It starts the script in its argument as the daemon starts Ponder, prints the script's
 * process id after the script's first output, and exits with the script's exit code.
 */
const DAEMON = `
  const { spawn } = require('node:child_process')
  const ponder = spawn(process.execPath, ['--import', '${WATCH}', '-e', process.argv[1]], {
    env: { DAEMON_PID: String(process.pid) },
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  ponder.stdout.once('data', () => console.log(ponder.pid))
  ponder.once('exit', (code) => process.exit(code ?? 1))`

const BLOCKED = "process.on('SIGINT', () => {}); console.log('runs'); for (;;);"
const RUNNING = "console.log('runs'); setInterval(() => {}, 1000)"

describe('a process that is started like Ponder', function () {
  this.timeout(60_000)
  let daemon: ChildProcess
  let ponder = 0

  afterEach(() => {
    daemon.kill('SIGKILL')
    if (ponder !== 0 && isAlive(ponder)) process.kill(ponder, 'SIGKILL')
  })

  for (const [title, script] of [
    ['ends when its daemon dies', RUNNING],
    ['ends when its daemon dies, even if its main thread is blocked', BLOCKED],
  ] as const)
    it(title, async () => {
      ponder = await start(script)
      daemon.kill('SIGKILL')
      await waitFor(() => !isAlive(ponder), { what: 'the process to end', timeoutMs: 40_000 })
    })

  it('keeps running while its daemon lives', async () => {
    ponder = await start(`setTimeout(() => process.exit(7), 1500); ${RUNNING}`)
    expect(await once(daemon, 'exit')).to.deep.equal([7, null])
  })

  async function start(script: string): Promise<number> {
    daemon = spawn(process.execPath, ['-e', DAEMON, script], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [line] = (await once(daemon.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
    return Number(line)
  }
})
