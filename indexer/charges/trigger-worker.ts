import type { Db } from '../../shared/db/connect.ts'
import {
  answerRequest,
  FORGED,
  type Refusal,
  type TakenRequest,
  takeChargeRequests,
} from '../../shared/db/requests/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { readPayload } from '../requests/read-payload.ts'
import { type ChargeActorDeps, isOfCharge, triggerCharge } from './charge-actor.ts'

/**
 * Has no effect: a trigger is claimed, processed and completed in one transaction, so no claim is ever lost in
 * between.
 */
const LEASE_SECONDS = 60

const FAILED: Refusal = { outcome: 'refused', code: 'internal_error', message: 'the trigger failed' }

/**
 * Processes the oldest open sandbox trigger.
 *
 * Request, credit, charge, events and response commit together. If the process is killed, the trigger was processed
 * once or not at all. A trigger that fails because of its own charge gets an error response, or it would block the
 * triggers behind it.
 */
export async function fulfilTrigger(deps: ChargeActorDeps): Promise<'more' | 'idle'> {
  let taken: TakenRequest | undefined
  try {
    await inTransaction(deps.sql, async (db) => {
      const query = { kind: 'sandbox_trigger', limit: 1, leaseSeconds: LEASE_SECONDS } as const
      ;[taken] = await takeChargeRequests(db, query)
      if (taken !== undefined) await answerRequest(db, taken.id, await fulfil(deps, db, taken))
    })
  } catch (error) {
    if (taken === undefined || !isOfCharge(error)) throw error
    deps.log.error({ msg: 'A sandbox trigger failed', ...fieldsOf(taken), error })
    await answerRequest(deps.sql, taken.id, FAILED)
    return 'more'
  }
  if (taken === undefined) return 'idle'
  deps.onEvents()
  deps.log.info({ msg: 'Saw to a sandbox trigger', ...fieldsOf(taken) })
  return 'more'
}

/** Validates the whole request again: otherwise anyone able to write the row could confirm an unpaid charge. */
async function fulfil(
  deps: ChargeActorDeps,
  db: Db,
  request: TakenRequest,
): Promise<{ readonly outcome: 'done' } | Refusal> {
  const { id: requestId, chargeId, apiRequestId, payload, isOfOrganization } = request
  const trigger = readPayload('sandbox_trigger', payload)
  if (trigger !== null && isOfOrganization)
    return triggerCharge(deps, db, { requestId, chargeId, apiRequestId, trigger })
  deps.log.error({ msg: 'Refused a forged sandbox trigger', ...fieldsOf(request) })
  return FORGED
}

function fieldsOf({ id, chargeId, apiRequestId }: TakenRequest) {
  return { request_id: id, api_request_id: apiRequestId, charge_id: chargeId }
}
