import { formatUnits } from 'viem'
import type { ChargeView } from '../charge-view.ts'
import { compareBags } from '../compare-bags.ts'
import { filterDeepAtLeast } from '../depth.ts'
import { listFinalCharges, listFinalTimelines } from '../final-state.ts'
import { groupBy, type History, readAtto } from '../history.ts'
import type { Rule } from '../rule.ts'
import { listPayments } from './credits.ts'

type Distribution = History['distributions'][number]
type Log = Parameters<typeof readAtto>[1]

/**
 * Every payment of a settled charge is distributed once, to the recipients in the charge's address terms and the
 * distributor. The timeline shows only distributions on the chain, and every distribution at confirmation depth.
 */
export const DISTRIBUTIONS: Rule = {
  name: 'every payment is distributed exactly once',
  find: (history) => {
    const bySplit = groupBy(history.distributions, ({ split }) => split.toLowerCase())
    const charges = listFinalCharges(history).map(({ value }) => value)
    const payments = listPayments(history)
    const find = ({ address }: ChargeView) => bySplit.get(address.toLowerCase()) ?? []
    return [
      ...charges.flatMap((charge) =>
        findWrongSums(history, charge, { paid: payments.get(charge.id) ?? [], distributed: find(charge) }),
      ),
      ...findStrangers(history, charges, find),
      ...findWrongTimelines(history, new Map(charges.map((charge) => [charge.id, find(charge)]))),
    ]
  },
}

function findWrongSums(
  history: History,
  charge: ChargeView,
  logs: { readonly paid: readonly Log[]; readonly distributed: readonly Log[] },
): readonly string[] {
  return charge.acceptedPayments.flatMap(({ token, network }) => {
    const isPair = (one: { token: string; network: string }) => one.token === token && one.network === network
    const [into, out] = [logs.paid.filter(isPair), logs.distributed.filter(isPair)]
    const [received, distributed] = [sum(history, into), sum(history, out)]
    const amounts = `${formatUnits(distributed, 18)} of ${formatUnits(received, 18)} ${token} on ${network}`
    const isWrong = charge.settlementStatus === 'completed' && distributed !== received
    return [
      ...(isWrong ? [`${charge.id} is settled, and has distributed ${amounts}`] : []),
      ...(out.length > into.length ? [`${charge.id} has distributed ${out.length} times ${amounts}`] : []),
    ]
  })
}

function sum(history: History, logs: readonly Log[]): bigint {
  return logs.reduce((total, one) => total + readAtto(history, one), 0n)
}

/** Finds transfers from a split to an account that is neither a recipient in the terms nor a distributor. */
function findStrangers(
  { transfers }: History,
  charges: readonly ChargeView[],
  find: (charge: ChargeView) => readonly Distribution[],
): readonly string[] {
  const bySender = groupBy(transfers, ({ from }) => from.toLowerCase())
  return charges.flatMap((charge) => {
    const named = [
      ...charge.addressTerms.recipients,
      ...find(charge).map(({ distributor: address }) => ({ address })),
    ]
    const known = new Set(named.map(({ address }) => address.toLowerCase()))
    return (bySender.get(charge.address.toLowerCase()) ?? [])
      .filter(({ to }) => !known.has(to.toLowerCase()))
      .map(({ to, txHash }) => `${charge.id} paid ${to} by ${txHash}, an account that its terms do not name`)
  })
}

function findWrongTimelines(
  history: History,
  distributions: ReadonlyMap<string, readonly Distribution[]>,
): readonly string[] {
  const describe = (one: { network: string | null; token: string | null; txHash: string | null }) =>
    `${one.token} on ${one.network} by ${one.txHash}`
  const toText = (one: Distribution) => `${formatUnits(readAtto(history, one), 18)} ${describe(one)}`
  return listFinalTimelines(history).flatMap(({ chargeId, value }) => {
    const onChain = distributions.get(chargeId) ?? []
    const deep = filterDeepAtLeast(history, onChain, history.quietAtMs ?? 0)
    const shown = value
      .filter(({ type }) => type === 'split.distributed')
      .map((one) => `${one.amountExact} ${describe(one)}`)
    return [
      ...compareBags(shown, onChain.map(toText)).map((one) => `${chargeId} shows a distribution of ${one}`),
      ...compareBags(deep.map(toText), shown).map(
        (one) => `${chargeId} does not show the distribution of ${one}`,
      ),
    ]
  })
}
