import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Answers the program and arguments of a running process, or `null` if there is none by that number.
 *
 * A number alone proves nothing: after its process has ended it is given to another.
 */
export function findCommandLine(pid: number): string | null {
  try {
    // Slim images have no `ps`.
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
