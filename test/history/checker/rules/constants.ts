import { type ChargeView, readReceived, readTarget } from '../charge-view.ts'
import { groupBy, type Sighting } from '../history.ts'
import { formatTime, type Rule } from '../rule.ts'

const CONSTANT = ['address', 'amountExact', 'createdAt', 'expiresAt', 'externalRef'] as const
const SET_ONCE = ['confirmedAt', 'settledAt'] as const

/**
 * A charge's terms never change, its times are set once, and its received amount never falls. Its times, received
 * amount and `isOverpaid` agree with its statuses and amount.
 */
export const CONSTANTS: Rule = {
  name: 'the terms and times of a charge never change',
  find: ({ sightings }) => [
    ...[...groupBy(sightings, ({ charge }) => charge.id)].flatMap(([id, seen]) =>
      [...findChanges(seen), ...findFalls(seen)].map((text) => `${id}: ${text}`),
    ),
    ...new Set(sightings.flatMap(({ charge }) => findContradictions(charge))),
  ],
}

function findChanges(seen: readonly Sighting[]): readonly string[] {
  return [...CONSTANT, ...SET_ONCE].flatMap((field) => {
    const isSetOnce = SET_ONCE.some((one) => one === field)
    const values = new Set(
      seen.map(({ charge }) => charge[field]).filter((value) => !(isSetOnce && value === null)),
    )
    return values.size > 1 ? [`${field} had ${values.size} values: ${[...values].join(', ')}`] : []
  })
}

function findFalls(seen: readonly Sighting[]): readonly string[] {
  const arrived = seen.toSorted((one, other) => one.atMs - other.atMs)
  const requested = seen.toSorted((one, other) => one.fromMs - other.fromMs)
  let [highest, next] = [0n, 0]
  return requested.flatMap(({ charge, fromMs }) => {
    for (; (arrived[next]?.atMs ?? Number.POSITIVE_INFINITY) < fromMs; next += 1) {
      const amount = readReceived((arrived[next] as Sighting).charge)
      if (amount > highest) highest = amount
    }
    if (readReceived(charge) >= highest) return []
    return [`the received amount fell to ${charge.amountReceivedExact} at ${formatTime(fromMs)}`]
  })
}

function findContradictions(charge: ChargeView): readonly string[] {
  const { status, settlementStatus, confirmedAt, settledAt, isOverpaid } = charge
  const received = readReceived(charge)
  const isEnough = received >= readTarget(charge)
  const problems = [
    (status === 'confirmed') !== (confirmedAt !== null) && `is ${status} with confirmedAt ${confirmedAt}`,
    (settlementStatus === 'completed') !== (settledAt !== null) &&
      `has settlement ${settlementStatus} with settledAt ${settledAt}`,
    status === 'confirmed' && !isEnough && `is confirmed with ${charge.amountReceivedExact}`,
    isOverpaid !== received > readTarget(charge) &&
      `has isOverpaid ${isOverpaid} with ${charge.amountReceivedExact} of ${charge.amountExact}`,
  ]
  return problems.flatMap((problem) => (problem === false ? [] : [`${charge.id} ${problem}`]))
}
