import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second, on every Linux that we run on. @see sysconf(_SC_CLK_TCK) */
const TICKS_PER_SECOND = 100

/**
 * Returns the processor time of a process and all its descendants up to now, in milliseconds. Returns 0 for a process
 * that has ended.
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

/** Reads fields 4, 14 and 15, counted from the end of the name, which may contain spaces. @see proc(5) */
function readStat(pid: string): { readonly parent: number; readonly ticks: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    return null
  }
}
