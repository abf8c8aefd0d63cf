import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Creates an empty directory in the system's temporary directory, which the operating system clears. It is readable by
 * everyone, because PostgreSQL runs as an unprivileged user if the tests run as root.
 */
export async function temporaryDirectory(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `payments-${name}-`))
  await chmod(directory, 0o755)
  return directory
}
