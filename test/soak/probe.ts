import { readdirSync, readFileSync } from 'node:fs'
import type { Devnet } from '../devnet/devnet.ts'
import { listPonders } from '../support/ponder-processes.ts'
import { query } from '../support/scenario.ts'
import type { Sample } from './evaluate.ts'

/**
 * Samples the service's processes and its database. Returns `null` if the daemon, the API or the database is down, or
 * if a process ends while it is read.
 */
export async function look(devnet: Devnet, charges: number): Promise<Sample | null> {
  const [daemon, api] = [devnet.indexer.pid(), devnet.api.pid()]
  if (daemon === null || api === null) return null
  try {
    const ponders = listPonders(daemon)
    const processes = { 'the daemon': [daemon], 'the API': [api], 'all Ponders': ponders }
    const levels: Record<string, number> = {}
    for (const [name, pids] of Object.entries(processes)) {
      levels[`${name}, resident MB`] = sum(pids.map(residentMbOf))
      levels[`${name}, open handles`] = sum(pids.map(handlesOf))
    }
    const { connections, sizes } = await readDatabase(devnet)
    for (const { usename, open } of connections) levels[`${usename}, connections`] = open
    return {
      ...{ atMs: Date.now(), charges, levels },
      sizes: Object.fromEntries(sizes.map(({ name, bytes }) => [name, bytes])),
    }
  } catch {
    // A process or PostgreSQL was just killed. A later sample will include it.
    return null
  }
}

function readDatabase(devnet: Devnet) {
  return query(devnet, async (sql) => ({
    connections: await sql<{ usename: string; open: number }[]>`
      select usename, count(*) as open from pg_stat_activity
      where usename in ('payments_api', 'payments_daemon', 'payments_ponder') group by usename`,
    sizes: await sql<{ name: string; bytes: number }[]>`
      select c.relname as name, sum(pg_total_relation_size(c.oid))::int8 as bytes from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') group by c.relname`,
  }))
}

/**
 * Returns the resident memory of a process in MiB.
 *
 * @throws {Error} if the process was killed but not reaped yet, so that it has a status but no memory
 * @see proc(5), VmRSS in kB
 */
function residentMbOf(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  if (match === null) throw new Error(`process ${pid} has no memory`)
  return Number(match[1]) / 1024
}

function handlesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
