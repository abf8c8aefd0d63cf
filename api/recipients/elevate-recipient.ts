import type { Static } from '@sinclair/typebox'
import type { Sql } from '../../shared/db/connect.ts'
import {
  elevateRecipient as elevateRow,
  findRecipient,
  type Recipient,
} from '../../shared/db/organizations/api/recipients.ts'
import type { Treasury } from '../../shared/runtime/process-config.ts'
import { createFieldError } from '../http/field-error.ts'
import type { Request } from '../http/route.ts'
import { createRecipientNotFound, getRecipientId } from './require-recipient.ts'
import type { ElevateRecipientBody } from './schema.ts'

/**
 * Sets or removes a recipient's eligibility as a key's own payout address.
 *
 * @throws {AppError} `recipient_not_found`; `validation_error` for the fee treasury, which no key may pay
 */
export async function elevateRecipient(
  deps: { readonly sql: Sql; readonly treasury: Treasury },
  { key, params, body }: Request<unknown, Static<typeof ElevateRecipientBody>>,
): Promise<Recipient> {
  const selected = { tenant: key, id: getRecipientId(params) }
  const recipient = await findRecipient(deps.sql, selected)
  if (recipient === null) throw createRecipientNotFound(params)
  if (body.payout && recipient.address === deps.treasury[recipient.family]) {
    const reason = "is true, but the recipient is the service's own fee address, which no API key may pay"
    throw createFieldError('payout', reason)
  }
  const elevated = await elevateRow(deps.sql, { ...selected, payout: body.payout })
  // The recipient was revoked after the read above.
  if (elevated === null) throw createRecipientNotFound(params)
  return elevated
}
