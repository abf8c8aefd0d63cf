import type { ChargeView } from '../charge-view.ts'
import { listFinalCharges } from '../final-state.ts'
import { type Arrival, groupBy, type History } from '../history.ts'
import type { Rule } from '../rule.ts'
import { canBecome, SETTLEMENT, STATUS } from '../transitions.ts'
import { listFirst } from './transitions.ts'

/**
 * The specification's charge events, except escrow and refund events, with the state that each event reports. Each
 * event happens at most once per charge.
 */
const STATES: Readonly<Record<string, Partial<Pick<ChargeView, 'status' | 'settlementStatus'>>>> = {
  'charge.created': { status: 'pending' },
  'charge.partially_paid': { status: 'partially_paid' },
  'charge.confirmed': { status: 'confirmed' },
  'charge.expired': { status: 'expired' },
  'charge.underpaid': { status: 'underpaid' },
  'charge.overpaid': {},
  'charge.settled': { settlementStatus: 'completed' },
  'charge.settlement_failed': { settlementStatus: 'failed' },
}

/** For each event, the events that must arrive earlier if they exist. */
const LATER_THAN: Readonly<Record<string, readonly string[]>> = {
  'charge.partially_paid': ['charge.created'],
  'charge.confirmed': ['charge.created', 'charge.partially_paid'],
  'charge.expired': ['charge.created'],
  'charge.underpaid': ['charge.created', 'charge.partially_paid'],
  'charge.overpaid': ['charge.created'],
  'charge.settled': ['charge.created', 'charge.confirmed', 'charge.expired', 'charge.underpaid'],
}

const CHANNELS = ['webhook', 'stream'] as const

/** Every event arrives by webhook and in the stream, always with the same bytes. A charge's events arrive in order. */
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

/**
 * An event contains the charge at the time of the commit. Several events can be committed together, so the charge has
 * the event's state or a later state.
 */
function findUntrue({ arrivals }: History): readonly string[] {
  const texts = arrivals
    .filter((arrival) => !isTrue(arrival))
    .map(({ id, type, charge }) => {
      const { status, settlementStatus, isOverpaid } = charge
      const excess = isOverpaid ? 'overpaid' : 'not overpaid'
      return `${id} is ${type}, but its charge is ${status}, ${settlementStatus}, ${excess}`
    })
  return [...new Set(texts)]
}

function isTrue({ type, charge }: Arrival): boolean {
  const state = STATES[type]
  if (state === undefined) return false
  const { status = charge.status, settlementStatus = charge.settlementStatus } = state
  const isStatus = canBecome(STATUS, [status, charge.status])
  const isSettlement = canBecome(SETTLEMENT, [String(settlementStatus), String(charge.settlementStatus)])
  return isStatus && isSettlement && (type !== 'charge.overpaid' || charge.isOverpaid)
}

/** An event that arrived through one channel, or that the final state implies, must arrive through both channels. */
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

/** Each channel must show the events of a charge in an allowed order, and both channels in the same order. */
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
