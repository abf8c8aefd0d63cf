import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { compiled } from '../../devnet/compiled.ts'

const TIMEOUT_MS = 600_000

/** Runs a program of this folder in a process of its own. Returns what its last line of output contains, as JSON. */
export async function runProgram(
  name: 'graphile-worker' | 'pg-boss' | 'squid',
  options: object,
): Promise<unknown> {
  const program = await compiled(`test/bench/beside/${name}.ts`)
  const args = [program, JSON.stringify(options)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}
