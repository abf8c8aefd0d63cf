import type { Address } from '../address.ts'
import { type ChargeRecord, findMerchant } from '../charge.ts'
import type { Account } from './entry.ts'

/** What a recipient of a split is to the merchant. */
export type SplitRole = 'merchant' | 'recipient' | 'treasury'

export type SplitTermsOf = Pick<ChargeRecord, 'splitTerms' | 'splitRecipients'>

/** The account that a share of each role is booked to. */
export const ROLE_ACCOUNTS = {
  merchant: 'wallet',
  recipient: 'share',
  treasury: 'fee',
} as const satisfies Readonly<Record<SplitRole, Account>>

/**
 * Returns the roles of a split's recipients, in their order: the merchant unless without a share, the split recipients,
 * and the treasury unless without a share (`allocate`). By position, because an address can occur twice.
 */
export function listSplitRoles(charge: SplitTermsOf): readonly SplitRole[] {
  const merchants = findMerchant(charge) === null ? 0 : 1
  const last = merchants + charge.splitRecipients.length
  return charge.splitTerms.recipients.map((_, index) =>
    index < merchants ? 'merchant' : index < last ? 'recipient' : 'treasury',
  )
}

/** Returns the role of an address whose share was held or released. Its first role, if it occurs twice. */
export function getSplitRole(charge: SplitTermsOf, address: Address | null): SplitRole {
  const index = charge.splitTerms.recipients.findIndex((recipient) => recipient === address)
  return listSplitRoles(charge)[index] ?? 'recipient'
}
