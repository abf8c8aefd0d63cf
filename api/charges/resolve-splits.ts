import type { Sql } from '../../shared/db/connect.ts'
import {
  findSplitRecipients,
  type RegisteredRecipient,
} from '../../shared/db/organizations/api/recipients.ts'
import type { Address, ChainFamilyName } from '../../shared/domain/address.ts'
import { AppError, type ErrorCode, invariant } from '../../shared/domain/errors.ts'
import { parsePercent, SPLIT_FRACTION_DIGITS } from '../../shared/domain/percent.ts'
import { requireTreasury, type Treasury } from '../../shared/runtime/process-config.ts'
import { type CreateChargeRequest, getFamily, getPayoutAddress, type ResolvedSplit } from './draft-charge.ts'

/**
 * Looks up the recipients of `splitRecipients`. The charge commits to the returned addresses.
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
  const family = getFamily(body)
  const place = { family, payout: getPayoutAddress(request), treasury: requireTreasury(treasury, family) }
  return entries.map((entry, index) => {
    const recipient = recipients.find(({ id }) => id === entry.recipientId)
    const address = requirePayable(recipient, { ...place, index })
    const percentText = sourceOf(entry, 'percent') ?? ''
    const percent = parsePercent(percentText, { maxFractionDigits: SPLIT_FRACTION_DIGITS })
    invariant(percent !== null, `percent ${percentText} passed its rule`)
    const { recipientId, label } = entry
    return { recipientId, address, percent, percentText, ...(label === undefined ? {} : { label }) }
  })
}

function requirePayable(
  recipient: RegisteredRecipient | undefined,
  place: { family: ChainFamilyName; payout: Address; treasury: Address; index: number },
): Address {
  const reject = (code: ErrorCode, message: string): AppError =>
    new AppError(code, message, { param: `splitRecipients[${place.index}].recipientId` })
  if (recipient === undefined || recipient.family !== place.family) {
    throw reject(
      'recipient_not_found_in_split',
      'the recipient does not exist or is not visible to this API key',
    )
  }
  if (recipient.address === place.treasury) {
    throw reject('split_recipient_is_treasury_address', "the recipient is the service's own fee address")
  }
  if (recipient.address === place.payout) {
    throw reject('split_recipient_is_payout_address', "the recipient is the API key's own payout address")
  }
  return recipient.address
}
