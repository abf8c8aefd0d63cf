import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { compiled } from '../devnet/compiled.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')

/** It takes 2 s to start, on a busy machine many times that. */
const TIMEOUT_MS = 120_000

/** The output of a command line of the client, `svc` or `verify-address`, until it ended. */
export type ClientRun = { readonly stdout: string; readonly stderr: string; readonly exitCode: number }

/** Runs it as a separate process, and returns its exit; -1 if it had to be killed. */
export async function runClient(
  name: 'svc' | 'verify-address',
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
