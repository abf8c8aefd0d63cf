import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileOf, type Mutant } from './mutant.ts'
import { mutate } from './mutate.ts'

const repository = resolve(import.meta.dirname, '../..')

/** A copy of the work tree, with a link to its packages, from which rules are removed one at a time. */
export type ScratchCopy = {
  readonly directory: string
  /** Runs `use` while the rule is removed, and then restores the file. */
  readonly without: <Result>(mutant: Omit<Mutant, 'test'>, use: () => Promise<Result>) => Promise<Result>
  readonly remove: () => void
}

/** Copies all files that git tracks or would add, in their current state. */
export function makeScratchCopy(): ScratchCopy {
  const directory = mkdtempSync(join(tmpdir(), 'mutants-'))
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z', '--deduplicate'], {
    cwd: repository,
    encoding: 'utf8',
  })
  for (const path of listed.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    copyFileSync(join(repository, path), join(directory, path))
  }
  symlinkSync(join(repository, 'node_modules'), join(directory, 'node_modules'))
  return {
    directory,
    without: async (mutant, use) => {
      const path = join(directory, fileOf(mutant))
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, mutate(text, mutant))
      try {
        return await use()
      } finally {
        writeFileSync(path, text)
      }
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
