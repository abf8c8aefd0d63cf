import type { Static } from '@sinclair/typebox'
import type { Context } from 'koa'
import type { Sql } from '../../../shared/db/connect.ts'
import type {
  CheckPayload,
  CheckResult,
  TransactionHint,
} from '../../../shared/db/requests/check-requests.ts'
import type { Hex } from '../../../shared/domain/address.ts'
import { type ChargeRecord, isOpen } from '../../../shared/domain/charge.ts'
import { AppError } from '../../../shared/domain/errors.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { getRequestId } from '../../http/middleware/request-id.ts'
import { AFTER_EARLIER, requestDaemon } from '../../http/request-daemon.ts'
import type { CheckBody } from './schema.ts'

/** A check of a charge, already counted against the rate limits. */
export type Search = {
  readonly charge: ChargeRecord
  readonly hint: TransactionHint | null
  readonly now: Date
}

/**
 * Has the daemon check the chains for payments to a charge. Payments that it finds are credited as usual.
 *
 * Makes no check and returns `null` if the charge is simulated, or if it is no longer open and there is no hint. Also
 * returns `null` if the daemon has begun the check but does not finish it in time.
 *
 * @throws {AppError} `request_in_progress`, `rpc_unavailable`, `service_unavailable`
 */
export async function requestPaymentCheck(
  sql: Sql,
  ctx: Context,
  { charge, hint, now }: Search,
): Promise<CheckResult | null> {
  if (charge.isSimulated || (!isOpen(charge) && hint === null)) return null
  const { id: chargeId, organizationId } = charge
  const payload: CheckPayload = { hint }
  const id = newId('req', now.getTime())
  const apiRequestId = getRequestId(ctx)
  const request = { id, kind: 'check', organizationId, chargeId, apiRequestId, payload } as const
  return requestDaemon<CheckResult>(sql, request, AFTER_EARLIER)
}

/**
 * Returns the transaction that the request names, or `null`.
 *
 * @throws {AppError} `payment_pair_not_accepted` if the charge accepts no pair on the named network
 */
export function readHint(
  { id, acceptedPayments }: ChargeRecord,
  { txHash, network }: Static<typeof CheckBody>,
): TransactionHint | null {
  if (txHash === undefined || network === undefined) return null
  if (!acceptedPayments.some((pair) => pair.network === network)) {
    throw new AppError('payment_pair_not_accepted', `${id} does not accept a pair on ${network}`, {
      param: 'network',
    })
  }
  const digits = txHash.replace(/^0x/, '').toLowerCase()
  return { network, txHash: `0x${digits}` as Hex }
}
