import type { Address } from '../../../shared/domain/address.ts'
import { presentAddress } from '../../../shared/domain/chain-families/chain-families.ts'
import { formatDecimal } from '../../../shared/domain/decimal.ts'
import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import { table } from '../../../shared/runtime/command-line.ts'
import { formatShare } from '../format-share.ts'
import { sumMaxCost } from './cost-limit.ts'
import { listEscrows } from './escrow-order.ts'
import type { ExitCharge } from './exit-charge.ts'
import type { KnownToken } from './known-chains.ts'
import type { Payment } from './payment.ts'
import { getOwnShare } from './payment-worth.ts'
import type { ChainPlan, UnreadChain } from './plan-chain.ts'
import type { Archive } from './read-archive.ts'
import type { PayoutAddresses } from './select-charges.ts'

/** The findings of `svc exit`, which pays out archived charges without the service. */
export type ExitReport = {
  readonly archive: Archive
  /** Charges whose terms name a payout address of the merchant. */
  readonly charges: readonly ExitCharge[]
  readonly skipped: readonly ExitCharge[]
  readonly payouts: PayoutAddresses
  /** Splits of escrows that the user has confirmed. */
  readonly escrowSplits: readonly Address[]
  readonly plans: readonly ChainPlan[]
  readonly unread: readonly UnreadChain[]
  /** Hosts of nodes that did not respond. */
  readonly silent: readonly string[]
  /** Limits of the total cost that the user set, by chain name. */
  readonly maxCosts: ReadonlyMap<string, bigint>
}

/** Returns the user's limit for a chain, or else the payments' maximum cost, in the smallest unit of the coin. */
export function getMaxCost({ chain, payable }: ChainPlan, maxCosts: ExitReport['maxCosts']): bigint {
  return maxCosts.get(chain.name) ?? sumMaxCost(payable)
}

/** Returns the report as lines of text: charges, escrows, the reasons for unsent payments, and totals. */
export function describeExit(report: ExitReport): readonly string[] {
  const { archive, charges, skipped } = report
  return [
    `${archive.charges.length} charges in the archive: ${charges.length} pay you, ${skipped.length} skipped, ${archive.rejectedCount} records rejected, ${archive.otherCount} not about charges.`,
    ...section('', table([HEADINGS, ...charges.flatMap((charge) => listRows(report, charge))])),
    ...section(
      'Skipped, because the terms do not name a --payout address:',
      listFirst(skipped.map(describeSkipped), skipped.length),
    ),
    ...section(
      'Rejected records:',
      listFirst(
        archive.rejected.map(({ where, reason }) => `${where}: ${reason}`),
        archive.rejectedCount,
      ),
    ),
    ...section('Money in escrow, which only the releaser can move:', describeEscrows(report)),
    ...section(
      'Skipped payments that are not worth their gas:',
      report.plans.flatMap(({ chain, skipped }) =>
        skipped.map((payment) => `${describePayment(payment)} on ${chain.name}: ${payment.reason}`),
      ),
    ),
    ...section('Cannot be paid now:', describeBlocked(report)),
    ...section('NOT READ, so money there may be missing from this list:', describeUnread(report)),
    ...section('Totals:', describeTotals(report)),
  ]
}

/** Maximum lines of a list. Strangers can add many records to an archive, and the sections below matter more. */
const MAX_LISTED = 100

function listFirst(lines: readonly string[], count: number): readonly string[] {
  const first = lines.slice(0, MAX_LISTED)
  return count > first.length ? [...first, `and ${count - first.length} more`] : first
}

function describeSkipped({ id, split, family }: ExitCharge): string {
  const [first] = split.recipients
  return `${id} pays ${first === undefined ? 'no recipient' : presentAddress(first, family)}`
}

const HEADINGS = ['charge', 'chain', 'token', 'to pay out', 'held', 'in escrow', 'distributed so far', 'gas']

function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  return title === '' ? ['', ...lines] : ['', title, ...lines.map((line) => `  ${line}`)]
}

function listRows({ plans }: ExitReport, charge: ExitCharge): readonly (readonly string[])[] {
  const rows = plans.flatMap((plan) => listRowsOfChain(plan, charge))
  return rows.length > 0 ? rows : [[charge.id, 'nothing']]
}

function listRowsOfChain(plan: ChainPlan, charge: ExitCharge) {
  const { chain, holdings, distributed } = plan
  return [...chain.tokens, chain.coin].flatMap((token) => {
    const holding = holdings.find((one) => one.charge === charge && one.token === token)
    const paid = distributed?.find(
      (one) => one.splitAddress === charge.splitAddress && one.token === token.address,
    )
    if (charge.family !== chain.family || (holding === undefined && paid === undefined)) return []
    const held = holding?.held.reduce((sum, { amount }) => sum + amount, 0n)
    const amounts = [holding?.distributable, held, holding?.inEscrow].map((one) => format(one ?? 0n, token))
    const before = distributed === null ? 'unknown' : format(paid?.amount ?? 0n, token)
    return [[charge.id, chain.name, token.symbol, ...amounts, before, formatGas(plan, { charge, token })]]
  })
}

/** Returns the likely cost of paying out one token of a charge, in the chain's coin. */
function formatGas({ chain, payable }: ChainPlan, of: Pick<Payment, 'charge' | 'token'>): string {
  const own = payable.filter(({ charge, token }) => charge === of.charge && token === of.token)
  const cost = own.reduce((sum, payment) => sum + payment.cost, 0n)
  return cost === 0n ? '' : `${format(cost, chain.coin)} ${chain.coin.symbol}`
}

function describeEscrows({ plans, escrowSplits }: ExitReport): readonly string[] {
  return plans.flatMap((plan) =>
    listEscrows(plan, escrowSplits).map(({ holding, order }) => {
      const { charge, token, inEscrow } = holding
      const { id, family, address, splitAddress, releaser } = charge
      const [safe, split] = [address, splitAddress].map((one) => presentAddress(one, family))
      const who = releaser === null ? '' : presentAddress(releaser, family)
      const where = `${id}: ${format(inEscrow, token)} ${token.symbol} on ${plan.chain.name} in the Safe ${safe} of ${who}`
      const shares = `the split ${split} pays ${describeShares(charge)}`
      if (token.address === NATIVE_COIN) return `${where}: the releaser must send it; ${shares}`
      return order === null
        ? `${where}: not signed by the service; ${shares}. Only if these are your terms, pass --escrow-split ${split}`
        : `${where}: the releaser must sign the Safe transaction ${order.safeTxHash} (nonce ${order.transaction.nonce}), a transfer to the split; ${shares}`
    }),
  )
}

function describeShares({ split, family }: ExitCharge): string {
  return split.recipients
    .map((one, index) => `${presentAddress(one, family)} ${formatShare(split.allocations[index] ?? 0)}`)
    .join(', ')
}

function describeBlocked({ plans }: ExitReport): readonly string[] {
  return plans.flatMap(({ chain, blocked }) =>
    blocked.map((payment) => `${describePayment(payment)} on ${chain.name}: ${payment.reason}`),
  )
}

function describeUnread({ plans, unread, silent }: ExitReport): readonly string[] {
  return [
    ...plans.flatMap(({ chain, problems }) => problems.map((problem) => `${chain.name}: ${problem}`)),
    ...unread.map(({ chain, problem }) => `${chain.name}: ${problem}`),
    ...silent.map((host) => `the chain of ${host}: the node did not return its id`),
  ]
}

export function describePayment({ charge, token, amount, recipient }: Payment): string {
  const what = recipient === null ? '' : ` held for ${presentAddress(recipient, charge.family)}`
  return `${charge.id} ${format(amount, token)} ${token.symbol}${what}`
}

function describeTotals({ plans, payouts, maxCosts }: ExitReport): readonly string[] {
  return plans.flatMap((plan) => {
    const { chain, payable } = plan
    const tokens = [...new Set(payable.map(({ token }) => token))]
    const cost = payable.reduce((sum, payment) => sum + payment.cost, 0n)
    const amounts = tokens.map((token) => {
      const ofToken = payable.filter((payment) => payment.token === token)
      const total = ofToken.reduce((sum, { amount }) => sum + amount, 0n)
      const own = ofToken.reduce((sum, payment) => sum + getOwnShare(payment, payouts), 0n)
      return `${chain.name}: ${format(total, token)} ${token.symbol}, ${format(own, token)} of it to you`
    })
    const [about, most] = [cost, getMaxCost(plan, maxCosts)].map((one) => format(one, chain.coin))
    const gas = `${chain.name}: ${payable.length} payments, gas about ${about} ${chain.coin.symbol}, at most ${most}`
    return payable.length === 0 ? [`${chain.name}: no payment to send`] : [...amounts, gas]
  })
}

function format(amount: bigint, { decimals }: KnownToken): string {
  return formatDecimal(amount, decimals)
}
