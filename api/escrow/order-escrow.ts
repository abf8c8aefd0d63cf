import { setTimeout as delay } from 'node:timers/promises'
import type { Tenant } from '../../shared/db/charges-read.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { type EscrowAnswer, findEscrowAnswer, insertEscrowRequest } from '../../shared/db/escrow-requests.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { EscrowAction } from '../../shared/domain/escrow-action.ts'
import { verifyEscrowSignature } from '../../shared/domain/escrow-order.ts'
import { newId } from '../../shared/domain/ids.ts'
import { type EscrowDeps, prepareEscrow } from './prepare-escrow.ts'

/** An order of the releaser, as it was sent. */
export type EscrowOrder = {
  readonly tenant: Tenant
  readonly chargeId: string
  readonly action: EscrowAction
  readonly signature: string
  readonly now: Date
}

/** After this long the charge is answered as it stands; the order goes on (decisions 4.2). */
const WAIT_MS = 30_000
const POLL_MS = 250

/**
 * Hands the releaser's order to the daemon, and returns when it is mined, or after 30 s.
 *
 * The signature is verified here against what the chain shows now, and by the daemon once more before it broadcasts.
 *
 * @throws {AppError} what `prepareEscrow` throws; `escrow_invalid_signature`; `request_in_progress`; or why the daemon
 * refused
 */
export async function orderEscrow(deps: EscrowDeps, order: EscrowOrder): Promise<void> {
  const { chargeId, action, signature } = order
  const { transaction, releaser } = await prepareEscrow(deps, order)
  await verifyEscrowSignature(transaction, { releaser, signature })
  const id = newId('req', order.now.getTime())
  const { chainId } = transaction
  const { organizationId } = order.tenant
  const isTaken = await insertEscrowRequest(deps.sql, {
    id,
    organizationId,
    chargeId,
    chainId,
    action,
    signature,
  })
  if (!isTaken) {
    throw new AppError('request_in_progress', `an earlier order for the escrow of ${chargeId} is under way`)
  }
  const answer = await waitForAnswer(deps.sql, id)
  if (answer?.outcome === 'refused') throw new AppError(answer.code, answer.message)
}

async function waitForAnswer(sql: Sql, id: string): Promise<EscrowAnswer | null> {
  const deadline = performance.now() + WAIT_MS
  while (performance.now() < deadline) {
    const answer = await findEscrowAnswer(sql, id)
    if (answer !== null) return answer
    await delay(POLL_MS)
  }
  return null
}
