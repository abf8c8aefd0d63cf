import { readFileSync } from 'node:fs'

/** Linux's clock ticks per second. `/proc` counts processor time in ticks. */
const TICKS_PER_SECOND = 100

/**
 * Returns the processor time, in seconds, of the ended children of this process and of their own ended children, or
 * `null` on a system without `/proc`. Node has no function for this time.
 *
 * @see proc(5), cutime and cstime
 */
export function readChildrensSeconds(): number | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // The second field is the program's name in parentheses, which might contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
  } catch {
    return null
  }
}
