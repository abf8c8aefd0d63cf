import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { NETWORKS, type Network } from '../../shared/domain/networks.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { listPonders } from '../support/ponder-processes.ts'
import { query } from '../support/scenario.ts'
import { type BenchOptions, resize } from './bench.ts'
import type { Comparison, Measurement } from './compare.ts'
import { startIdleInstallation } from './idle-installation.ts'
import { presentFurther, presentRest, presentTotals, type RestStates } from './present-rest.ts'
import { createRequestLog } from './rest-usage.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Minimum duration of a measurement at rest: three reads of a sleeping network's head, which is read once a minute. */
const MIN_REST_MS = 180_000

/**
 * Compares an installation's requests and processor time while its networks sleep and while each network has an open
 * charge, by network, process and method. The chains are local and idle, with the registry's block times; each node is
 * behind a counting proxy. Also measures memory and connections to PostgreSQL while all networks are watched. A full
 * run builds and measures `dist/`; a short run measures the sources.
 *
 * With several networks, also measures an installation with only the first network, so that the table shows the costs
 * of each further network.
 */
export async function benchFootprint(options: BenchOptions): Promise<readonly (Comparison | Measurement)[]> {
  const program = options.size === 1 ? 'dist' : 'sources'
  if (program === 'dist') execFileSync('npm', ['run', '--silent', 'build', '--', '--noCheck'], { cwd: ROOT })
  const { networks = NETWORKS.slice(0, resize(NETWORKS.length, options)) } = options
  const restMs = Math.max(resize(MIN_REST_MS, options), options.seconds * 1000)
  const further = networks.length - 1
  const one = further > 0 ? await measureRest({ networks: networks.slice(0, 1), program, restMs }) : null
  const all = await measureRest({ networks, program, restMs })
  return [
    ...(one === null ? [] : presentFurther({ one: one.states, all: all.states }, further)),
    ...(one === null ? [] : presentTotals(networks.slice(0, 1), one.states)),
    ...presentTotals(networks, all.states),
    ...presentRest(networks, all.states),
    ...all.size,
  ]
}

type RestTerms = {
  readonly networks: readonly Network[]
  readonly program: 'dist' | 'sources'
  /** Duration of each of the two measurements. */
  readonly restMs: number
}

/** Measures usage while the networks sleep and while they are watched; memory and connections only while watched. */
async function measureRest({
  networks,
  program,
  restMs,
}: RestTerms): Promise<{ readonly states: RestStates; readonly size: readonly Measurement[] }> {
  const requests = createRequestLog()
  const installation = await startIdleInstallation({ networks, program, noteOf: requests.noteOf })
  const { devnet, untilAsleep, watch, stop } = installation
  try {
    await untilAsleep()
    const asleep = await requests.measure(devnet, restMs)
    await watch()
    const watched = await requests.measure(devnet, restMs)
    const size = [
      ...measureMemory(devnet),
      ...(await countConnections(devnet)),
      { name: 'Ponders that started while watched', unit: '', value: watched.startedPonders },
    ]
    return { states: { asleep, watched }, size }
  } finally {
    await stop()
  }
}

function measureMemory({ indexer }: Devnet): readonly Measurement[] {
  const daemon = indexer.pid() ?? 0
  const ponders = listPonders(daemon)
  const megabytes = (field: 'Rss' | 'Pss') => [daemon, ...ponders].map((pid) => memoryMbOf(pid, field))
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const all = `the daemon and its ${ponders.length} Ponders, total resident memory`
  return [
    { name: all, unit: 'MB', value: sum(megabytes('Rss')) },
    {
      name: 'the same with shared pages divided among their processes',
      unit: 'MB',
      value: sum(megabytes('Pss')),
    },
    { name: 'resident memory of the daemon itself', unit: 'MB', value: memoryMbOf(daemon, 'Rss') },
    {
      name: 'resident memory of the largest Ponder',
      unit: 'MB',
      value: Math.max(...megabytes('Rss').slice(1)),
    },
  ]
}

async function countConnections(devnet: Devnet): Promise<readonly Measurement[]> {
  const rows = await query(
    devnet,
    (sql) => sql<{ usename: string; open: number }[]>`
      select usename, count(*) as open from pg_stat_activity
      where usename in ('payments_api', 'payments_daemon', 'payments_ponder') group by usename order by usename`,
  )
  return rows.map(({ usename, open }) => ({ name: `connections of ${usename}`, unit: 'open', value: open }))
}

/** @see proc(5), smaps_rollup, in kB */
function memoryMbOf(pid: number, field: 'Rss' | 'Pss'): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const match = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)
  return Math.round(Number(match?.[1]) / 1024)
}
