import type { Address } from '../address.ts'
import type { ChargeRecord } from '../charge.ts'
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
function listRoles({ splitTerms, splitRecipients }: SplitTermsOf): readonly SplitRole[] {
  const { recipients } = splitTerms
  const hasMerchant = splitRecipients.every(({ address }, index) => address === recipients[index + 1])
  const first = hasMerchant ? 1 : 0
  const last = first + splitRecipients.length
  return recipients.map((_, index) => (index < first ? 'merchant' : index < last ? 'recipient' : 'treasury'))
}
