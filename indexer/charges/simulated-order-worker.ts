import type { Db } from '../../shared/db/connect.ts'
import { type SimulatedOrder, takeSimulatedOrder } from '../../shared/db/escrow/daemon/simulated-orders.ts'
import type { EscrowAnswer } from '../../shared/db/escrow/escrow-requests.ts'
import { answerRequest, FORGED, type Refusal } from '../../shared/db/requests/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { readPayload } from '../requests/read-payload.ts'
import { type ChargeActorDeps, isOfCharge } from './charge-actor.ts'
import { moveSimulatedEscrow } from './move-simulated-escrow.ts'

const FAILED: Refusal = { outcome: 'refused', code: 'internal_error', message: 'the order failed' }

/**
 * Processes the oldest open releaser order for a simulated charge, with the effect of a mined transaction at depth.
 *
 * Request, charge, events and response commit together, and no transaction is broadcast. If the process is killed,
 * the order was processed once or not at all. An order that fails because of its own charge gets an error response,
 * or it would block the orders behind it.
 */
export async function fulfilSimulatedOrder(deps: ChargeActorDeps): Promise<'more' | 'idle'> {
  let taken: SimulatedOrder | undefined
  try {
    await inTransaction(deps.sql, async (db) => {
      taken = await takeSimulatedOrder(db)
      if (taken !== undefined) await answerRequest(db, taken.requestId, await fulfil(deps, db, taken))
    })
  } catch (error) {
    if (taken === undefined || !isOfCharge(error)) throw error
    deps.log.error({ msg: 'A simulated escrow order failed', ...fieldsOf(taken), error })
    await answerRequest(deps.sql, taken.requestId, FAILED)
    return 'more'
  }
  if (taken === undefined) return 'idle'
  deps.onEvents()
  deps.log.info({ msg: 'Saw to a simulated escrow order', ...fieldsOf(taken) })
  return 'more'
}

/** Returns an error in the order as its response, and keeps the effects of the charge's inbox. */
async function fulfil(deps: ChargeActorDeps, db: Db, order: SimulatedOrder): Promise<EscrowAnswer> {
  const signed = readPayload('escrow_order', order.payload)
  if (signed === null || !order.isOfOrganization) {
    deps.log.error({ msg: 'Refused a forged escrow order', ...fieldsOf(order) })
    return FORGED
  }
  try {
    await moveSimulatedEscrow(deps, db, { ...order, ...signed })
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
