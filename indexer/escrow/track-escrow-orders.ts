import type { Sql } from '../../shared/db/connect.ts'
import {
  type EscrowOrderStatus,
  type InFlightEscrowOrder,
  listInFlightEscrowOrders,
  transitionEscrowOrder,
} from '../../shared/db/escrow/daemon/escrow-orders.ts'
import type { EscrowResult } from '../../shared/db/escrow/escrow-requests.ts'
import { respondToRequest } from '../../shared/db/requests/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Logger } from '../../shared/runtime/logger.ts'

type Deps = { readonly sql: Sql; readonly log: Logger }

/**
 * Updates the status of the orders in flight on a chain, and responds to the requests of orders that are mined or have
 * failed.
 */
export async function trackEscrowOrders(
  deps: Deps,
  query: { readonly chainId: number; readonly limit: number },
): Promise<void> {
  for (const order of await listInFlightEscrowOrders(deps.sql, query)) await follow(deps, order)
}

async function follow(deps: Deps, order: InFlightEscrowOrder): Promise<void> {
  const { requestId, status: from } = order
  const to = statusOf(order)
  if (to === from) return
  const isMoved = await inTransaction(deps.sql, async (db) => {
    if (!(await transitionEscrowOrder(db, { requestId, from, to }))) return false
    const isOver = to === 'failed' && order.transaction?.isCancellation === true
    if (to !== 'signed') await respondToRequest(db, requestId, isOver ? TOO_LATE : ANSWERS[to])
    return true
  })
  if (isMoved) {
    deps.log.info({
      msg: 'Escrow order changed status',
      request_id: requestId,
      charge_id: order.chargeId,
      from,
      to,
    })
  }
}

/**
 * Returns the status of an order. If the feed shows the ordered transfer, the status is `mined` while our transaction
 * is unresolved, and otherwise `final`, even if our transaction reverted because a third party relayed the same
 * signature first.
 *
 * Otherwise, the status depends on our transaction:
 * - `signed`: the transaction is not at confirmation depth.
 * - `final`: it is at confirmation depth and succeeded, though the feed has not shown its transfer yet.
 * - `reverted`: it is at confirmation depth, reverted, and moved no money. The releaser may sign again after the first
 *   reverted order, but not after the second.
 * - `failed`: another transaction used its nonce, or our empty transaction did because the order had expired. The
 *   releaser may sign again.
 */
function statusOf({ isDone, transaction }: InFlightEscrowOrder): EscrowOrderStatus {
  const isUnresolved = transaction?.status === 'signed' || transaction?.status === 'mined'
  if (isDone) return isUnresolved ? 'mined' : 'final'
  if (isUnresolved) return 'signed'
  return transaction === null || transaction.isCancellation || transaction.status === 'replaced'
    ? 'failed'
    : transaction.status
}

const NOT_EXECUTED: EscrowResult = {
  outcome: 'refused',
  code: 'escrow_invalid_signature',
  message: 'the transaction of the order did not move the money: prepare and sign again',
}

const TOO_LATE: EscrowResult = {
  outcome: 'refused',
  code: 'service_unavailable',
  message: 'the order was not mined in time: prepare and sign again later',
}

const ANSWERS: Readonly<Record<Exclude<EscrowOrderStatus, 'signed'>, EscrowResult>> = {
  mined: { outcome: 'mined' },
  final: { outcome: 'mined' },
  reverted: NOT_EXECUTED,
  failed: NOT_EXECUTED,
}
