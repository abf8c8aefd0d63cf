import { readdirSync, readFileSync } from 'node:fs'

/** `sysconf(_SC_CLK_TCK)` on every Linux that we run on. */
const TICKS_PER_SECOND = 100

/**
 * Returns the processor time of a process and its running descendants up to now, in milliseconds; 0 if the process has
 * ended.
 */
export function readCpuMs(pid: number): number {
  const parents = new Map<number, number>()
  const ticks = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = readStat(name)
    if (stat === null) continue
    parents.set(Number(name), stat.parent)
    ticks.set(Number(name), stat.ticks)
  }
  const isOurs = (one: number): boolean => one === pid || (parents.has(one) && isOurs(parents.get(one) ?? 0))
  const sum = [...ticks].filter(([one]) => isOurs(one)).reduce((total, [, of]) => total + of, 0)
  return (sum * 1000) / TICKS_PER_SECOND
}

/**
 * Returns a process's own processor time, and the time of its running descendants and ended children, in
 * milliseconds.
 */
export function readCpuWithChildren(pid: number): { readonly ownMs: number; readonly childrenMs: number } {
  const { ticks, endedTicks } = readStat(String(pid)) ?? { ticks: 0, endedTicks: 0 }
  const ownMs = (ticks * 1000) / TICKS_PER_SECOND
  return { ownMs, childrenMs: readCpuMs(pid) - ownMs + (endedTicks * 1000) / TICKS_PER_SECOND }
}

type Stat = {
  readonly parent: number
  readonly ticks: number
  /** Ticks of the children that have ended. */
  readonly endedTicks: number
}

/**
 * Reads fields 4 and 14 to 17. Counts from the end of the name, because the name can contain spaces. Returns `null` if
 * the process has ended.
 *
 * @see proc(5)
 */
function readStat(pid: string): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number)
    return {
      parent: Number(fields[1]),
      ticks: (user ?? 0) + (system ?? 0),
      endedTicks: (endedUser ?? 0) + (endedSystem ?? 0),
    }
  } catch {
    return null
  }
}
