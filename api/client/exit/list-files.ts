import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../../../shared/runtime/command-line.ts'

/** The files below a directory, and the paths that were skipped, each with the reason. */
export type FoundFiles = {
  readonly files: readonly string[]
  readonly problems: readonly { readonly path: string; readonly error: unknown }[]
}

/**
 * Lists all files below a directory. Follows symbolic links to files, but not to directories, because such links might
 * form a cycle.
 *
 * @throws {CommandError} if the directory itself cannot be read
 */
export function listFiles(directory: string): FoundFiles {
  const files: string[] = []
  const problems: FoundFiles['problems'][number][] = []
  const waiting = [directory]
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop())
    for (const entry of readEntries(parent)) {
      const path = join(parent, entry.name)
      const target = entry.isSymbolicLink() ? findTarget(path) : entry
      if (entry.isDirectory()) waiting.push(path)
      else if (target?.isFile()) files.push(path)
      else if (target?.isDirectory())
        problems.push({
          path,
          error: new Error('it is a symbolic link to a directory, which is not followed'),
        })
      else problems.push({ path, error: new Error('it is neither a file nor a directory') })
    }
  return { files: files.toSorted(), problems }

  function readEntries(path: string): readonly Dirent[] {
    try {
      return readdirSync(path, { withFileTypes: true })
    } catch (error) {
      if (path === directory) throw new CommandError(`--archive cannot be read: ${(error as Error).message}`)
      problems.push({ path, error })
      return []
    }
  }
}

/** Returns the status of the target of a symbolic link; `null` if the target does not exist or cannot be read. */
function findTarget(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}
