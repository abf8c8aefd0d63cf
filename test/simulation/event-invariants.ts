import { parseUnits } from 'viem'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { InvariantContext } from './invariant-context.ts'
import { listStruckCharges } from './strike-invariants.ts'

type ChargeNow = {
  readonly id: string
  readonly status: string
  readonly settlementStatus: string | null
  readonly receivedAtto: bigint | null
}

/** An event of a charge, with the charge's state that the event contains. */
type Told = {
  readonly id: string
  readonly type: string
  readonly chargeId: string
  readonly data: {
    readonly status: string
    readonly settlementStatus: string | null
    readonly receivedAtto: bigint
  }
}

/** The amount is `null` in the JSON of a new charge, and counts as 0. */
function readCharge(json: string): Told['data'] {
  const { status, settlementStatus, amountReceivedExact } = JSON.parse(json) as Readonly<
    Record<string, string | null>
  >
  const receivedAtto = parseUnits(amountReceivedExact ?? '0', 18)
  return { status: status ?? '', settlementStatus: settlementStatus ?? null, receivedAtto }
}

/** Final statuses, which are also the types of the events that end a charge. */
const ENDS: readonly string[] = ['confirmed', 'expired', 'underpaid']

/**
 * Invariant 4, at rest: each change of a charge was announced once, in a possible order, by an event that contains the
 * charge's state at that time. `findWrongCharges` compares the charges with the chains.
 */
export async function findUntold(terms: InvariantContext): Promise<readonly string[]> {
  const { database, charges, imported } = terms
  const struckCharges = await listStruckCharges(terms)
  const rows = await database.sql<
    ChargeNow[]
  >`select id, status, settlement_status, received_atto from charges`
  const events = await database.sql<{ id: string; type: string; chargeId: string; data: string }[]>`
    select id, type, charge_id, data from events where category = 'payments' order by number`
  const all = events.map(({ data, ...event }): Told => ({ ...event, data: readCharge(data) }))
  return rows.flatMap((row) => {
    const charge = charges.find(({ id }) => id === row.id)
    if (charge === undefined) return []
    const isStruck = struckCharges.has(row.id)
    const later = all.filter(({ chargeId }) => chargeId === row.id)
    const told = imported.has(row.id) ? [createdBefore(row.id), ...later] : later
    return [
      ...findWrongCounts(row, { charge, told, isStruck }),
      ...findWrongOrder(told),
      ...findWrongData(row, { charge, told, isStruck }),
    ]
  })
}

/** The event `charge.created` of an imported charge, which the restored database lacks. */
function createdBefore(chargeId: string): Told {
  const data = { status: 'pending', settlementStatus: null, receivedAtto: 0n }
  return { id: 'lost', type: 'charge.created', chargeId, data }
}

type OfCharge = {
  readonly charge: ChargeRecord
  readonly told: readonly Told[]
  /** Whether rows of the charge were struck, so that its amount can be lower than in its events. */
  readonly isStruck: boolean
}

function findWrongCounts(row: ChargeNow, { charge, told, isStruck }: OfCharge): readonly string[] {
  const isOverpaid = (row.receivedAtto ?? 0n) > targetOf(charge)
  const [one, none, perhaps] = [[1], [0], [0, 1]]
  const partly = { underpaid: one, expired: none }[row.status] ?? perhaps
  const allowed: Readonly<Record<string, readonly number[]>> = {
    created: one,
    partially_paid: partly,
    ...Object.fromEntries(ENDS.map((end) => [end, row.status === end ? one : none])),
    overpaid: isStruck ? perhaps : isOverpaid ? one : none,
    settled: row.settlementStatus === 'completed' ? one : none,
    settlement_failed: row.settlementStatus === 'failed' ? one : perhaps,
  }
  return Object.entries(allowed).flatMap(([type, counts]) => {
    const count = told.filter((event) => event.type === `charge.${type}`).length
    return counts.includes(count)
      ? []
      : [`${row.id} is ${row.status}, but has ${count} events charge.${type}`]
  })
}

/**
 * `created` comes first, and `partially_paid` before the end. Events about overpayment and settlement may come in any
 * order.
 */
function findWrongOrder(told: readonly Told[]): readonly string[] {
  const rank = (type: string) =>
    ['created', 'partially_paid', 'end'].indexOf(ENDS.includes(type) ? 'end' : type)
  const ranks = told.map(({ type }) => rank(type.replace('charge.', ''))).filter((each) => each >= 0)
  const isInOrder =
    ranks.every((each, index) => each >= (ranks[index - 1] ?? 0)) && told[0]?.type === 'charge.created'
  return isInOrder
    ? []
    : [`the events of ${told[0]?.chargeId} have the order ${told.map(({ type }) => type).join(', ')}`]
}

/**
 * Statuses that an event `charge.partially_paid` can contain, because all events of a turn contain the charge's state
 * at the end of the turn.
 */
const AFTER_PART: readonly string[] = ['partially_paid', 'confirmed', 'underpaid']

/** Checks the state in each event: the status is the announced one, and the amount never decreases. */
function findWrongData(row: ChargeNow, { charge, told, isStruck }: OfCharge): readonly string[] {
  const target = targetOf(charge)
  return told.flatMap(({ id, type, data }, index) => {
    const what = type.replace('charge.', '')
    const before = told[index - 1]?.data.receivedAtto ?? 0n
    const holds = [
      what === 'created'
        ? data.status === 'pending' && data.receivedAtto === 0n
        : isStruck || data.receivedAtto >= before,
      !ENDS.includes(what) || data.status === what,
      what !== 'confirmed' || data.receivedAtto >= target,
      what !== 'overpaid' || data.receivedAtto > target,
      what !== 'partially_paid' || (AFTER_PART.includes(data.status) && data.receivedAtto > 0n),
      what !== 'settled' || (data.settlementStatus === 'completed' && data.status === row.status),
      isStruck || data.receivedAtto <= (row.receivedAtto ?? 0n),
    ].every(Boolean)
    return holds
      ? []
      : [
          `${id}, ${type} of ${row.id}, contains ${data.status}, ${data.settlementStatus}, ${data.receivedAtto}`,
        ]
  })
}

function targetOf({ amountMicro }: ChargeRecord): bigint {
  return amountMicro * 10n ** 12n
}
