import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Creates an empty directory in the system's temporary directory, which the operating system clears. Every user can
 * read the new directory, because PostgreSQL runs as an unprivileged user if the tests run as root.
 */
export async function temporaryDirectory(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `payments-${name}-`))
  await chmod(directory, 0o755)
  return directory
}
