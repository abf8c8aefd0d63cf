import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Network } from '../../shared/domain/networks.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { listPonders } from '../support/ponder-processes.ts'
import { findConnectionOwner } from './connection-owner.ts'
import type { NoteRequest } from './counting-proxy.ts'
import { readCpuMs, readCpuWithChildren } from './read-cpu.ts'

export const PROCESSES = ['the daemon', 'Ponder', 'the API', 'another process'] as const
type ProcessName = (typeof PROCESSES)[number]

/** Rate of the requests with one method from one process to one network's node. */
export type RequestCount = {
  readonly network: Network
  readonly process: ProcessName
  readonly method: string
  readonly perMinute: number
}

/** The processes whose processor time is measured. PostgreSQL also serves the API, which sends few queries at rest. */
export const CPU_USERS = ['daemon', 'ponders', 'postgres'] as const
export type CpuUser = (typeof CPU_USERS)[number]

/** Usage of an installation at rest. Processor times are in percent of a core. */
export type RestUsage = {
  readonly requests: readonly RequestCount[]
  readonly cpu: Readonly<Record<CpuUser, number>>
  /** Number of Ponders that started during the measurement. Each start takes seconds of processor time. */
  readonly startedPonders: number
  /** Processor time of each network's Ponder. Networks without a running Ponder are missing. */
  readonly cpuOfPonder: ReadonlyMap<string, number>
}

/** Creates a log of the requests by network, process and method, and of the processor time. */
export function createRequestLog() {
  const counts = new Map<string, { network: Network; process: ProcessName; method: string; count: number }>()
  const processOf = new WeakMap<Socket, ProcessName>()
  let devnet: Devnet | null = null

  /** Returns the process that opened a connection. Its port identifies it while it waits for the response. */
  function identify(socket: Socket): ProcessName {
    const known = processOf.get(socket)
    if (known !== undefined) return known
    const daemon = devnet?.indexer.pid() ?? 0
    const ponders = listPonders(daemon)
    const api = devnet?.api.pid() ?? 0
    const owner = findConnectionOwner(socket.remotePort ?? 0, [daemon, ...ponders, api])
    const names = new Map<number | null, ProcessName>([
      [daemon, 'the daemon'],
      [api, 'the API'],
      ...ponders.map((pid) => [pid, 'Ponder'] as const),
    ])
    const process = names.get(owner) ?? 'another process'
    processOf.set(socket, process)
    return process
  }

  return {
    noteOf:
      (network: Network): NoteRequest =>
      ({ method, socket }) => {
        if (devnet === null) return
        const process = identify(socket)
        const key = `${network} ${process} ${method}`
        const { count } = counts.get(key) ?? { count: 0 }
        counts.set(key, { network, process, method, count: count + 1 })
      },
    /** Measures the requests and the processor time of this installation for `restMs`. */
    measure: async (of: Devnet, restMs: number): Promise<RestUsage> => {
      counts.clear()
      devnet = of
      const daemon = of.indexer.pid() ?? 0
      const postgres = of.postgres.server.pid
      const before = look(daemon, postgres)
      await delay(restMs)
      devnet = null
      const after = look(daemon, postgres)
      const elapsedMs = after.atMs - before.atMs
      const share = (cpuMs: number) => (100 * cpuMs) / elapsedMs
      return {
        requests: [...counts.values()].map(({ count, ...of }) => ({
          ...of,
          perMinute: (count * 60_000) / elapsedMs,
        })),
        cpu: {
          daemon: share(after.ownMs - before.ownMs),
          ponders: share(after.childrenMs - before.childrenMs),
          postgres: share(after.postgresMs - before.postgresMs),
        },
        startedPonders: [...after.pids].filter((pid) => !before.pids.has(pid)).length,
        cpuOfPonder: new Map(
          [...after.ponders].map(([network, ms]) => [
            network,
            share(ms - (before.ponders.get(network) ?? 0)),
          ]),
        ),
      }
    },
  }
}

function look(daemon: number, postgres: number) {
  const pids = new Set(listPonders(daemon))
  const ponders = new Map([...pids].map((pid) => [networkOf(pid), readCpuMs(pid)]))
  const server = readCpuWithChildren(postgres)
  const postgresMs = server.ownMs + server.childrenMs
  return { atMs: Date.now(), ...readCpuWithChildren(daemon), postgresMs, pids, ponders }
}

/** Reads the network from the schema in a Ponder's command line; `unknown` if the process has ended. */
function networkOf(pid: number): string {
  try {
    return /ponder_([a-z]+)_live/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.[1] ?? 'unknown'
  } catch {
    return 'unknown'
  }
}
