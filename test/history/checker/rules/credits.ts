import { formatUnits } from 'viem'
import { type ChargeView, type Pair, readReceived, readTarget } from '../charge-view.ts'
import { compareBags } from '../compare-bags.ts'
import { filterDeepAtLeast, filterDeepAtMost } from '../depth.ts'
import { listFinalCharges, listFinalTimelines, type TimelineEntry } from '../final-state.ts'
import { groupBy, type History, readAtto } from '../history.ts'
import { formatTime, type Rule } from '../rule.ts'
import { STATUS } from '../transitions.ts'

type Transfer = History['transfers'][number]

/**
 * A charge never shows more than the sum of its accepted transfers that could have been at confirmation depth when it
 * was read. Only transfers in the final canonical chain count. The final read shows exactly these transfers, and a
 * status that follows from the transfers before the deadline.
 */
export const CREDITS: Rule = {
  name: 'a charge is credited with exactly the transfers at confirmation depth',
  find: (history) => {
    const payments = listPayments(history)
    return [
      ...findEarly(history, payments),
      ...listFinalCharges(history).flatMap(({ value, atMs }) =>
        checkFinal(history, { charge: value, atMs, paid: payments.get(value.id) ?? [] }),
      ),
      ...findWrongTimelines(history, payments),
    ]
  },
}

/** By charge id, the charge's accepted transfers: in one of its pairs, and not from its own address. */
type Payments = ReadonlyMap<string, readonly Transfer[]>

/** Lists the accepted transfers of each recorded charge on the canonical chains. */
export function listPayments(history: History): Payments {
  const byReceiver = groupBy(history.transfers, ({ to }) => to.toLowerCase())
  const charges = new Map(history.sightings.map(({ charge }) => [charge.id, charge]))
  return new Map(
    [...charges.values()].map((charge) => {
      const address = charge.address.toLowerCase()
      const received = byReceiver.get(address) ?? []
      const isAccepted = (one: Transfer) => isAmong(one, charge.acceptedPayments)
      return [
        charge.id,
        received.filter((one) => isAccepted(one) && one.from.toLowerCase() !== address),
      ] as const
    }),
  )
}

function findEarly(history: History, payments: Payments): readonly string[] {
  const early = history.sightings.flatMap(({ charge, atMs }) => {
    const deep = filterDeepAtMost(history, payments.get(charge.id) ?? [], atMs)
    const most = sum(history, deep)
    if (readReceived(charge) <= most) return []
    const shown = `shows ${charge.amountReceivedExact} at ${formatTime(atMs)}`
    return [[charge.id, `${charge.id} ${shown}, but the chain ${formatUnits(most, 18)} at depth`] as const]
  })
  return [...new Map(early.toReversed()).values()]
}

type Final = { readonly charge: ChargeView; readonly atMs: number; readonly paid: readonly Transfer[] }

function checkFinal(history: History, { charge, atMs, paid }: Final): readonly string[] {
  const [least, most] = [deepAtEnd(history, paid), filterDeepAtMost(history, paid, atMs)]
  const received = readReceived(charge)
  const problems: string[] = []
  if (received < sum(history, least) || received > sum(history, most))
    problems.push(`received ${charge.amountReceivedExact}, but the chain shows ${describe(history, least)}`)
  if (least.length < most.length) return problems.map((text) => `${charge.id} ${text}`)
  const status = deriveStatus(history, charge, least)
  // The rule `ENDINGS` reports a charge without a final status.
  if (status !== charge.status && STATUS[charge.status]?.length === 0)
    problems.push(`is ${charge.status}, but its transfers in time make it ${status}`)
  const pairs = [...new Set(least.map(toPairText))]
  if (charge.paidWith.map(toPairText).toSorted().join() !== pairs.toSorted().join())
    problems.push(`shows paidWith ${charge.paidWith.map(toPairText).join(', ')}, not ${pairs.join(', ')}`)
  return problems.map((text) => `${charge.id} ${text}`)
}

/** Derives a charge's final status. A transfer is in time if its block's timestamp is before the deadline. */
function deriveStatus(history: History, charge: ChargeView, paid: readonly Transfer[]): string {
  const deadlineMs = Date.parse(charge.expiresAt)
  const inTime = sum(
    history,
    paid.filter(({ timestamp }) => timestamp * 1000 < deadlineMs),
  )
  if (inTime >= readTarget(charge)) return 'confirmed'
  return inTime > 0n ? 'underpaid' : 'expired'
}

function findWrongTimelines(history: History, payments: Payments): readonly string[] {
  return listFinalTimelines(history).flatMap(({ chargeId, atMs, value }) => {
    const paid = payments.get(chargeId) ?? []
    const toText = (one: Transfer) => describeTransfer(one, formatUnits(readAtto(history, one), 18))
    const shown = value.filter(isCredited).map((one) => describeTransfer(one, one.amountExact))
    const least = deepAtEnd(history, paid).map(toText)
    const most = filterDeepAtMost(history, paid, atMs).map(toText)
    return [
      ...value.filter(isCredited).flatMap((one) => findEarlyCredit(history, one, paid)),
      ...compareBags(shown, most).map((one) => `was credited with ${one}, which is not at depth`),
      ...compareBags(least, shown).map((one) => `was not credited with ${one}`),
    ].map((text) => `${chargeId} ${text}`)
  })
}

/** Maximum difference between the database's clock and the record's clock. */
const CLOCKS_DIFFER_BY_MS = 500

/** Reports a credit whose time is before the transfer's block could have been at confirmation depth. */
function findEarlyCredit(
  history: History,
  { network, token, txHash, creditedAt }: TimelineEntry,
  paid: readonly Transfer[],
): readonly string[] {
  const isThis = (one: Transfer) => one.network === network && one.token === token && one.txHash === txHash
  const transfer = paid.find(isThis)
  const atMs = Date.parse(creditedAt ?? '') + CLOCKS_DIFFER_BY_MS
  if (transfer === undefined || filterDeepAtMost(history, [transfer], atMs).length > 0) return []
  return [`was credited with ${txHash} at ${creditedAt}, before block ${transfer.block} was at depth`]
}

function isCredited({ type, creditedAt }: TimelineEntry): boolean {
  return type === 'transaction.detected' && typeof creditedAt === 'string'
}

function describeTransfer(
  { network, token, txHash }: Pick<TimelineEntry, 'network' | 'token' | 'txHash'>,
  amount: string | undefined,
): string {
  return `${amount} ${token} on ${network} by ${txHash}`
}

function deepAtEnd(history: History, paid: readonly Transfer[]): readonly Transfer[] {
  return filterDeepAtLeast(history, paid, history.quietAtMs ?? 0)
}

function sum(history: History, transfers: readonly Transfer[]): bigint {
  return transfers.reduce((total, one) => total + readAtto(history, one), 0n)
}

function describe(history: History, transfers: readonly Transfer[]): string {
  return `${formatUnits(sum(history, transfers), 18)} in ${transfers.length} transfers`
}

function isAmong({ token, network }: Pair, pairs: readonly Pair[]): boolean {
  return pairs.some((pair) => pair.token === token && pair.network === network)
}

function toPairText({ token, network }: Pair): string {
  return `${token}/${network}`
}
