import type { ChargeView } from '../charge-view.ts'
import { listFinalCharges } from '../final-state.ts'
import { type Arrival, groupBy, type History } from '../history.ts'
import type { Rule } from '../rule.ts'
import { listFirst } from './transitions.ts'

/**
 * The specification's events of a charge without escrow and refunds, in an order in which they can happen: the charge in
 * an event has the event's state. Each happens at most once.
 */
const STATES: Readonly<Record<string, (charge: ChargeView) => boolean>> = {
  'charge.created': ({ status }) => status === 'pending',
  'charge.partially_paid': ({ status }) => status === 'partially_paid',
  'charge.confirmed': ({ status }) => status === 'confirmed',
  'charge.expired': ({ status }) => status === 'expired',
  'charge.underpaid': ({ status }) => status === 'underpaid',
  'charge.overpaid': ({ isOverpaid }) => isOverpaid,
  'charge.settled': ({ settlementStatus }) => settlementStatus === 'completed',
  'charge.settlement_failed': ({ settlementStatus }) => settlementStatus === 'failed',
}

/** Events that must arrive after these, if both exist. */
const LATER_THAN: Readonly<Record<string, readonly string[]>> = {
  'charge.partially_paid': ['charge.created'],
  'charge.confirmed': ['charge.created', 'charge.partially_paid'],
  'charge.expired': ['charge.created'],
  'charge.underpaid': ['charge.created', 'charge.partially_paid'],
  'charge.overpaid': ['charge.created'],
  'charge.settled': ['charge.created', 'charge.confirmed', 'charge.expired', 'charge.underpaid'],
}

const CHANNELS = ['webhook', 'stream'] as const

/**
 * Every event arrives at least once at the webhook and in the stream, always with the same bytes, and each charge's
 * events arrive in their order.
 */
export const EVENTS: Rule = {
  name: 'every event arrives, unchanged and in order',
  find: (history) => [
    ...findChanged(history),
    ...findRepeated(history),
    ...findUntrue(history),
    ...findMissing(history),
    ...findDisorder(history),
  ],
}

function findChanged({ arrivals }: History): readonly string[] {
  return [...groupBy(arrivals, ({ id }) => id)].flatMap(([id, some]) => {
    const texts = new Set(some.map(({ text }) => text))
    return texts.size > 1 ? [`${id} arrived with ${texts.size} different texts`] : []
  })
}

function findRepeated({ arrivals }: History): readonly string[] {
  return [...groupBy(arrivals, ({ type, charge }) => `${type} of ${charge.id}`)].flatMap(([name, some]) => {
    const ids = new Set(some.map(({ id }) => id))
    return ids.size > 1 ? [`${name} has ${ids.size} ids: ${[...ids].join(', ')}`] : []
  })
}

function findUntrue({ arrivals }: History): readonly string[] {
  const untrue = arrivals.filter(({ type, charge }) => !(STATES[type]?.(charge) ?? false))
  const texts = untrue.map(
    ({ id, type, charge }) =>
      `${id} is ${type}, but its charge is ${charge.status}, ${charge.settlementStatus}`,
  )
  return [...new Set(texts)]
}

/** An event that arrived through one channel, or that the final state implies, must arrive through both. */
function findMissing(history: History): readonly string[] {
  const arrived = groupBy(history.arrivals, ({ charge }) => charge.id)
  const implied = new Map(listFinalCharges(history).map(({ value }) => [value.id, listImplied(value)]))
  return [...new Set([...arrived.keys(), ...implied.keys()])].flatMap((chargeId) => {
    const some = arrived.get(chargeId) ?? []
    const types = new Set([...some.map(({ type }) => type), ...(implied.get(chargeId) ?? [])])
    return CHANNELS.flatMap((channel) => {
      const here = new Set(some.filter((one) => one.channel === channel).map(({ type }) => type))
      const missing = [...types].filter((type) => !here.has(type))
      return missing.map((type) => `${type} of ${chargeId} did not arrive by ${channel}`)
    })
  })
}

function listImplied(charge: ChargeView): readonly string[] {
  const { status, settlementStatus, isOverpaid } = charge
  return [
    'charge.created',
    ...(status === 'pending' ? [] : [`charge.${status}`]),
    ...(settlementStatus === 'completed' ? ['charge.settled'] : []),
    ...(isOverpaid ? ['charge.overpaid'] : []),
  ]
}

/** Each channel shows the events of a charge in their order, and both channels in the same order. */
function findDisorder({ arrivals }: History): readonly string[] {
  return [...groupBy(arrivals, ({ charge }) => charge.id)].flatMap(([chargeId, some]) => {
    const [webhook = [], stream = []] = CHANNELS.map((channel) =>
      listFirst(some.filter((one) => one.channel === channel)),
    )
    const both = webhook.filter(({ id }) => stream.some((one) => one.id === id)).map(({ type }) => type)
    const same = stream.filter(({ id }) => webhook.some((one) => one.id === id)).map(({ type }) => type)
    const differ = both.join() !== same.join()
    return [
      ...[webhook, stream].flatMap(findEarly).map((text) => `${chargeId}: ${text}`),
      ...(differ ? [`${chargeId}: webhooks show ${both.join(', ')}, the stream ${same.join(', ')}`] : []),
    ]
  })
}

function findEarly(first: readonly Arrival[]): readonly string[] {
  const types = first.map(({ type }) => type)
  return types.flatMap((type, at) =>
    (LATER_THAN[type] ?? [])
      .filter((earlier) => types.indexOf(earlier) > at)
      .map((earlier) => `${type} arrived before ${earlier} (${first[at]?.channel})`),
  )
}
