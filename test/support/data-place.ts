import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Linux keeps the files of this directory in memory. */
const MEMORY = '/dev/shm'

/**
 * Free space required in memory. The PostgreSQL of one run writes a few hundred megabytes, including the WAL, and
 * several runs might share the directory.
 */
const ROOM_BYTES = 4 * 1024 ** 3

/**
 * Returns the directory for the data of the tests' PostgreSQL: `TMPDIR` if set, otherwise `memory` if it has enough
 * space, otherwise the system's temporary directory.
 *
 * A cloned database has 700 files. Creating one took 1.3 s (0.4 s of CPU time) on a busy disk, and 0.08 s (0.03 s of
 * CPU time) in memory (2026-11-22, with a load of 15 on 2 cores).
 */
export function getDataDirectory(memory = MEMORY): string {
  const isTold = Boolean(process.env['TMPDIR']) // oxlint-disable-line no-process-env -- as `tmpdir` reads it
  return !isTold && hasRoom(memory) ? memory : tmpdir()
}

function hasRoom(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK)
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize >= ROOM_BYTES
  } catch {
    return false
  }
}
