import type { ChargeView } from '../charge-view.ts'
import { type Arrival, groupBy, type History, type Sighting } from '../history.ts'
import { formatTime, type Rule } from '../rule.ts'
import { canBecome, SETTLEMENT, STATUS, type Transitions } from '../transitions.ts'

type Field = {
  readonly name: 'status' | 'settlementStatus'
  readonly transitions: Transitions
}

const FIELDS: readonly Field[] = [
  { name: 'status', transitions: STATUS },
  { name: 'settlementStatus', transitions: SETTLEMENT },
]

/**
 * A recorded state never changes to a state that cannot follow it. Two states are compared if the second was requested
 * after the first had arrived, if one stream or series of events showed both, or if neither can follow the other.
 */
export const TRANSITIONS: Rule = {
  name: 'statuses change only along the specification',
  find: (history) =>
    FIELDS.flatMap((field) => [
      ...[...groupBy(history.sightings, ({ charge }) => charge.id)].flatMap(([id, seen]) =>
        findImpossible(seen, field).map((text) => `${id}: ${field.name} ${text}`),
      ),
      ...listSequences(history).flatMap((charges) => findSteps(charges, field)),
    ]),
}

type Period = { readonly state: string; seenAtMs: number; askedAtMs: number }

function findImpossible(seen: readonly Sighting[], field: Field): readonly string[] {
  const periods = listPeriods(seen, field)
  const known = periods.filter(({ state }) => state in field.transitions)
  const unknown = periods.filter(({ state }) => !(state in field.transitions))
  return [
    ...unknown.map(({ state }) => `is "${state}", which the specification does not have`),
    ...known.flatMap((one) => known.flatMap((other) => describe(one, other, field))),
  ]
}

function describe(from: Period, to: Period, { transitions }: Field): readonly string[] {
  if (canBecome(transitions, [from.state, to.state])) return []
  const neither = !canBecome(transitions, [to.state, from.state])
  if (neither && from.state < to.state) return [`was both ${from.state} and ${to.state}`]
  if (neither || from.seenAtMs >= to.askedAtMs) return []
  const times = `seen ${formatTime(from.seenAtMs)}, requested ${formatTime(to.askedAtMs)}`
  return [`changed from ${from.state} to ${to.state} (${times})`]
}

/** Returns each state with the time of its first arrival and the time of the last request that showed it. */
function listPeriods(seen: readonly Sighting[], { name }: Field): readonly Period[] {
  const periods = new Map<string, Period>()
  for (const { charge, atMs, fromMs } of seen) {
    const state = String(charge[name])
    const period = periods.get(state) ?? { state, seenAtMs: atMs, askedAtMs: fromMs }
    period.seenAtMs = Math.min(period.seenAtMs, atMs)
    period.askedAtMs = Math.max(period.askedAtMs, fromMs)
    periods.set(state, period)
  }
  return [...periods.values()]
}

/** Lists the charges of each connection, and of each charge's events per channel, in the order of arrival. */
function listSequences({ connections, arrivals }: History): readonly (readonly ChargeView[])[] {
  const byCharge = groupBy(arrivals, ({ organization, channel, charge }) =>
    [organization, channel, charge.id].join(' '),
  )
  const events = [...byCharge.values()].map((some) => listFirst(some).map(({ charge }) => charge))
  return [...connections.values(), ...events]
}

/** Returns the first arrival of each event, in order. */
export function listFirst(arrivals: readonly Arrival[]): readonly Arrival[] {
  return [...groupBy(arrivals, ({ id }) => id).values()].flatMap((some) => some.slice(0, 1))
}

function findSteps(charges: readonly ChargeView[], { name, transitions }: Field): readonly string[] {
  return charges.slice(1).flatMap((charge, at) => {
    const [from, to] = [String(charges[at]?.[name]), String(charge[name])]
    if (canBecome(transitions, [from, to])) return []
    return [`${charge.id}: ${name} changed from ${from} to ${to} in one stream or series of events`]
  })
}
