import type { Db } from '../../shared/db/connect.ts'
import { lockSimulatedOrder, type SimulatedOrder } from '../../shared/db/escrow/daemon/simulated-orders.ts'
import type { EscrowResult } from '../../shared/db/escrow/escrow-requests.ts'
import {
  INVALID_REQUEST_ERROR,
  type RequestError,
  respondToRequest,
} from '../../shared/db/requests/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { parsePayload } from '../requests/parse-payload.ts'
import { applySimulatedEscrow } from './apply-simulated-escrow.ts'
import { type ChargeActorDeps, isChargeError } from './charge-actor.ts'

const FAILED: RequestError = { outcome: 'refused', code: 'internal_error', message: 'the order failed' }

/**
 * Processes the oldest open releaser order for a simulated escrow, with the effect that a transaction at confirmation
 * depth would have.
 *
 * The charge, its events and the response commit together, so a kill leaves no order half processed. No transaction is
 * broadcast. An order that fails because of its own charge gets an error response; otherwise it would block the orders
 * behind it.
 */
export async function processSimulatedOrder(deps: ChargeActorDeps): Promise<'more' | 'idle'> {
  let taken: SimulatedOrder | undefined
  try {
    await inTransaction(deps.sql, async (db) => {
      taken = await lockSimulatedOrder(db)
      if (taken !== undefined) await respondToRequest(db, taken.requestId, await fulfil(deps, db, taken))
    })
  } catch (error) {
    if (taken === undefined || !isChargeError(error)) throw error
    deps.log.error({ msg: 'A simulated escrow order failed', ...fieldsOf(taken), error })
    await respondToRequest(deps.sql, taken.requestId, FAILED)
    return 'more'
  }
  if (taken === undefined) return 'idle'
  deps.onEvents()
  deps.log.info({ msg: 'Processed a simulated escrow order', ...fieldsOf(taken) })
  return 'more'
}

/** The rejection of an order is returned, not thrown, so that the effects of the charge's inbox are kept. */
async function fulfil(deps: ChargeActorDeps, db: Db, order: SimulatedOrder): Promise<EscrowResult> {
  const signed = parsePayload('escrow_order', order.payload)
  if (signed === null || !order.isOfOrganization) {
    deps.log.error({ msg: 'Rejected an invalid escrow order', ...fieldsOf(order) })
    return INVALID_REQUEST_ERROR
  }
  try {
    await applySimulatedEscrow(deps, db, { ...order, ...signed })
    return { outcome: 'mined' }
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable) throw error
    const { code, message } = error
    return { outcome: 'refused', code, message }
  }
}

function fieldsOf({ requestId, chargeId, apiRequestId }: SimulatedOrder) {
  return { request_id: requestId, api_request_id: apiRequestId, charge_id: chargeId }
}
