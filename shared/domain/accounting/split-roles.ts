import type { Address } from '../address.ts'
import { type ChargeRecord, findMerchant } from '../charge.ts'
import type { Account } from './entry.ts'

/** Role of a split's recipient, as the merchant sees it. */
export type SplitRole = 'merchant' | 'recipient' | 'treasury'

export type SplitTermsOf = Pick<ChargeRecord, 'splitTerms' | 'splitRecipients'>

/** The account to which a share of each role is booked. */
export const ROLE_ACCOUNTS = {
  merchant: 'wallet',
  recipient: 'share',
  treasury: 'fee',
} as const satisfies Readonly<Record<SplitRole, Account>>

/**
 * Returns the role of an address of the split. One address has one role, the first of merchant, recipient and treasury,
 * because the contract holds and releases by address: a released amount could not be divided among several roles.
 */
export function getSplitRole(charge: SplitTermsOf, address: Address | null): SplitRole {
  const index = charge.splitTerms.recipients.findIndex((recipient) => recipient === address)
  return listRoles(charge)[index] ?? 'recipient'
}

/**
 * Lists the roles by position: the merchant unless it has no share, the recipients, and the treasury unless it has no
 * share (`allocate`).
 */
function listRoles(charge: SplitTermsOf): readonly SplitRole[] {
  const { splitTerms, splitRecipients } = charge
  const { recipients } = splitTerms
  const first = findMerchant(charge) === null ? 0 : 1
  const last = first + splitRecipients.length
  return recipients.map((_, index) => (index < first ? 'merchant' : index < last ? 'recipient' : 'treasury'))
}
