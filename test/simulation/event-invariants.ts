import { parseUnits } from 'viem'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { InvariantContext } from './invariant-context.ts'

type ChargeNow = {
  readonly id: string
  readonly status: string
  readonly settlementStatus: string | null
  readonly receivedAtto: bigint | null
}

/** An event of a charge, and the charge as it says that it is. */
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

/** Reads of a charge's JSON what is compared; what was just made says of money nothing. */
function readCharge(json: string): Told['data'] {
  const { status, settlementStatus, amountReceivedExact } = JSON.parse(json) as Readonly<
    Record<string, string | null>
  >
  const receivedAtto = parseUnits(amountReceivedExact ?? '0', 18)
  return { status: status ?? '', settlementStatus: settlementStatus ?? null, receivedAtto }
}

/** What ends a charge, and says so. */
const ENDS: readonly string[] = ['confirmed', 'expired', 'underpaid']

/**
 * Law 4, at rest: what has become of a charge, which `findWrongCharges` compares with the chains, was told once, in the
 * order in which it can happen, by events that say of the charge what it was then.
 */
export async function findUntold({ database, charges }: InvariantContext): Promise<readonly string[]> {
  const rows = await database.sql<
    ChargeNow[]
  >`select id, status, settlement_status, received_atto from charges`
  const events = await database.sql<{ id: string; type: string; chargeId: string; data: string }[]>`
    select id, type, charge_id, data from events where category = 'payments' order by number`
  const all = events.map(({ data, ...event }): Told => ({ ...event, data: readCharge(data) }))
  return rows.flatMap((row) => {
    const charge = charges.find(({ id }) => id === row.id)
    if (charge === undefined) return []
    const told = all.filter(({ chargeId }) => chargeId === row.id)
    return [
      ...findWrongCounts(row, { charge, told }),
      ...findWrongOrder(told),
      ...findWrongData(row, { charge, told }),
    ]
  })
}

type OfCharge = { readonly charge: ChargeRecord; readonly told: readonly Told[] }

/** How often each was told, and how often it is to be. */
function findWrongCounts(row: ChargeNow, { charge, told }: OfCharge): readonly string[] {
  const isOverpaid = (row.receivedAtto ?? 0n) > targetOf(charge)
  const [one, none, perhaps] = [[1], [0], [0, 1]]
  const partly = { underpaid: one, expired: none }[row.status] ?? perhaps
  const allowed: Readonly<Record<string, readonly number[]>> = {
    created: one,
    partially_paid: partly,
    ...Object.fromEntries(ENDS.map((end) => [end, row.status === end ? one : none])),
    overpaid: isOverpaid ? one : none,
    settled: row.settlementStatus === 'completed' ? one : none,
    settlement_failed: row.settlementStatus === 'failed' ? one : perhaps,
  }
  return Object.entries(allowed).flatMap(([type, counts]) => {
    const count = told.filter((event) => event.type === `charge.${type}`).length
    return counts.includes(count)
      ? []
      : [`${row.id} is ${row.status}, and charge.${type} was told ${count} times`]
  })
}

/** It is made first, and paid in part before it ends; money and settlement follow each other as they come. */
function findWrongOrder(told: readonly Told[]): readonly string[] {
  const rank = (type: string) =>
    ['created', 'partially_paid', 'end'].indexOf(ENDS.includes(type) ? 'end' : type)
  const ranks = told.map(({ type }) => rank(type.replace('charge.', ''))).filter((each) => each >= 0)
  const isInOrder =
    ranks.every((each, index) => each >= (ranks[index - 1] ?? 0)) && told[0]?.type === 'charge.created'
  return isInOrder ? [] : [`${told[0]?.chargeId} was told of as ${told.map(({ type }) => type).join(', ')}`]
}

/** A turn that credits two says of both events what the charge is at its end (decisions 6.5). */
const AFTER_PART: readonly string[] = ['partially_paid', 'confirmed', 'underpaid']

/** What an event says of its charge: the status that it is told of, and no less money than the one before it. */
function findWrongData(row: ChargeNow, { charge, told }: OfCharge): readonly string[] {
  const target = targetOf(charge)
  return told.flatMap(({ id, type, data }, index) => {
    const what = type.replace('charge.', '')
    const before = told[index - 1]?.data.receivedAtto ?? 0n
    const holds = [
      what === 'created'
        ? data.status === 'pending' && data.receivedAtto === 0n
        : data.receivedAtto >= before,
      !ENDS.includes(what) || data.status === what,
      what !== 'confirmed' || data.receivedAtto >= target,
      what !== 'overpaid' || data.receivedAtto > target,
      what !== 'partially_paid' || (AFTER_PART.includes(data.status) && data.receivedAtto > 0n),
      what !== 'settled' || (data.settlementStatus === 'completed' && data.status === row.status),
      data.receivedAtto <= (row.receivedAtto ?? 0n),
    ].every(Boolean)
    return holds
      ? []
      : [`${id}, ${type} of ${row.id}, says ${data.status}, ${data.settlementStatus}, ${data.receivedAtto}`]
  })
}

function targetOf({ amountMicro }: ChargeRecord): bigint {
  return amountMicro * 10n ** 12n
}
