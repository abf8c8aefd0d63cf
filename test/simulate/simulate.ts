import { connect } from '../../shared/db/connect.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { createCharge } from './create-charge.ts'
import { startDaemon } from './daemon.ts'
import { streamOf } from './engine/chance.ts'
import { LOGINS, type SimulatedDatabase, type SimulatedServer, urlOf } from './engine/database.ts'
import { type FaultRates, NO_FAULTS } from './engine/faults.ts'
import { useUpIds } from './engine/fresh-ids.ts'
import { GatedSocket } from './engine/gated-socket.ts'
import { ownProcess, runOn } from './engine/owned-process.ts'
import { createRpcPort } from './engine/rpc-port.ts'
import { createScheduler, type Scheduler } from './engine/scheduler.ts'
import { createHistory, type History } from './history.ts'
import { createLaws } from './laws.ts'
import { drawPlan, type Plan } from './plan.ts'
import { ORGANIZATIONS, START_MS } from './world.ts'

/** What became of a seed. */
export type Outcome = {
  readonly seed: number
  /** The first thing that must not be; `null` if all held. */
  readonly failure: string | null
  /** Of everything that happened, in its order. */
  readonly hash: string
  readonly faults: readonly string[]
  readonly happened: number
  readonly simulatedSeconds: number
}

type Options = {
  readonly withoutFaults?: ReadonlySet<string>
  /** So many things happen at most. */
  readonly maxSteps?: number
  readonly onLine?: (line: string) => void
}

/** After the troubles everything has this long to come to rest. */
const REST_MS = 4 * 3_600_000
const LOOK_MS = 60_000
/** Laws that cost a statement each are looked at after so many things that happened. */
const STEPS_PER_LOOK = 400
const MAX_STEPS = 400_000

/** Runs the history of one seed on a database of its own. */
export async function simulate(
  server: SimulatedServer,
  seed: number,
  options: Options = {},
): Promise<Outcome> {
  ownProcess()
  const database = await server.openDatabase()
  const scheduler = createScheduler({ seed, startMs: START_MS, ...options })
  const end = (failure: string | null): Outcome => ({
    ...{ seed, failure, hash: scheduler.historyHash(), faults: scheduler.faults() },
    ...{ happened: scheduler.happened(), simulatedSeconds: (scheduler.nowMs() - START_MS) / 1000 },
  })
  const plan = drawPlan(seed)
  const history = await createHistory({ scheduler, database, plan })
  const cast = createCast({ scheduler, server, database, plan, history })
  try {
    const laws = createLaws({ database, history, charges: cast.charges, alerts: cast.alerts })
    const { maxSteps = MAX_STEPS } = options
    const look = async () => {
      const happened = scheduler.happened()
      if (happened >= maxSteps) throw new Broken(`nothing came to rest in ${maxSteps} steps`)
      if (happened % STEPS_PER_LOOK === 0) requireNone(await laws.always())
      return false
    }
    cast.begin()
    await scheduler.run(START_MS + plan.troubledMs, look)
    scheduler.calm()
    scheduler.note('calm')
    history.heal()
    const endMs = scheduler.nowMs() + REST_MS
    for (;;) {
      await scheduler.run(scheduler.nowMs() + LOOK_MS, look)
      requireNone(await laws.always())
      const unfinished = await laws.atRest()
      if (unfinished.length === 0) break
      if (scheduler.nowMs() >= endMs) throw new Broken(unfinished.join('; '))
    }
    scheduler.note(await laws.digest())
    return end(null)
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    return end(error.message)
  } finally {
    await cast.killAll()
    await database.drop()
  }
}

class Broken extends Error {}

function requireNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Broken(problems.join('; '))
}

type CastTerms = {
  readonly scheduler: Scheduler
  readonly server: SimulatedServer
  readonly database: SimulatedDatabase
  readonly plan: Plan
  readonly history: History
}

/** Makes the processes of ours that take part: daemons, which die and are started again, and the API. */
function createCast({ scheduler, server, database, plan, history }: CastTerms) {
  const charges: ChargeRecord[] = []
  const alerts: string[] = []
  const kills = new Set<() => Promise<void>>()
  const nodes = [...history.scenes.values()].flatMap((scene) => scene.nodes)
  let started = 0

  return {
    charges,
    alerts,
    begin: () => {
      beginApi()
      for (let index = 0; index < plan.daemons; index += 1) start(index)
    },
    killAll: async () => {
      for (const kill of [...kills]) await kill()
    },
  }

  /** Makes a process and its way to the database; `onDeath` is what happens when a fault has killed it. */
  function createProcess(name: string, rates: FaultRates, onDeath: () => void) {
    const latency = streamOf(scheduler.seed, `latency of ${name}`)
    const lateness = streamOf(scheduler.seed, `lateness of ${name}`)
    const crash = async () => {
      await kill()
      onDeath()
    }
    const { process, kill: end } = scheduler.createProcess(name, {
      fetch: createRpcPort({ scheduler, latency, faults: rates, nodes, crash }),
      // A timer fires late on a busy machine; when all is well time may pass in larger steps.
      stretch: (delayMs) =>
        delayMs < 1_000 ? delayMs : delayMs + lateness.integer(scheduler.isCalm() ? 15_000 : 5_000),
    })
    const kill = async () => {
      kills.delete(kill)
      await end()
    }
    kills.add(kill)
    const openSql = (login: string) =>
      connect({
        url: urlOf({ role: login, port: server.port, name: database.name }),
        ...{ applicationName: name, maxConnections: 6, keepsSessions: true },
        openSocket: () =>
          new GatedSocket({
            ...{
              scheduler,
              process,
              port: server.port,
              latency,
              faults: rates,
              crash,
              locks: database.locks,
            },
          }),
      })
    return { process, latency, crash, openSql }
  }

  function start(index: number): void {
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
    runOn(process.machine, () =>
      startDaemon({
        ...{ sql: openSql(LOGINS.daemon), deployments: plan.deployments, now: scheduler.now },
        log: createLog(name),
        post: history.receivers.postOf(process, { latency, faults: plan.rates, crash }),
        restartPonder: async (chainId, [first]) => {
          if (first !== undefined)
            await scheduler.real(history.scenes.get(chainId)?.ponder.follow(first) ?? Promise.resolve())
        },
      }),
    )
  }

  /** The API makes charges; it has no faults of its own here, for its client would simply ask again. */
  function beginApi(): void {
    const { process, openSql } = createProcess('api', NO_FAULTS, () => undefined)
    useUpIds(process.machine)
    const sql = runOn(process.machine, () => openSql(LOGINS.api))
    const pairs = plan.deployments.flatMap(({ environment, network, tokens }) =>
      tokens.map(({ token }) => ({ environment, token, network })),
    )
    for (const [index, planned] of plan.charges.entries()) {
      const organization = ORGANIZATIONS[planned.organizationIndex] ?? ORGANIZATIONS[0]
      if (organization === undefined) continue
      const acceptedPayments = pairs
        .filter(({ environment }) => environment === organization.environment)
        .map(({ token, network }) => ({ token, network }))
      const run = () =>
        void createCharge(sql, { ...planned, organization, acceptedPayments, now: scheduler.now() }).then(
          (charge) => {
            charges.push(charge)
            history.planPayments(charge, planned, index)
          },
        )
      scheduler.later({ delayMs: planned.atMs, process, label: `charge ${index}`, run })
    }
  }

  function createLog(name: string): Logger {
    const write = (level: string) => (entry: { readonly msg: string; readonly error?: unknown }) => {
      if (level === 'trace' || level === 'debug') return
      const reason =
        entry.error instanceof Error ? `: ${entry.error.name} ${entry.error.message.split('\n')[0]}` : ''
      scheduler.note(`${name} ${level} ${entry.msg}${reason}`)
      if (level === 'error') alerts.push(`${entry.msg}${reason}`)
    }
    const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
    const log = Object.fromEntries(levels.map((level) => [level, write(level)])) as Omit<Logger, 'child'>
    return { ...log, child: () => ({ ...log }) as Logger } as Logger
  }
}
