import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { guardProcess } from '../devnet/guard-process.ts'
import { waitFor } from '../devnet/wait-for.ts'

/** One persistent shell, like an operator's terminal. Variables that a command sets are visible to later commands. */
export type ShellSession = {
  /**
   * Runs commands and returns their output.
   *
   * @throws {Error} with the output, if a command fails or times out
   */
  readonly run: (script: string) => Promise<string>
  /** Kills the shell with every program that it started. */
  readonly stop: () => Promise<void>
}

/** Starts bash in a directory with only these variables. The shell ends at the first failing command. */
export function startShell(options: {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
}): ShellSession {
  const { cwd, env, timeoutMs } = options
  const shell = spawn('bash', ['-euo', 'pipefail'], { cwd, env, detached: true })
  if (shell.pid === undefined) throw new Error('bash could not be started')
  // A negative id kills the whole process group. Otherwise the started programs would continue.
  const group = -shell.pid
  const release = guardProcess(group)
  let written = ''
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      written += text
    })
  const stop = async () => {
    const hasEnded = shell.exitCode !== null || shell.signalCode !== null ? undefined : once(shell, 'exit')
    try {
      process.kill(group, 'SIGKILL')
    } catch {
      // The process group has already ended.
    }
    await hasEnded
    release()
  }
  let blocks = 0
  const run = async (script: string) => {
    blocks += 1
    const end = `--- end of block ${blocks} ---\n`
    written = ''
    shell.stdin.write(`${script}\nprintf '%s' '${end.trimEnd()}'; echo\n`)
    const hasEnded = () => written.endsWith(end) || shell.exitCode !== null
    await waitFor(hasEnded, { what: 'a block of commands to end', timeoutMs }).catch((cause: unknown) => {
      throw new Error(`${script}\ntook longer than ${timeoutMs} ms:\n${written}`, { cause })
    })
    if (shell.exitCode !== null)
      throw new Error(`the shell ended with exit code ${shell.exitCode}:\n${written}`)
    return written.slice(0, -end.length)
  }
  return { run, stop }
}
