import type { Address } from '../address.ts'
import { type ChargeRecord, findMerchant } from '../charge.ts'
import type { Account } from './entry.ts'

/** Role of an address that a split pays, as the merchant sees it. */
export type SplitRole = 'merchant' | 'recipient' | 'treasury'

export type SplitTermsOf = Pick<ChargeRecord, 'splitTerms' | 'splitRecipients'>

/** The account to which a share of each role is booked. */
export const ROLE_ACCOUNTS = {
  merchant: 'wallet',
  recipient: 'share',
  treasury: 'fee',
} as const satisfies Readonly<Record<SplitRole, Account>>

/**
 * Returns the role of an address of the split. If an address has several roles, the first of merchant, recipient and
 * treasury applies, because the contract holds and releases money by address: a released amount could not be divided
 * among roles.
 */
export function getSplitRole(charge: SplitTermsOf, address: Address | null): SplitRole {
  const index = charge.splitTerms.recipients.findIndex((recipient) => recipient === address)
  return listRoles(charge)[index] ?? 'recipient'
}

/**
 * Lists the roles by position: merchant, recipients, treasury. `allocate` omits a merchant or treasury without a share.
 */
function listRoles(charge: SplitTermsOf): readonly SplitRole[] {
  const { splitTerms, splitRecipients } = charge
  const { recipients } = splitTerms
  const first = findMerchant(charge) === null ? 0 : 1
  const last = first + splitRecipients.length
  return recipients.map((_, index) => (index < first ? 'merchant' : index < last ? 'recipient' : 'treasury'))
}
