import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { NETWORKS, type Network } from '../../shared/domain/networks.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import type { ChainPlan } from '../devnet/networks.ts'
import { registeredChain } from '../devnet/real-networks/registered-chain.ts'
import { TRON_PLAN } from '../devnet/tron/tron-plan.ts'
import { listPonders } from '../support/ponder-processes.ts'
import type { RpcProxy } from '../support/rpc-proxy.ts'
import { query } from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { type BenchOptions, resize } from './bench.ts'
import type { Measurement } from './compare.ts'
import { behindDoor } from './counting-proxy.ts'
import { readCpuMs } from './read-cpu.ts'

/** Minimum duration of the measurement at rest, which excludes the start. */
const MIN_REST_MS = 60_000
const DAY_MS = 86_400_000

/**
 * Prints the resources of one daemon that watches every network of the registry with its block time, on idle local
 * chains: memory, processor, connections to PostgreSQL, and requests to each node. It measures the shipped build, so it
 * builds `dist/` first; a short run measures the sources.
 */
export async function benchFootprint(options: BenchOptions): Promise<readonly Measurement[]> {
  const program = options.size === 1 ? 'dist' : 'sources'
  if (program === 'dist')
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: resolve(import.meta.dirname, '../..') })
  const networks = NETWORKS.slice(0, resize(NETWORKS.length, options))
  const requests = new Map(networks.map((network) => [network, new Map<string, number>()]))
  const proxies: RpcProxy[] = []
  const chains = networks.map((network) =>
    behindDoor(planOf(network), requests.get(network) ?? new Map(), { proxies }),
  )
  const directory = await temporaryDirectory('bench-footprint')
  const devnet = await startDevnet({ directory, chains, program })
  try {
    return await measure(devnet, {
      requests,
      restMs: Math.max(resize(MIN_REST_MS, options), options.seconds * 1000),
    })
  } finally {
    await devnet.stop()
    for (const proxy of proxies) await proxy.stop()
  }
}

/** TRON's local chain needs a block time as an option. The other chains use the registry's block time. */
function planOf(network: Network): ChainPlan {
  if (network !== 'tron') return registeredChain({ network, environment: 'live' }, { payers: [] }).plan
  return { ...TRON_PLAN, blockMs: REGISTRY.tron.live.blockTimeMs }
}

async function measure(
  devnet: Devnet,
  { requests, restMs }: { requests: ReadonlyMap<Network, ReadonlyMap<string, number>>; restMs: number },
): Promise<readonly Measurement[]> {
  const daemon = devnet.indexer.pid() ?? 0
  const before = { cpuMs: readCpuMs(daemon), requests: countsOf(requests), atMs: Date.now() }
  await delay(restMs)
  const elapsedMs = Date.now() - before.atMs
  const ponders = listPonders(daemon)
  const megabytes = (field: 'Rss' | 'Pss') => [daemon, ...ponders].map((pid) => memoryMbOf(pid, field))
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const connections = await connectionsByUser(devnet)
  const now = countsOf(requests)
  const perDay = [...now].map(([network, count]): Measurement => {
    const value = Math.round(((count - (before.requests.get(network) ?? 0)) * DAY_MS) / elapsedMs)
    return { name: `requests to a node of ${network}`, unit: 'a day', value }
  })
  return [
    {
      name: `the daemon and its ${ponders.length} Ponders, total resident memory`,
      unit: 'MB',
      value: sum(megabytes('Rss')),
    },
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
    {
      name: 'processor of all',
      unit: '% of a core',
      value: Math.round((100 * (readCpuMs(daemon) - before.cpuMs)) / elapsedMs),
    },
    ...connections,
    ...perDay,
  ]
}

function countsOf(requests: ReadonlyMap<Network, ReadonlyMap<string, number>>): ReadonlyMap<Network, number> {
  return new Map(
    [...requests].map(([network, methods]) => [
      network,
      [...methods.values()].reduce((sum, count) => sum + count, 0),
    ]),
  )
}

async function connectionsByUser(devnet: Devnet): Promise<readonly Measurement[]> {
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
