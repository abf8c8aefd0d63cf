import { once } from 'node:events'
import { connect } from '../../shared/db/connect.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { Random } from '../support/seeded-random.ts'
import { beginReaders } from './api/begin-readers.ts'
import { beginSandbox } from './api/begin-sandbox.ts'
import { createClient } from './api/client.ts'
import { createNetwork } from './api/network.ts'
import { startServer } from './api/servers.ts'
import type { Walk } from './api/walk-pages.ts'
import { beginApi, type Users } from './api.ts'
import { createClaimRecord } from './claim-record.ts'
import { planCommands } from './commands.ts'
import { learnCharges } from './create-charge.ts'
import { startDaemon } from './daemon.ts'
import { createRandomStream } from './engine/chance.ts'
import { buildUrl, LOGINS, OWNER, type SimulatedDatabase, type SimulatedServer } from './engine/database.ts'
import { type FaultRates, NO_FAULTS } from './engine/faults.ts'
import { useUpIds } from './engine/fresh-ids.ts'
import { GatedSocket } from './engine/gated-socket.ts'
import { runOn } from './engine/owned-process.ts'
import { createRpcPort } from './engine/rpc-port.ts'
import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'
import { createFeedPort } from './feed-port.ts'
import type { History } from './history.ts'
import { createOperators } from './operators.ts'
import type { Plan } from './plan-types.ts'
import { planQuarantines } from './quarantines.ts'
import { buildExpectedAlerts } from './repair-invariants.ts'
import { planRepairs } from './repairs.ts'
import type { Scene } from './scene.ts'

type CastTerms = {
  readonly scheduler: Scheduler
  readonly server: SimulatedServer
  readonly database: SimulatedDatabase
  readonly plan: Plan
  readonly history: History
}

/** A running daemon, and the function that kills it. */
type Daemon = { readonly process: SimulatedProcess; readonly crash: () => Promise<void> }

/** Creates the service's processes: the API, operators' commands, and daemons, which are restarted when they die. */
export function createCast({ scheduler, server, database, plan, history }: CastTerms) {
  const charges: ChargeRecord[] = []
  const alerts: string[] = []
  const turns = { asleep: 0, awake: 0 }
  const kills = new Set<() => Promise<void>>()
  const nodes = [...history.scenes.values()].flatMap((scene) => scene.nodes)
  const owners = new Map<number, SimulatedProcess>()
  let users: Users | null = null
  const daemons = new Map<number, () => Promise<void>>()
  const lost = new Set<number>()
  const killedAfterMs = new Map(plan.repairs.map((repair) => [repair.chainId, [...repair.killedAfterMs]]))
  const sockets = new Set<GatedSocket>()
  let started = 0
  const operator = createCalmProcess('operator', OWNER)
  const operators = createOperators({ scheduler, ...operator, scenes: history.scenes })
  const imported = new Set<string>()
  const claims = createClaimRecord()
  const hasClaims = plan.claims.size > 0
  const hasStrikes = plan.commands.some(({ kind }) => kind === 'strike rows' || kind === 'trust liar')
  const servers = Array.from({ length: plan.api.servers }, (_, index) =>
    startServer(
      {
        ...{ scheduler, deployments: plan.deployments, createLog, hasClaims },
        createProcess: (name, onDeath) => {
          const { process, openSql } = createProcess(name, plan.api.rates, onDeath)
          return { process, openSql: () => openSql(LOGINS.api) }
        },
      },
      index,
    ),
  )
  const send = createNetwork({ scheduler, servers, rates: plan.api.network })
  const client = createClient({ scheduler, send })

  const walks: Walk[] = []

  return {
    charges,
    /** Adds the created charges whose merchants still wait for the response. */
    learnCharges: () => (client.waiting.size === 0 ? Promise.resolve() : learnCharges(database.sql, charges)),
    api: {
      ...{ exchanges: client.exchanges, sent: client.sent, waiting: client.waiting, walks },
      mayLackPairs: plan.repairs.length > 0,
    },
    alerts,
    expectedAlerts: buildExpectedAlerts(plan),
    /** How often networks have fallen asleep and woken. */
    turns,
    operators,
    /** Ids of the imported charges. */
    imported,
    hasStrikes,
    claims,
    hasClaims,
    begin: () => {
      const api = createCalmProcess('api', LOGINS.api)
      useUpIds(api.process.machine)
      users = beginApi({
        ...{ scheduler, ...api, database, client, plan, history, charges },
        ...{ send, operator, claims },
      })
      beginReaders({ scheduler, client, plan, walks })
      beginSandbox({ scheduler, client, plan, walks })
      for (const [index, order] of plan.orders.entries()) operators.plan(order, index)
      planCommands({
        ...{ scheduler, ...operator, name: database.name, plan, history, operators, charges, imported },
      })
      planRepairs({ scheduler, ...operator, plan, history })
      planQuarantines({ scheduler, ...operator, database, plan, charges })
      for (let index = 0; index < plan.daemons; index += 1) start(index)
      const deathsMs = [...(plan.sleep?.deathsMs ?? []), ...plan.repairs.flatMap((repair) => repair.deathsMs)]
      for (const [index, atMs] of deathsMs.entries()) planDeath(atMs, index)
    },
    /** Creates a last charge in each environment, so that every network wakes. */
    wakeNetworks: () => users?.openLastCharges(),
    listUnfinishedOrders: () => users?.releasers.listUnfinished() ?? [],
    loseDaemon: async (index: number) => {
      lost.add(index)
      await daemons.get(index)?.()
    },
    /** Ends all database sessions, and resolves when the server has rolled back their transactions. */
    cutSessions: async () => {
      const open = [...sockets].filter(({ readyState }) => readyState === 'open')
      const ended = open.map((socket) => once(socket, 'close'))
      for (const socket of open) socket.destroy()
      await Promise.all(ended)
    },
    killAll: async () => {
      for (const kill of [...kills]) await kill()
    },
  }

  function planDeath(atMs: number, index: number): void {
    const run = () =>
      scheduler.meets('death', String(index), 1) ? daemons.get(index % plan.daemons)?.() : undefined
    scheduler.later({ delayMs: atMs, process: null, label: `death ${index}`, run })
  }

  /** Kills a daemon a moment after it has stopped Ponder in order to repair the feed, if the plan has a next death. */
  function planDeathInRepair(chainId: number, { process, crash }: Daemon): void {
    const delayMs = killedAfterMs.get(chainId)?.shift()
    if (delayMs === undefined) return
    const run = () =>
      !process.isDead() && scheduler.meets('death in repair', String(chainId), 1) ? crash() : undefined
    scheduler.later({ delayMs, process: null, label: `death in the repair of ${chainId}`, run })
  }

  function sceneOf(chainId: number): Scene {
    const scene = history.scenes.get(chainId)
    if (scene === undefined) throw new Error(`the history has no chain ${chainId}`)
    return scene
  }

  /** Creates a process and its database connection. `onDeath` is called after a fault has killed the process. */
  function createProcess(name: string, rates: FaultRates, onDeath: () => void) {
    const latency = createRandomStream(scheduler.seed, `latency of ${name}`)
    const lateness = createRandomStream(scheduler.seed, `lateness of ${name}`)
    const crash = async () => {
      await kill()
      onDeath()
    }
    const { process, kill: end } = scheduler.createProcess(name, {
      fail: async (error) => {
        alerts.push(`Uncaught: ${error instanceof Error ? error.message : String(error)}`)
        await crash()
      },
      fetch: createRpcPort({ scheduler, latency, faults: rates, nodes, crash }),
      // A timer fires late on a busy machine. Once the faults have ended, time passes in larger steps.
      stretch: (delayMs) => (delayMs < 1_000 ? delayMs : delayMs + late(lateness)),
    })
    const kill = async () => {
      kills.delete(kill)
      await end()
    }
    kills.add(kill)
    const openSql = (login: string) =>
      connect({
        // The port is constant, because the driver's errors contain it. The socket connects to the real server.
        url: buildUrl({ role: login, port: 5432, name: database.name }),
        ...{ applicationName: name, maxConnections: plan.connections, keepsSessions: true },
        openSocket: () =>
          remember(
            new GatedSocket({
              ...{ scheduler, process, latency, crash, faults: rates },
              ...{ sessions: database.sessions, statements: server.statements, locks: database.locks },
            }),
          ),
      })
    return { process, latency, crash, openSql }
  }

  function remember(socket: GatedSocket): GatedSocket {
    sockets.add(socket)
    return socket.once('close', () => sockets.delete(socket))
  }

  function late(random: Random): number {
    const stepMs = scheduler.calmStepMs()
    return stepMs === 0 ? random.integer(plan.latenessMs) : stepMs - random.integer(stepMs / 2)
  }

  /** Creates a process without faults, because its user would only retry. */
  function createCalmProcess(name: string, login: string) {
    const { process, openSql } = createProcess(name, NO_FAULTS, () => undefined)
    return { process, sql: runOn(process.machine, () => openSql(login)) }
  }

  function start(index: number): void {
    if (lost.has(index)) return
    started += 1
    const name = `daemon-${index}.${started}`
    const restart = () =>
      void scheduler.later({
        delayMs: 500 + 100 * (started % 20),
        process: null,
        label: `starts daemon-${index}`,
        run: () => start(index),
      })
    const { process, latency, crash, openSql } = createProcess(name, plan.rates, restart)
    daemons.set(index, async () => {
      if (!process.isDead()) await crash()
    })
    const run = () =>
      startDaemon({
        ...{ sql: openSql(LOGINS.daemon), deployments: plan.deployments, now: scheduler.now },
        log: createLog(name),
        post: history.receivers.postOf(process, { latency, faults: plan.rates, crash }),
        sleepAfterSeconds: plan.sleep?.afterSeconds ?? 0,
        isSandboxUsed: plan.sandbox.length > 0,
        isTrustGiven: plan.commands.some(({ kind }) => kind === 'trust node' || kind === 'trust liar'),
        hasStrikes,
        hasEscrows: plan.escrows.size > 0,
        hasClaims,
        hasSignatures: plan.signatures.size > 0,
        hasQuarantines: plan.quarantines.length > 0,
        portOf: (chainId) =>
          createFeedPort({
            ...{ scheduler, process, owners, scene: sceneOf(chainId) },
            onRepair: () => planDeathInRepair(chainId, { process, crash }),
          }),
      })
    scheduler.later({ delayMs: 0, process, label: 'begins', run })
  }

  function createLog(name: string): Logger {
    const write = (level: string) => (entry: { readonly msg: string; readonly error?: unknown }) => {
      if (level === 'trace' || level === 'debug') return
      const reason =
        entry.error instanceof Error ? `: ${entry.error.name} ${entry.error.message.split('\n')[0]}` : ''
      scheduler.note(`${name} ${level} ${entry.msg}${reason}`)
      if (entry.msg.startsWith('A network sleeps')) turns.asleep += 1
      if (entry.msg === 'A network wakes') turns.awake += 1
      if (level === 'error') alerts.push(`${entry.msg}${reason}`)
    }
    const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
    const log = Object.fromEntries(levels.map((level) => [level, write(level)])) as Omit<Logger, 'child'>
    return { ...log, child: () => ({ ...log }) as Logger } as Logger
  }
}
