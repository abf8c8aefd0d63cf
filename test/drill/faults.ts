import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Cluster, removeData } from './cluster.ts'
import type { Member } from './cluster-files.ts'
import { listServerProcesses, signal } from './processes.ts'

/** A fault and its repair. */
export type Fault = {
  readonly name: string
  /** Set if the fault stops and continues processes, which Patroni before 3.0.3 does not survive. */
  readonly stopsProcesses?: true
  /** Set if each member needs a separate file system, which requires root. */
  readonly needsOwnDisks?: true
  /** Causes the fault. Returns a function that repairs the damage. Call it after the service has recovered. */
  readonly strike: (cluster: Cluster) => Promise<() => Promise<void>>
}

/** Duration of a fault, longer than Patroni's `ttl` (20 s), so that the leader's lease expires. */
const AWAY_MS = 25_000

/** The faults. The service must survive each fault without losing a charge whose creation returned 201. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'kill -9 of the primary',
    strike: async (cluster) => {
      killServer(await requireLeader(cluster))
      return async () => undefined
    },
  },
  {
    name: 'kill -9 of Patroni',
    strike: async (cluster) => {
      const { name } = await requireLeader(cluster)
      await cluster.patroni[name]?.kill()
      // No other member becomes the primary before the lease expires.
      await delay(AWAY_MS)
      return async () => cluster.patroni[name]?.start()
    },
  },
  {
    name: 'kill -9 of Patroni and the primary',
    strike: async (cluster) => {
      const leader = await requireLeader(cluster)
      await cluster.patroni[leader.name]?.kill()
      killServer(leader)
      return async () => cluster.patroni[leader.name]?.start()
    },
  },
  {
    name: 'kill -9 of etcd, for 25 s',
    strike: async (cluster) => {
      await cluster.etcd.kill()
      await delay(AWAY_MS)
      cluster.etcd.start()
      return async () => undefined
    },
  },
  {
    name: 'a full disk of the primary, for 20 s',
    needsOwnDisks: true,
    strike: async (cluster) => {
      const { directory } = await requireLeader(cluster)
      const filler = join(directory, 'filler')
      execFileSync('sh', ['-c', 'cat /dev/zero > "$0" 2>/dev/null || true', filler])
      await delay(20_000)
      rmSync(filler)
      return async () => undefined
    },
  },
  {
    name: 'permanent loss of the synchronous standby',
    strike: async (cluster) => {
      const standby = await cluster.findSynchronousStandby()
      if (standby === null) throw new Error('there is no synchronous standby')
      await cluster.patroni[standby.name]?.kill()
      killServer(standby)
      removeData(standby)
      return async () => cluster.patroni[standby.name]?.start()
    },
  },
  ...(['PostgreSQL', 'Patroni', 'both'] as const).map(
    (what): Fault => ({
      name: `SIGSTOP of ${what} on the leader, for 30 s`,
      stopsProcesses: true,
      strike: async (cluster) => {
        const leader = await requireLeader(cluster)
        const pids = [
          ...(what === 'Patroni' ? [] : listServerProcesses(leader.dataDirectory)),
          ...(what === 'PostgreSQL' ? [] : [cluster.patroni[leader.name]?.pid() ?? 0]),
        ]
        for (const pid of pids) signal(pid, 'SIGSTOP')
        await delay(30_000)
        for (const pid of pids) signal(pid, 'SIGCONT')
        return async () => undefined
      },
    }),
  ),
]

export async function requireLeader(cluster: Cluster): Promise<Member> {
  const leader = await cluster.findLeader()
  if (leader === null) throw new Error('the cluster has no leader')
  return leader
}

/** Kills a server and its child processes, as the loss of its machine would. */
export function killServer({ dataDirectory }: Member): void {
  for (const pid of listServerProcesses(dataDirectory)) signal(pid, 'SIGKILL')
}
