import type { Db } from '../../shared/db/connect.ts'
import {
  type ClaimedRequest,
  claimChargeRequests,
  INVALID_REQUEST_ERROR,
  type RequestError,
  respondToRequest,
} from '../../shared/db/requests/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { parsePayload } from '../requests/parse-payload.ts'
import { applySandboxTrigger, type ChargeActorDeps, isChargeError } from './charge-actor.ts'

/**
 * Required by `claimChargeRequests`, but without effect: a trigger is claimed, processed and completed in one
 * transaction, so a claim never outlives its worker.
 */
const LEASE_SECONDS = 60

const FAILED: RequestError = { outcome: 'refused', code: 'internal_error', message: 'the trigger failed' }

/**
 * Processes the oldest open sandbox trigger.
 *
 * The credit, charge, events and response commit together, so a kill leaves no trigger half processed. A trigger that
 * fails because of its own charge gets an error response; otherwise it would block the triggers behind it.
 */
export async function processTrigger(deps: ChargeActorDeps): Promise<'more' | 'idle'> {
  let taken: ClaimedRequest | undefined
  try {
    await inTransaction(deps.sql, async (db) => {
      const query = { kind: 'sandbox_trigger', limit: 1, leaseSeconds: LEASE_SECONDS } as const
      ;[taken] = await claimChargeRequests(db, query)
      if (taken !== undefined) await respondToRequest(db, taken.id, await fulfil(deps, db, taken))
    })
  } catch (error) {
    if (taken === undefined || !isChargeError(error)) throw error
    deps.log.error({ msg: 'A sandbox trigger failed', ...fieldsOf(taken), error })
    await respondToRequest(deps.sql, taken.id, FAILED)
    return 'more'
  }
  if (taken === undefined) return 'idle'
  deps.onEvents()
  deps.log.info({ msg: 'Processed a sandbox trigger', ...fieldsOf(taken) })
  return 'more'
}

/**
 * Validates the whole request again, and applies its trigger. Without the validation, anyone who can write the
 * request's row could confirm an unpaid charge.
 */
async function fulfil(
  deps: ChargeActorDeps,
  db: Db,
  request: ClaimedRequest,
): Promise<{ readonly outcome: 'done' } | RequestError> {
  const { id: requestId, chargeId, apiRequestId, payload, isOfOrganization } = request
  const trigger = parsePayload('sandbox_trigger', payload)
  if (trigger !== null && isOfOrganization)
    return applySandboxTrigger(deps, db, { requestId, chargeId, apiRequestId, trigger })
  deps.log.error({ msg: 'Rejected an invalid sandbox trigger', ...fieldsOf(request) })
  return INVALID_REQUEST_ERROR
}

function fieldsOf({ id, chargeId, apiRequestId }: ClaimedRequest) {
  return { request_id: id, api_request_id: apiRequestId, charge_id: chargeId }
}
