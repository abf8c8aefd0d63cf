import {
  answerRequest,
  type Refusal,
  type TakenRequest,
  takeChargeRequests,
} from '../../shared/db/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { SandboxTrigger } from '../../shared/domain/sandbox-trigger.ts'
import { type ChargeActorDeps, isOfCharge, triggerCharge } from '../actors/charge-actor.ts'

/** Of no account: a trigger is taken, done and answered in one transaction, so no taker is ever lost in between. */
const LEASE_SECONDS = 60

type Trigger = TakenRequest<SandboxTrigger>

const FAILED: Refusal = { outcome: 'refused', code: 'internal_error', message: 'the trigger failed' }

/**
 * Does the oldest open sandbox trigger.
 *
 * Request, credit, charge, events and answer commit together: killed anywhere, it was done once or not at all. One that
 * fails for a reason of its charge's own is answered so, or it would hold up those behind it.
 */
export async function fulfilTrigger(deps: ChargeActorDeps): Promise<'more' | 'idle'> {
  let taken: Trigger | undefined
  try {
    await inTransaction(deps.sql, async (db) => {
      ;[taken] = await takeChargeRequests<SandboxTrigger>(db, {
        kind: 'sandbox_trigger',
        limit: 1,
        leaseSeconds: LEASE_SECONDS,
      })
      if (taken === undefined) return
      const { id: requestId, chargeId, payload: trigger } = taken
      await answerRequest(db, requestId, await triggerCharge(deps, db, { requestId, chargeId, trigger }))
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

function fieldsOf({ id, chargeId, payload }: Trigger) {
  return { request_id: id, charge_id: chargeId, event: payload.event }
}
