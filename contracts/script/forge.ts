import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Runs forge at the repository's root and throws if it fails.
 *
 * Calls the binary of the platform package directly, because the launcher of npm's `@foundry-rs/forge` (1.7.1) always
 * exits with 0.
 *
 * @param output - destination of forge's standard output; standard error is always shown
 */
export function runForge(args: readonly string[], output: 'inherit' | 'ignore' = 'inherit'): void {
  const { status, signal, error } = spawnSync(forgeBinary(), args, {
    cwd: ROOT,
    stdio: ['ignore', output, 'inherit'],
  })
  if (error !== undefined) throw new Error(`forge ${args.join(' ')} could not be run`, { cause: error })
  if (status !== 0) throw new Error(`forge ${args.join(' ')} exited with ${signal ?? status}`)
}

function forgeBinary(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const name = process.platform === 'win32' ? 'forge.exe' : 'forge'
  return createRequire(import.meta.url).resolve(
    `@foundry-rs/forge-${process.platform}-${architecture}/bin/${name}`,
  )
}
