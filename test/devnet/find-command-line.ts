import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Returns the program and arguments of a running process, or `null` if no process has this id. Because the system
 * reuses ids, callers compare the command line to check that the id is still of the same process.
 */
export function findCommandLine(pid: number): string | null {
  try {
    // Read first, because slim images lack `ps`.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') || null
  } catch {
    return askPs(pid)
  }
}

function askPs(pid: number): string | null {
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' })
  } catch {
    return null
  }
}
