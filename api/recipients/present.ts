import type { Recipient } from '../../shared/db/organizations/api/recipients.ts'
import { presentAddress } from '../../shared/domain/chain-families/chain-families.ts'

/** Returns the JSON of a recipient. */
export function presentRecipient(recipient: Recipient) {
  const { id, environment, address, family, label, payout, createdAt } = recipient
  return {
    id,
    environment,
    address: presentAddress(address, family),
    ...(label === null ? {} : { label }),
    payout,
    createdAt,
  }
}
