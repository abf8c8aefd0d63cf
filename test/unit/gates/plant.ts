import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const repository = resolve(import.meta.dirname, '../../..')

export type Verdict = { exitCode: number; output: string }

/** Runs a tool of node_modules/.bin, and waits for it. */
export function runTool(name: string, args: readonly string[], cwd: string = repository): Promise<Verdict> {
  const tool = join(repository, 'node_modules/.bin', name)
  return new Promise((done) => {
    // The default of 1 MiB would truncate some reports.
    execFile(tool, args, { cwd, maxBuffer: 64 * 2 ** 20 }, (error, stdout) => {
      done({ exitCode: error === null ? 0 : Number(error.code ?? 1), output: stdout })
    })
  })
}

/**
 * Calls `use` with a temporary directory that contains these files and our packages, and then deletes the directory.
 *
 * @param files - the text of each file, by path
 */
export async function withPlantedTree<Result>(
  files: Readonly<Record<string, string>>,
  use: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'gate-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true })
      await writeFile(join(directory, path), text)
    }
    await symlink(join(repository, 'node_modules'), join(directory, 'node_modules'))
    return await use(directory)
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** Returns the absolute path of a file of the repository. */
export function ours(path: string): string {
  return join(repository, path)
}

/** The folders with source files. A gate must read files in each of them. */
export const ROOMS = [
  'shared/domain',
  'shared/db',
  'shared/chain',
  'shared/runtime',
  'machines',
  'indexer',
  'api',
  'test',
  'contracts/script',
] as const
