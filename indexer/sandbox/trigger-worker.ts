import { answerRequest, type TakenRequest, takeChargeRequests } from '../../shared/db/charge-requests.ts'
import type { Db } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { SandboxTrigger } from '../../shared/domain/sandbox-trigger.ts'
import { type ChargeActorDeps, triggerCharge } from '../actors/charge-actor.ts'

/** Of no account: a trigger is taken, done and answered in one transaction, so no taker is ever lost in between. */
const LEASE_SECONDS = 60

/**
 * Does the oldest open sandbox trigger.
 *
 * Request, credit, charge, events and answer commit together: killed anywhere, it was done once or not at all.
 */
export async function fulfilTrigger(deps: ChargeActorDeps): Promise<'more' | 'idle'> {
  const request = await inTransaction(deps.sql, async (db) => {
    const query = { kind: 'sandbox_trigger', limit: 1, leaseSeconds: LEASE_SECONDS } as const
    const [taken] = await takeChargeRequests<SandboxTrigger>(db, query)
    if (taken) await fulfil(deps, db, taken)
    return taken
  })
  if (request === undefined) return 'idle'
  deps.onEvents()
  const { id, chargeId, payload } = request
  deps.log.info({
    msg: 'Saw to a sandbox trigger',
    request_id: id,
    charge_id: chargeId,
    event: payload.event,
  })
  return 'more'
}

async function fulfil(deps: ChargeActorDeps, db: Db, request: TakenRequest<SandboxTrigger>): Promise<void> {
  const { id: requestId, chargeId, payload: trigger } = request
  await answerRequest(db, requestId, await triggerCharge(deps, db, { requestId, chargeId, trigger }))
}
