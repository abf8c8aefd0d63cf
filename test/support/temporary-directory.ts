import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Creates an empty directory in the system's temporary one, which the operating system clears; readable by
 * the unprivileged user that PostgreSQL runs as when we are root.
 */
export async function temporaryDirectory(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `payments-${name}-`))
  await chmod(directory, 0o755)
  return directory
}
