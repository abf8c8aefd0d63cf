import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { compiled } from '../devnet/compiled.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')

/** Timeout of a command. A command takes 2 s to start, and many times longer on a busy machine. */
const TIMEOUT_MS = 120_000

export type ClientRun = { readonly stdout: string; readonly stderr: string; readonly exitCode: number }

/** Runs a command as a separate process. The exit code is -1 if the process had to be killed. */
export async function runClient(
  name: 'svc' | 'verify-address' | 'verify-payment',
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ClientRun> {
  const command = [await compiled(`api/client/commands/${name}.ts`), ...args]
  const options = { cwd: REPOSITORY, env: { ...process.env, ...env }, timeout: TIMEOUT_MS }
  return new Promise((done) => {
    execFile(process.execPath, command, options, (error, stdout, stderr) => {
      done({ stdout, stderr, exitCode: error === null ? 0 : Number(error.code ?? -1) })
    })
  })
}
