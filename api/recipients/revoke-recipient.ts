import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { findRecipient, revokeRecipient as revokeRow } from '../../shared/db/organizations/api/recipients.ts'
import { requireScope } from '../http/middleware/authenticate.ts'
import type { Request } from '../http/route.ts'
import { createRecipientNotFound, getRecipientId } from './require-recipient.ts'

/**
 * Revokes a recipient. Revoking a recipient with `payout` also stops the keys that pay its address (decisions 6.1), and
 * requires `recipients:manage_payout`. Revoking any other recipient requires `recipients:write`.
 *
 * @throws {AppError} `recipient_not_found`, also for a recipient with `payout` if the key may only register recipients,
 * so that the key does not learn who is paid; `insufficient_scope` if the key lacks `recipients:write`
 */
export async function revokeRecipient(
  sql: Sql,
  { ctx, request }: { readonly ctx: Context; readonly request: Request<unknown, unknown> },
): Promise<void> {
  const { key, params } = request
  const allowed = {
    payout: key.scopes.includes('recipients:manage_payout'),
    other: key.scopes.includes('recipients:write'),
  }
  const recipient = { tenant: key, id: getRecipientId(params) }
  if (await revokeRow(sql, { ...recipient, allowed })) return
  // A key without `recipients:write` must have `recipients:manage_payout`, so the error may reveal that the recipient
  // exists.
  if (!allowed.other && (await findRecipient(sql, recipient))) requireScope(ctx, key, 'recipients:write')
  throw createRecipientNotFound(params)
}
