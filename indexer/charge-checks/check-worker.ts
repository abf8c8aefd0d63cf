import type { ClaimedRequest } from '../../shared/db/requests/charge-requests.ts'
import {
  type CheckPayload,
  type CheckResult,
  findCheckedCharge,
} from '../../shared/db/requests/check-requests.ts'
import { invariant } from '../../shared/domain/errors.ts'
import { createRequestWorker } from '../requests/request-worker.ts'
import { type CheckDeps, checkCharge } from './check-charge.ts'

export type CheckWorkerDeps = CheckDeps & {
  /** Runs a turn of the charge, so that recorded payments are credited before the response is sent. */
  readonly takeTurn: (chargeId: string) => Promise<void>
  /** Called when another check can be started. */
  readonly onFree: () => void
  readonly timeoutMs?: number
}

/** Creates the worker that processes requests from `POST /v1/charges/{id}/check`. */
export function createCheckWorker(deps: CheckWorkerDeps) {
  return createRequestWorker({
    ...deps,
    kind: 'check',
    fulfil: (request, payload) => check(deps, request, payload),
  })
}

async function check(
  deps: CheckWorkerDeps,
  { chargeId }: ClaimedRequest,
  { hint }: CheckPayload,
): Promise<CheckResult> {
  const charge = await findCheckedCharge(deps.sql, chargeId)
  invariant(charge !== null, `the request's charge ${chargeId} does not exist`)
  try {
    return await checkCharge(deps, charge, hint)
  } finally {
    await takeTurn(deps, chargeId)
  }
}

/** If the turn fails, the charge actor retries it shortly afterwards. */
async function takeTurn({ takeTurn: take, log }: CheckWorkerDeps, chargeId: string): Promise<void> {
  await take(chargeId).catch((error: unknown) => {
    log.warn({ msg: 'Charge turn failed after a check', charge_id: chargeId, error })
  })
}
