import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { findRecipient, revokeRecipient as revokeRow } from '../../shared/db/organizations/api/recipients.ts'
import { requireScope } from '../http/middleware/authenticate.ts'
import type { Request } from '../http/route.ts'
import { createRecipientNotFound, getRecipientId } from './require-recipient.ts'

/**
 * Revokes a recipient. For a recipient with `payout` this requires `recipients:manage_payout`, otherwise
 * `recipients:write`.
 *
 * Revoking a recipient with `payout` stops the keys that pay its address (decisions 6.1). A key without the required
 * scope receives `recipient_not_found`, so that a key that only registers recipients does not learn who is paid.
 *
 * @throws {AppError} `recipient_not_found`; `insufficient_scope` for a key that lacks `recipients:write`
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
  // A key with `recipients:manage_payout` may know all recipients, so the error can name the missing scope.
  if (!allowed.other && (await findRecipient(sql, recipient))) requireScope(ctx, key, 'recipients:write')
  throw createRecipientNotFound(params)
}
