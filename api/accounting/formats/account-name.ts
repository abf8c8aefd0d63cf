import type { Account } from '../../../shared/domain/accounting/entry.ts'
import { COMMODITIES } from './commodity.ts'

/** Names in a merchant's chart of accounts. The merchant can rename them when importing. */
const NAMES = {
  clearing: 'Assets:Clearing',
  escrow: 'Assets:Clearing:Escrow',
  held: 'Assets:Held',
  wallet: 'Assets:Wallet',
  liability: 'Liabilities:Charges',
  sales: 'Income:Sales',
  refunds: 'Income:Refunds',
  fee: 'Expenses:Fees:Service',
  incentive: 'Expenses:Fees:Incentive',
  share: 'Expenses:Splits',
  rounding: 'Expenses:Rounding',
  uncredited: 'Liabilities:Uncredited',
  escrow_uncredited: 'Liabilities:Uncredited:Escrow',
} as const satisfies Readonly<Record<Account, string>>

/**
 * Returns the name of a leg's account: for wallets one per commodity, for split recipients one per address. Charges
 * have no separate accounts, because accounting programs cannot report a million accounts.
 *
 * @param leg.party - an address in the notation of its network, or `null`
 */
export function getAccountName(leg: {
  readonly account: Account
  readonly commodity: string
  readonly party: string | null
}): string {
  if (leg.account === 'wallet') return `${NAMES.wallet}:${leg.commodity}`
  if (leg.account === 'share') return `${NAMES.share}:${leg.party ?? 'Unknown'}`
  return NAMES[leg.account]
}

/** Every account name except those of split recipients. */
export const FIXED_ACCOUNT_NAMES: readonly string[] = Object.entries(NAMES).flatMap(([account, name]) => {
  if (account === 'share') return []
  return account === 'wallet' ? Object.keys(COMMODITIES).map((commodity) => `${name}:${commodity}`) : [name]
})
