import type { Sql } from '../../shared/db/connect.ts'
import {
  type EscrowOrderStatus,
  type EscrowOrderUnderWay,
  listEscrowOrdersUnderWay,
  moveEscrowOrder,
} from '../../shared/db/escrow/daemon/escrow-orders.ts'
import type { EscrowAnswer } from '../../shared/db/escrow/escrow-requests.ts'
import { answerRequest } from '../../shared/db/requests/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Logger } from '../../shared/runtime/logger.ts'

type Deps = { readonly sql: Sql; readonly log: Logger }

/** Writes down how far the orders under way on a chain have come, and answers those that are over. */
export async function followEscrowOrders(
  deps: Deps,
  query: { readonly chainId: number; readonly limit: number },
): Promise<void> {
  for (const order of await listEscrowOrdersUnderWay(deps.sql, query)) await follow(deps, order)
}

async function follow(deps: Deps, order: EscrowOrderUnderWay): Promise<void> {
  const { requestId, status: from } = order
  const to = statusOf(order)
  if (to === from) return
  const isMoved = await inTransaction(deps.sql, async (db) => {
    if (!(await moveEscrowOrder(db, { requestId, from, to }))) return false
    const isOver = to === 'failed' && order.transaction?.isEmpty === true
    if (to !== 'signed') await answerRequest(db, requestId, isOver ? TOO_LATE : ANSWERS[to])
    return true
  })
  if (isMoved) {
    deps.log.info({
      msg: 'Moved an escrow order',
      request_id: requestId,
      charge_id: order.chargeId,
      from,
      to,
    })
  }
}

/**
 * The cases, in order:
 * 1. The chain shows what was ordered: mined, and settled once our transaction is, be it that a stranger relayed the
 *    same signature first and ours reverted.
 * 2. Our transaction is at depth and succeeded, though the feed has not shown its transfer yet.
 * 3. It reverted at depth: it has moved nothing, and the releaser may sign again, but not for ever.
 * 4. Its nonce is lost, or was used up by an empty transaction because its time was over; the releaser may sign again.
 * 5. It waits to be mined, again if a reorganization took it back.
 */
function statusOf({ isDone, transaction }: EscrowOrderUnderWay): EscrowOrderStatus {
  const isUnresolved = transaction?.status === 'signed' || transaction?.status === 'mined'
  if (isDone) return isUnresolved ? 'mined' : 'final'
  if (isUnresolved) return 'signed'
  return transaction === null || transaction.isEmpty || transaction.status === 'replaced'
    ? 'failed'
    : transaction.status
}

const NOT_EXECUTED: EscrowAnswer = {
  outcome: 'refused',
  code: 'escrow_invalid_signature',
  message: 'the escrow changed before the order was executed: prepare and sign again',
}

const TOO_LATE: EscrowAnswer = {
  outcome: 'refused',
  code: 'service_unavailable',
  message: 'the order was not mined in time, for gas was too dear: prepare and sign again later',
}

const ANSWERS: Readonly<Record<Exclude<EscrowOrderStatus, 'signed'>, EscrowAnswer>> = {
  mined: { outcome: 'mined' },
  final: { outcome: 'mined' },
  reverted: NOT_EXECUTED,
  failed: NOT_EXECUTED,
}
