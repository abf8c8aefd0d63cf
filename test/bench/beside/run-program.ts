import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { compiled } from '../../devnet/compiled.ts'

const TIMEOUT_MS = 600_000

/**
 * Runs a program of this folder in its own process. Returns the value of its last line of output, which is JSON. Throws
 * if the program fails or takes longer than ten minutes.
 */
export async function runProgram(
  name: 'graphile-worker' | 'pg-boss' | 'squid',
  options: object,
): Promise<unknown> {
  const program = await compiled(`test/bench/beside/${name}.ts`)
  const args = [program, JSON.stringify(options)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}
