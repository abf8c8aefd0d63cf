import type { Address } from '../../../shared/domain/address.ts'
import { distribute } from '../../../shared/domain/allocation.ts'
import { presentAddress } from '../../../shared/domain/chain-families/chain-families.ts'
import { formatDecimal } from '../../../shared/domain/decimal.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { table } from '../../../shared/runtime/command-line.ts'
import { buildEscrowOrder } from './escrow-order.ts'
import type { ExitCharge } from './exit-charge.ts'
import type { KnownToken } from './known-chains.ts'
import type { Payment } from './payment.ts'
import type { ChainPlan, UnreadChain } from './plan-chain.ts'
import type { Archive } from './read-archive.ts'

/** Everything that an exit has found. */
export type ExitReport = {
  readonly archive: Archive
  /** Charges whose terms name a payout address of the merchant. */
  readonly charges: readonly ExitCharge[]
  readonly skipped: readonly ExitCharge[]
  readonly payouts: readonly Address[]
  readonly plans: readonly ChainPlan[]
  readonly unread: readonly UnreadChain[]
}

/** Returns the report as text: every charge, what prevents a payment, escrows, and the totals. */
export function describeExit(report: ExitReport): readonly string[] {
  const { archive, charges, skipped, unread } = report
  return [
    `${archive.charges.length} charges in the archive: ${charges.length} pay you, ${skipped.length} skipped, ${archive.rejected.length} records rejected.`,
    ...section('', table([HEADINGS, ...charges.flatMap((charge) => listRows(report, charge))])),
    ...section(
      'Skipped, because the terms do not name a --payout address:',
      skipped.map(({ id, split, family }) => {
        const [first] = split.recipients
        return `${id} pays ${first === undefined ? 'nobody' : presentAddress(first, family)}`
      }),
    ),
    ...section(
      'Rejected records:',
      archive.rejected.map(({ where, reason }) => `${where}: ${reason}`),
    ),
    ...section('In escrow, where only the releaser can move it:', describeEscrows(report)),
    ...section('Cannot be paid now:', describeBlocked(report)),
    ...section(
      'NOT READ, so money there is missing from this list:',
      unread.map(({ chain, problem }) => `${chain.name}: ${problem}`),
    ),
    ...section('Totals:', describeTotals(report)),
  ]
}

const HEADINGS = ['charge', 'chain', 'token', 'to pay out', 'held', 'in escrow', 'distributed so far']

function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  return title === '' ? ['', ...lines] : ['', title, ...lines.map((line) => `  ${line}`)]
}

function listRows({ plans }: ExitReport, charge: ExitCharge): readonly (readonly string[])[] {
  const rows = plans.flatMap((plan) => listRowsOfChain(plan, charge))
  return rows.length > 0 ? rows : [[charge.id, 'nothing']]
}

function listRowsOfChain({ chain, holdings, distributed }: ChainPlan, charge: ExitCharge) {
  return [...chain.tokens, chain.coin].flatMap((token) => {
    const holding = holdings.find((one) => one.charge === charge && one.token === token)
    const paid = distributed?.find(
      (one) => one.splitAddress === charge.splitAddress && one.token === token.address,
    )
    if (charge.family !== chain.family || (holding === undefined && paid === undefined)) return []
    const held = holding?.held.reduce((sum, { amount }) => sum + amount, 0n)
    const amounts = [holding?.distributable, held, holding?.inEscrow].map((one) => format(one ?? 0n, token))
    const before = distributed === null ? 'unknown' : format(paid?.amount ?? 0n, token)
    return [[charge.id, chain.name, token.symbol, ...amounts, before]]
  })
}

function describeEscrows({ plans }: ExitReport): readonly string[] {
  return plans.flatMap(({ chain, holdings }) =>
    holdings
      .filter(({ inEscrow }) => inEscrow > 0n)
      .map((holding) => {
        const { charge, token, inEscrow } = holding
        const { id, family, address, splitAddress, releaser } = charge
        const order = buildEscrowOrder(chain, holding)
        const [safe, split] = [address, splitAddress].map((one) => presentAddress(one, family))
        const who = releaser === null ? '' : presentAddress(releaser, family)
        const what =
          order === null
            ? `the releaser ${who} must send it`
            : `the releaser ${who} must sign the Safe transaction ${order.safeTxHash} (nonce ${order.transaction.nonce}), a transfer to the split ${split}`
        return `${id}: ${format(inEscrow, token)} ${token.symbol} on ${chain.name} in the Safe ${safe}: ${what}`
      }),
  )
}

function describeBlocked({ plans }: ExitReport): readonly string[] {
  return plans.flatMap(({ chain, blocked }) =>
    blocked.map((payment) => `${describePayment(payment)} on ${chain.name}: ${payment.reason}`),
  )
}

/** Describes a payment: its charge and amount, and the recipient of a held share. */
export function describePayment({ charge, token, amount, recipient }: Payment): string {
  const what = recipient === null ? '' : ` held for ${presentAddress(recipient, charge.family)}`
  return `${charge.id} ${format(amount, token)} ${token.symbol}${what}`
}

function describeTotals({ plans, payouts }: ExitReport): readonly string[] {
  return plans.flatMap(({ chain, payable }) => {
    const tokens = [...new Set(payable.map(({ token }) => token))]
    const cost = payable.reduce((sum, payment) => sum + payment.cost, 0n)
    const amounts = tokens.map((token) => {
      const ofToken = payable.filter((payment) => payment.token === token)
      const total = ofToken.reduce((sum, { amount }) => sum + amount, 0n)
      const own = ofToken.reduce((sum, payment) => sum + getShare(payment, payouts), 0n)
      return `${chain.name}: ${format(total, token)} ${token.symbol}, ${format(own, token)} of it to you`
    })
    const gas = `${chain.name}: ${payable.length} payments, gas about ${format(cost, chain.coin)} ${chain.coin.symbol}`
    return payable.length === 0 ? [`${chain.name}: no money to pay out`] : [...amounts, gas]
  })
}

/** Returns the part of a payment that the merchant receives. No distributor takes the incentive. */
function getShare({ charge, amount, recipient }: Payment, payouts: readonly Address[]): bigint {
  const { split } = charge
  if (recipient !== null) return payouts.includes(recipient) ? amount : 0n
  const shares = distribute({ amount: atomic(amount), split: { ...split, distributionIncentive: 0 } }).payouts
  return shares.reduce(
    (sum, share, index) => (payouts.includes(split.recipients[index] as Address) ? sum + share : sum),
    0n,
  )
}

function format(amount: bigint, { decimals }: KnownToken): string {
  return formatDecimal(amount, decimals)
}
