import type { Static } from '@sinclair/typebox'
import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import type { CheckAnswer, CheckPayload, TransactionHint } from '../../shared/db/requests/check-requests.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { type ChargeRecord, isOpen } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { newId } from '../../shared/domain/ids.ts'
import { askDaemon, SOON } from '../ask-daemon.ts'
import { type ChargeLimit, limitCharge } from '../charges/limit-charge.ts'
import { requestIdOf } from '../middleware/request-id.ts'
import type { CheckBody } from './schema.ts'

/** Whoever asks, by a key or on the charge's page (specification, "Limits"). */
const CHECKS: ChargeLimit = {
  ...{ bucket: 'check', quota: 1, windowSeconds: 10 },
  rule: 'checked once in 10 seconds',
}

/** What is to be looked for. */
export type Search = {
  readonly charge: ChargeRecord
  readonly body: Static<typeof CheckBody>
  readonly now: Date
}

/**
 * Has the daemon look on the chains now for what was paid to a charge, which is credited like anything else that is found.
 *
 * For a final charge without a hint there is nothing to look for, and `null`; so for a simulated one, always.
 *
 * @throws {AppError} `payment_pair_not_accepted`, `rate_limited`, `request_in_progress`, `rpc_unavailable`,
 * `service_unavailable`
 */
export async function lookForPayments(
  sql: Sql,
  ctx: Context,
  { charge, body, now }: Search,
): Promise<CheckAnswer | null> {
  const hint = readHint(charge, body)
  await limitCharge(sql, ctx, { chargeId: charge.id, limit: CHECKS })
  if (charge.isSimulated || (!isOpen(charge) && hint === null)) return null
  const { id: chargeId, organizationId } = charge
  const payload: CheckPayload = { hint }
  const id = newId('req', now.getTime())
  const apiRequestId = requestIdOf(ctx)
  const request = { id, kind: 'check', organizationId, chargeId, apiRequestId, payload } as const
  return askDaemon<CheckAnswer>(sql, request, SOON)
}

function readHint(
  { id, acceptedPayments }: ChargeRecord,
  { txHash, network }: Static<typeof CheckBody>,
): TransactionHint | null {
  if (txHash === undefined || network === undefined) return null
  if (!acceptedPayments.some((pair) => pair.network === network)) {
    throw new AppError('payment_pair_not_accepted', `${id} accepts nothing on ${network}`, {
      param: 'network',
    })
  }
  const digits = txHash.replace(/^0x/, '').toLowerCase()
  return { network, txHash: `0x${digits}` as Hex }
}
