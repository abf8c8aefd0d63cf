import type { Schema } from '../../../api/client/schema.ts'
import { pairKey } from '../../../shared/domain/networks.ts'
import { addressOf } from '../random-terms.ts'
import { addAmount, addFigure, type Figures } from './figures.ts'
import type { ExportedLeg } from './read-exports.ts'

const MICRO_ATTO = 10n ** 12n
const PAID = /^(Assets:Wallet|Expenses:(Fees|Splits))/
const LEFT = /^(Assets:(Clearing|Held)|Expenses:Rounding)/

export function readExportFigures(legs: readonly ExportedLeg[]): Figures {
  const figures: Figures = new Map()
  for (const leg of legs) {
    const { account = '', category = '', counterparty = '', charge_id: chargeId = '' } = leg
    const pair = pairKey(leg as never)
    const add = (what: string, amountAtto: bigint, of: string = pair) =>
      addFigure(figures, { chargeId, pair: of, what }, amountAtto)
    const amountAtto = readAmount(leg)
    if (category === 'payment' && account === 'Liabilities:Charges') add('received', -amountAtto)
    if (category === 'escrow_refund' && account === 'Liabilities:Charges') add('refunded', amountAtto)
    if (account.startsWith('Liabilities:Uncredited')) add('uncredited', -amountAtto)
    if (account === 'Income:Sales') add('sold', -amountAtto, 'all')
    if (PAID.test(account)) add(`paid ${addressOf(counterparty)}`, amountAtto)
    if (LEFT.test(account)) add('left', amountAtto)
  }
  return figures
}

/**
 * Rounds the sales of charges that can be paid on Arc up to micro-dollars. The books count no sale for a fraction of
 * the token's smallest unit, which a payment on Arc can contain, because it cannot be paid out.
 */
export function roundSales(figures: Figures, charges: readonly Schema<'Charge'>[]): Figures {
  const rounded = new Map(figures)
  for (const { id, acceptedPayments } of charges) {
    const key = `${id} all sold`
    const sold = figures.get(key)
    if (sold === undefined || !acceptedPayments.some(({ network }) => network === 'arc')) continue
    rounded.set(key, ((sold + MICRO_ATTO - 1n) / MICRO_ATTO) * MICRO_ATTO)
  }
  return rounded
}

/**
 * Returns the change of each account's balance by pair according to the books, in 10^-18 of the token. The change sums
 * the account's payments, and the payouts and refunds to the account.
 */
export function sumByParty(legs: readonly ExportedLeg[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const leg of legs) {
    const { account = '', category = '', counterparty = '' } = leg
    const isOfPayer = account === 'Liabilities:Charges' && ['payment', 'escrow_refund'].includes(category)
    if (isOfPayer || PAID.test(account))
      addAmount(sums, `${pairKey(leg as never)} ${addressOf(counterparty)}`, readAmount(leg))
  }
  return sums
}

/** Returns the balance of each account in each commodity, in 10^-18 of the commodity. */
export function sumByAccount(legs: readonly ExportedLeg[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const leg of legs) addAmount(sums, `${leg['account']} ${leg['commodity']}`, readAmount(leg))
  return sums
}

function readAmount({ amount_atomic: amount = '', decimals }: ExportedLeg): bigint {
  return BigInt(amount) * 10n ** BigInt(18 - Number(decimals))
}
