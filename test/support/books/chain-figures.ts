import { parseUnits } from 'viem'
import type { Schema } from '../../../api/client/schema.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { type Pair, pairKey } from '../../../shared/domain/networks.ts'
import { addressOf } from '../random-terms.ts'
import { addFigure, type Figures } from './figures.ts'
import type { LoggedTransfer, MoneyChain } from './money-chain.ts'

type Charge = Schema<'Charge'>

/** The transfers of a chain's token, indexed by both sender and recipient. */
type Ledger = { readonly chain: MoneyChain; readonly token: Pair['token']; readonly of: TransfersOf }
type TransfersOf = (account: Address) => readonly LoggedTransfer[]

/**
 * Returns the amounts that charges received, paid and kept, according to the tokens' logs and the balances of the
 * charges' splits and Safes. Only the sales are taken from the API's charges.
 */
export async function readChainFigures(
  charges: readonly Charge[],
  chains: readonly MoneyChain[],
): Promise<Figures> {
  const figures: Figures = new Map()
  for (const chain of chains)
    for (const token of chain.tokens) {
      const ledger = { chain, token, of: indexTransfers(await chain.listTransfers(token)) }
      for (const charge of charges) await addCharge(figures, charge, ledger)
    }
  for (const charge of charges) addSale(figures, charge)
  return figures
}

async function addCharge(figures: Figures, charge: Charge, { chain, token, of }: Ledger): Promise<void> {
  const pair = pairKey({ token, network: chain.network })
  if (!charge.acceptedPayments.some((accepted) => pairKey(accepted) === pair)) return
  const paidAt = addressOf(charge.address)
  const split = addressOf(charge.addressTerms.splitAddress)
  const own = [...new Set([paidAt, split])]
  const add = (what: string, amountAtto: bigint) =>
    addFigure(figures, { chargeId: charge.id, pair, what }, amountAtto)
  for (const { from, to, amountAtto } of new Set(own.flatMap(of))) {
    if (to === paidAt && !own.includes(from)) add('received', amountAtto)
    if (to === split && split !== paidAt && !own.includes(from)) add('uncredited', amountAtto)
    if (from === split && to !== split) add(`paid ${to}`, amountAtto)
    if (from === paidAt && paidAt !== split && to !== split) add('refunded', amountAtto)
  }
  for (const account of own) add('left', await chain.readBalance(token, account))
}

/** Adds the charge's amount as a sale if it is confirmed without an escrow, or its escrow is released. */
function addSale(figures: Figures, charge: Charge): void {
  const { escrow, status, amountExact } = charge
  const isEarned = escrow === null ? status === 'confirmed' : escrow.releasedAt !== null
  if (isEarned)
    addFigure(figures, { chargeId: charge.id, pair: 'all', what: 'sold' }, parseUnits(amountExact ?? '0', 18))
}

function indexTransfers(transfers: readonly LoggedTransfer[]): TransfersOf {
  const index = new Map<Address, LoggedTransfer[]>()
  for (const transfer of transfers)
    for (const account of new Set([transfer.from, transfer.to]))
      index.set(account, [...(index.get(account) ?? []), transfer])
  return (account) => index.get(account) ?? []
}
