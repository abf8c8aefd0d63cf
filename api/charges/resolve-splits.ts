import type { Sql } from '../../shared/db/connect.ts'
import {
  findSplitRecipients,
  type RegisteredRecipient,
} from '../../shared/db/organizations/api/recipients.ts'
import type { Address } from '../../shared/domain/address.ts'
import { AppError, type ErrorCode, invariant } from '../../shared/domain/errors.ts'
import { parsePercent, SPLIT_FRACTION_DIGITS } from '../../shared/domain/percent.ts'
import { requireTreasury, type Treasury } from '../../shared/runtime/process-config.ts'
import type { PayableParties } from './charge-parties.ts'
import type { ResolvedSplit } from './draft-charge.ts'
import type { CreateChargeRequest } from './request-schema.ts'

/**
 * Looks up the recipients of `splitRecipients`. The returned addresses become part of the charge's terms.
 *
 * @throws {AppError} `recipient_not_found_in_split`, `split_recipient_is_treasury_address`,
 * `split_recipient_is_payout_address`
 */
export async function resolveSplits(
  sql: Sql,
  { key, body, sourceOf }: CreateChargeRequest,
  { parties, treasury }: { readonly parties: PayableParties; readonly treasury: Treasury },
): Promise<readonly ResolvedSplit[]> {
  const entries = body.splitRecipients ?? []
  if (entries.length === 0) return []
  const ids = [...new Set(entries.map(({ recipientId }) => recipientId))]
  const recipients = await findSplitRecipients(sql, { tenant: key, ids })
  const ours = requireTreasury(treasury, parties.family)
  return entries.map((entry, index) => {
    const recipient = recipients.find(({ id }) => id === entry.recipientId)
    const address = requireSplitRecipient(recipient, { ...parties, treasury: ours, index })
    const percentText = sourceOf(entry, 'percent') ?? ''
    const percent = parsePercent(percentText, { maxFractionDigits: SPLIT_FRACTION_DIGITS })
    invariant(percent !== null, `percent ${percentText} passed its rule`)
    const { recipientId, label } = entry
    return { recipientId, address, percent, percentText, ...(label === undefined ? {} : { label }) }
  })
}

function requireSplitRecipient(
  recipient: RegisteredRecipient | undefined,
  place: PayableParties & { treasury: Address; index: number },
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
  if (recipient.address === place.payoutAddress) {
    throw reject('split_recipient_is_payout_address', "the recipient is the API key's own payout address")
  }
  return recipient.address
}
