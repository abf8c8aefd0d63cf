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

/** Of no account: a trigger is taken, done and answered in one transaction, so no taker is ever lost in between. */
const LEASE_SECONDS = 60

const FAILED: Refusal = { outcome: 'refused', code: 'internal_error', message: 'the trigger failed' }

/**
 * Does the oldest open sandbox trigger.
 *
 * Request, credit, charge, events and answer commit together: killed anywhere, it was done once or not at all. One that
 * fails for a reason of its charge's own is answered so, or it would hold up those behind it.
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

/** Looks at everything again: whoever can write the row might else confirm a charge that nobody paid. */
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
