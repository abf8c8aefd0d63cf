import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** What Linux keeps in memory. */
const MEMORY = '/dev/shm'

/** A run's PostgreSQL holds some hundred megabytes, its log of changes included; a few may run side by side. */
const ROOM_BYTES = 4 * 1024 ** 3

/**
 * Answers where a suite's PostgreSQL keeps its data: in memory where there is room, else in the temporary directory; and
 * where `TMPDIR` says, if it says anything.
 *
 * A cloned database is 700 files. On a busy disk making one took 1.3 s, 0.4 s of it computed; in memory 0.08 s and 0.03 s
 * (2026-11-22, beside a load of 15 on 2 cores).
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
