import type { Sql } from '../../shared/db/connect.ts'
import {
  findSplitRecipients,
  type RegisteredRecipient,
} from '../../shared/db/organizations/api/recipients.ts'
import type { Address, AddressFamily } from '../../shared/domain/address.ts'
import { AppError, type ErrorCode, invariant } from '../../shared/domain/errors.ts'
import { parsePercent, SPLIT_FRACTION_DIGITS } from '../../shared/domain/percent.ts'
import { type Treasury, treasuryIn } from '../../shared/runtime/process-config.ts'
import { type CreateChargeRequest, familyOf, payoutAddressOf, type ResolvedSplit } from './draft-charge.ts'

/**
 * Looks up the recipients of `splitRecipients`, whose addresses are frozen by what this answers.
 *
 * @throws {AppError} `recipient_not_found_in_split`, `split_recipient_is_treasury_address`,
 * `split_recipient_is_payout_address`
 */
export async function resolveSplits(
  sql: Sql,
  request: CreateChargeRequest,
  treasury: Treasury,
): Promise<readonly ResolvedSplit[]> {
  const { key, body, sourceOf } = request
  const entries = body.splitRecipients ?? []
  if (entries.length === 0) return []
  const ids = [...new Set(entries.map(({ recipientId }) => recipientId))]
  const recipients = await findSplitRecipients(sql, { tenant: key, ids })
  const family = familyOf(body)
  const place = { family, payout: payoutAddressOf(request), treasury: treasuryIn(treasury, family) }
  return entries.map((entry, index) => {
    const recipient = recipients.find(({ id }) => id === entry.recipientId)
    const address = payableAddress(recipient, { ...place, index })
    const percentText = sourceOf(entry, 'percent') ?? ''
    const percent = parsePercent(percentText, { maxFractionDigits: SPLIT_FRACTION_DIGITS })
    invariant(percent !== null, `percent ${percentText} passed its rule`)
    const { recipientId, label } = entry
    return { recipientId, address, percent, percentText, ...(label === undefined ? {} : { label }) }
  })
}

function payableAddress(
  recipient: RegisteredRecipient | undefined,
  place: { family: AddressFamily; payout: Address; treasury: Address; index: number },
): Address {
  const refuse = (code: ErrorCode, message: string): AppError =>
    new AppError(code, message, { param: `splitRecipients[${place.index}].recipientId` })
  if (recipient === undefined || recipient.family !== place.family) {
    throw refuse('recipient_not_found_in_split', 'there is no such recipient for this API key')
  }
  if (recipient.address === place.treasury) {
    throw refuse('split_recipient_is_treasury_address', "the recipient is the service's own fee address")
  }
  if (recipient.address === place.payout) {
    throw refuse('split_recipient_is_payout_address', "the recipient is the API key's own payout address")
  }
  return recipient.address
}
