import type { BookedRow, BooksSum } from '../../../shared/db/accounting/api/charge-books.ts'
import { getSplitRole, ROLE_ACCOUNTS } from '../../../shared/domain/accounting/split-roles.ts'
import type { Address } from '../../../shared/domain/address.ts'
import {
  presentAddress,
  presentTransactionHash,
} from '../../../shared/domain/chain-families/chain-families.ts'
import type { ChargeRecord } from '../../../shared/domain/charge.ts'
import { invariant } from '../../../shared/domain/errors.ts'

/** The figures of one pair, in units of 10^-18 of the pair's token. */
export type PairFigures = ReturnType<typeof computeFigures>

/** A pair's sums and figures, and its listed payments and payouts. */
export type PairBooks = {
  readonly sums: readonly BooksSum[]
  readonly rows: readonly BookedRow[]
  readonly figures: PairFigures
}

/**
 * Returns the figures of one pair.
 *
 * @throws {Error} unless `received` plus `uncredited` is exactly the sum of the parts
 */
export function computeFigures(sums: readonly BooksSum[]) {
  const of = (account: BooksSum['account'], kind?: BooksSum['kind']) =>
    sums
      .filter((sum) => sum.account === account && (kind === undefined || sum.kind === kind))
      .reduce((total, { amountAtto }) => total + amountAtto, 0n)
  const refunded = -of('wallet', 'refund')
  // `net` is the amount paid to the merchant's address, including amounts refunded later from the merchant's wallet.
  const paid = {
    net: of('wallet') + refunded,
    fee: of('fee'),
    incentive: of('incentive'),
    otherShares: of('share'),
  }
  const kept = { held: of('held'), pending: of('clearing') + of('escrow'), rounding: of('rounding') }
  const received = -of('liability', 'payment')
  const uncredited = -of('uncredited') - of('escrow_uncredited')
  const parts = { ...paid, ...kept, escrowRefunded: of('liability', 'escrow') }
  const whole = Object.values(parts).reduce((total, part) => total + part, 0n)
  invariant(
    whole === received + uncredited,
    `the parts of a pair sum to ${whole} instead of ${received} received and ${uncredited} uncredited`,
  )
  return {
    received,
    ...parts,
    walletRefunded: refunded,
    uncredited,
    distributed: -of('clearing', 'other') - of('uncredited', 'other'),
  }
}

/** Returns the JSON of one pair. */
export function presentPair(
  charge: ChargeRecord,
  { sums, rows, figures }: PairBooks,
  recipientIds: ReadonlyMap<string, string>,
) {
  const [first] = sums
  invariant(first !== undefined, `a pair of charge ${charge.id} has no sums`)
  const { network, token, decimals, tokenAddress, chainId } = first
  const show = (atto: bigint) => String(atto / 10n ** BigInt(18 - decimals))
  const address = (one: Address | null) => one && presentAddress(one, charge.family)
  const payments = rows.filter(({ category }) => category === 'payment')
  return {
    ...{ network, token, decimals, tokenAddress: address(tokenAddress), simulated: chainId === null },
    ...Object.fromEntries(Object.entries(figures).map(([name, atto]) => [`${name}Atomic`, show(atto)])),
    shares: presentShares(charge, { sums, recipientIds, show }),
    payers: [...new Set(payments.flatMap(({ party }) => address(party) ?? []))],
    payments: payments.map((row) => ({
      ...{ txHash: presentTransactionHash(row.txHash, charge.family), amountAtomic: show(row.amountAtto) },
      ...{ sender: address(row.party), block: row.blockNumber, blockTime: row.postedAt },
      ...{ creditedAt: row.countedAt, onTime: row.postedAt < charge.expiresAt },
    })),
    payouts: rows
      .filter(({ category }) => category === 'payout')
      .map((row) => ({
        ...{ txHash: presentTransactionHash(row.txHash, charge.family), amountAtomic: show(row.amountAtto) },
        ...{ distributor: address(row.party), incentiveToDistributor: row.hasIncentive },
        ...{ block: row.blockNumber, blockTime: row.postedAt },
      })),
  }
}

type Shown = {
  readonly sums: readonly BooksSum[]
  readonly recipientIds: ReadonlyMap<string, string>
  readonly show: (atto: bigint) => string
}

/** Returns one share per address: the sums are per address, but the terms can list an address twice. */
function presentShares(charge: ChargeRecord, { sums, recipientIds, show }: Shown) {
  return [...new Set(charge.splitTerms.recipients)].map((recipient) => {
    const kind = getSplitRole(charge, recipient)
    const of = (account: BooksSum['account']) =>
      sums
        .filter((sum) => sum.account === account && sum.party === recipient)
        .reduce((total, { amountAtto }) => total + amountAtto, 0n)
    const named =
      kind === 'recipient' ? charge.splitRecipients.find((one) => one.address === recipient) : undefined
    return {
      ...{ address: presentAddress(recipient, charge.family), kind },
      recipientId: kind === 'recipient' ? (recipientIds.get(recipient) ?? null) : null,
      label: named?.label ?? null,
      ...{ amountAtomic: show(of(ROLE_ACCOUNTS[kind])), heldAtomic: show(of('held')) },
    }
  })
}
