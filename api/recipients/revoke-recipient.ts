import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { findRecipient, revokeRecipient as revokeRow } from '../../shared/db/organizations/api/recipients.ts'
import { requireScope } from '../middleware/authenticate.ts'
import type { Request } from '../route.ts'
import { recipientIdOf, refuseRecipient } from './recipient-id.ts'

/**
 * Revokes a recipient: with `payout` it takes `recipients:manage_payout`, without `recipients:write`.
 *
 * Revoking one with `payout` stops the keys that pay its address (decisions 6.1). Who lacks the scope for that is
 * answered as if there were none, so that a key that only registers learns nothing of who is paid.
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
  const recipient = { tenant: key, id: recipientIdOf(params) }
  if (await revokeRow(sql, { ...recipient, allowed })) return
  // Who elevates may know of every recipient, so there is nothing to hide.
  if (!allowed.other && (await findRecipient(sql, recipient))) requireScope(ctx, key, 'recipients:write')
  throw refuseRecipient(params)
}
