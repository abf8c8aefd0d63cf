import { setTimeout as delay } from 'node:timers/promises'
import type { Devnet } from '../devnet/devnet.ts'
import { waitFor } from '../devnet/wait-for.ts'
import type { Receiver } from '../support/receiver.ts'
import { expectPaidOnce, query, waitUntilSettled } from '../support/scenario.ts'
import type { SteadyLoad } from '../support/steady-load.ts'
import type { Cluster } from './cluster.ts'
import type { Fault } from './faults.ts'

/** The consequences of a fault. */
export type Outcome = {
  readonly fault: string
  /** Number of charges whose creation has returned 201 since the start of the drill. */
  readonly made: number
  /** Number of these charges that the database lacks. */
  readonly lost: number
  /** Longest time without a new charge. */
  readonly gapMs: number
  /** Time from the start of the fault until a payment made after the fault is settled. */
  readonly paidOutMs: number
  /** Numbers of failed requests by HTTP status, or by the first 60 characters of the error if there is no status. */
  readonly failures: Readonly<Record<string, number>>
  /** Number of payments during the fault and the recovery, each paid out once and reported by webhook and stream. */
  readonly payments: number
}

/** The parts of a drill. */
export type Stage = {
  readonly cluster: Cluster
  readonly devnet: Devnet
  readonly load: SteadyLoad
  readonly receiver: Receiver
}

const RECOVERED_WITHIN_MS = 240_000
/** Number of charges that must be created before a fault, and again after it to prove the recovery. */
const ENOUGH_CHARGES = 20

/**
 * Causes a fault under load, repairs the damage, checks that every payment during the fault is paid out once and
 * reported, and counts the lost charges.
 *
 * @throws {Error} if the service does not recover, or a payment is not paid out exactly once or not reported
 */
export async function runFault({ cluster, devnet, load, receiver }: Stage, fault: Fault): Promise<Outcome> {
  await cluster.untilHealthy()
  await until('charges before the fault', () => load.made.length >= ENOUGH_CHARGES)
  const [failedBefore, paidBefore] = [load.failures.length, load.paid.length]
  const gaps = watchGaps(load)
  const struckAtMs = performance.now()
  const heal = await fault.strike(cluster)
  const madeAfter = load.made.length
  await until('charges after the fault', () => load.made.length >= madeAfter + ENOUGH_CHARGES)
  const paidAfter = load.paid.length
  // Skips the payment in flight, which might have been mined before the fault.
  const next = await waitFor(() => load.paid[paidAfter + 1], {
    ...{ what: 'a payment after the fault', timeoutMs: RECOVERED_WITHIN_MS },
  })
  await waitUntilSettled(devnet, next.id)
  const paidOutMs = performance.now() - struckAtMs
  await heal()
  await cluster.untilHealthy()
  const gapMs = gaps.stop()
  const payments = load.paid.slice(paidBefore, paidAfter + 2)
  for (const charge of payments) {
    await waitUntilSettled(devnet, charge.id)
    await expectPaidOnce(devnet, charge)
    // Other webhooks of the charge might have been delivered before the fault.
    await until(`the charge.settled webhook of ${charge.id}`, () =>
      receiver.requests.some(({ body }) => body.includes(charge.id) && body.includes('"charge.settled"')),
    )
  }
  await until('the stream to deliver the charge.settled events of all checked payments', async () =>
    isSubset(await listPublicEvents(devnet, payments), load.heard),
  )
  const made = [...load.made]
  return {
    ...{ fault: fault.name, made: made.length, gapMs, paidOutMs, payments: payments.length },
    lost: (
      await listMissing(
        devnet,
        made.map(({ id }) => id),
      )
    ).length,
    failures: countByStart(load.failures.slice(failedBefore)),
  }
}

/** Returns the ids of the charges that the database lacks. */
export async function listMissing(devnet: Devnet, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await query(
    devnet,
    (sql) => sql<{ id: string }[]>`select id from charges where id = any (${[...ids]})`,
  )
  const there = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !there.has(id))
}

function listPublicEvents(devnet: Devnet, charges: readonly { readonly id: string }[]) {
  const ids = charges.map(({ id }) => id)
  return query(
    devnet,
    (sql) => sql<{ id: string }[]>`
      select id from events where charge_id = any (${ids}) and category = 'payments' and type = 'charge.settled'`,
  ).then((rows) => rows.map(({ id }) => id))
}

function isSubset(ids: readonly string[], of: readonly string[]): boolean {
  const all = new Set(of)
  return ids.every((id) => all.has(id))
}

/** Measures the longest time without a new charge. */
function watchGaps(load: SteadyLoad): { readonly stop: () => number } {
  let [count, atMs, longestMs] = [load.made.length, performance.now(), 0]
  const look = () => {
    longestMs = Math.max(longestMs, performance.now() - atMs)
    if (load.made.length === count) return
    count = load.made.length
    atMs = performance.now()
  }
  const timer = setInterval(look, 20)
  return {
    stop: () => {
      look()
      clearInterval(timer)
      return longestMs
    },
  }
}

function countByStart(failures: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const failure of failures) {
    const start = /^\d{3}/.exec(failure)?.[0] ?? failure.slice(0, 60)
    counts[start] = (counts[start] ?? 0) + 1
  }
  return counts
}

async function until(what: string, isDone: () => boolean | Promise<boolean>): Promise<void> {
  await waitFor(isDone, { what, timeoutMs: RECOVERED_WITHIN_MS })
  await delay(0)
}
