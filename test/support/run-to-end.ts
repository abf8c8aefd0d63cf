import { spawn } from 'node:child_process'

/**
 * Runs a script of Node with only PATH and these settings in its environment. Returns its output and its exit code,
 * which is `null` if a signal ended the program.
 */
export async function runToEnd(
  program: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string; error: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...(process.env['PATH'] !== undefined && { PATH: process.env['PATH'] }), ...settings },
  })
  let output = ''
  let error = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    error += chunk.toString()
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, output, error }
}
