import type { Address, Hex } from '../../../domain/address.ts'
import { ESCROW_ORDER_TRANSITIONS, isAllowedTransition } from '../../../domain/allowed-transitions.ts'
import { invariant } from '../../../domain/errors.ts'
import type { EscrowAction } from '../../../domain/escrow-action.ts'
import type { AtomicUnits } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'
import type { RelayerTransactionStatus } from '../../relayer/daemon/relayer-transactions.ts'
import { doesTheOrder } from '../executed-orders.ts'

/**
 * Status of an order's transaction. `mined`: not at confirmation depth yet. `reverted`: at confirmation depth without
 * effect, although it cost gas. `failed`: another transaction used its nonce, or it was not mined in time.
 */
export type EscrowOrderStatus = 'signed' | 'mined' | 'final' | 'reverted' | 'failed'

/** A releaser's order whose transaction is signed. */
export type NewEscrowOrder = {
  readonly requestId: string
  readonly chargeId: string
  readonly action: EscrowAction
  readonly chainId: number
  readonly tokenAddress: Address
  readonly destination: Address
  readonly amountAtomic: AtomicUnits
  /** Relayer and nonce identify the transaction, because its hash changes when a stuck transaction is replaced. */
  readonly relayer: Address
  readonly nonce: number
  /** Chain head before the order could be broadcast. */
  readonly afterBlock: number
  readonly createdAt: Date
}

export type InFlightEscrowOrder = {
  readonly requestId: string
  readonly chargeId: string
  readonly status: 'signed' | 'mined'
  /** `null` if someone else with the relayer's key used the nonce. */
  readonly transaction: {
    readonly txHash: Hex
    readonly status: RelayerTransactionStatus
    /** Whether this is the empty transaction that replaced the order's transaction when the order expired. */
    readonly isCancellation: boolean
  } | null
  /**
   * Whether the chain shows the ordered transfer. Any sender can execute a broadcast order, because its signature is
   * public.
   */
  readonly isDone: boolean
}

/** Inserts an order. The caller must sign its relayer transaction in the same database transaction. */
export async function insertEscrowOrder(db: Db, order: NewEscrowOrder): Promise<void> {
  await db`
    insert into escrow_orders (request_id, charge_id, action, chain_id, token_address, destination, amount_atomic,
      relayer, nonce, after_block, created_at)
    values (${order.requestId}, ${order.chargeId}, ${order.action}, ${order.chainId}, ${order.tokenAddress},
      ${order.destination}, ${db.types.numeric(order.amountAtomic)}, ${order.relayer}, ${order.nonce},
      ${order.afterBlock}, ${order.createdAt})`
}

/** Returns whether an order of a charge was sent but not executed. */
export async function hasUnexecutedOrder(db: Db, chargeId: string): Promise<boolean> {
  const rows = await db`
    select from escrow_orders where charge_id = ${chargeId} and status in ('reverted', 'failed') limit 1`
  return rows.length > 0
}

type UnderWayRow = Omit<InFlightEscrowOrder, 'transaction'> & {
  readonly txHash: Hex | null
  readonly transactionStatus: RelayerTransactionStatus | null
  readonly isCancellation: boolean | null
}

/** Lists the orders in flight on a chain, oldest first. */
export async function listInFlightEscrowOrders(
  db: Db,
  query: { readonly chainId: number; readonly limit: number },
): Promise<readonly InFlightEscrowOrder[]> {
  const rows = await db<UnderWayRow[]>`
    select o.request_id, o.charge_id, o.status, t.tx_hash, t.status as transaction_status, t.is_cancellation,
      exists (
        select from escrow_transfers t
        where t.charge_id = o.charge_id and t.chain_id = o.chain_id and t.token_address = o.token_address
          and t.inclusion = 'included'
        group by t.tx_hash having ${doesTheOrder(db)}) as is_done
    from escrow_orders o
    left join relayer_transactions t
      on t.chain_id = o.chain_id and t.relayer = o.relayer and t.nonce = o.nonce and t.status <> 'replaced'
    where o.chain_id = ${query.chainId} and o.status in ('signed', 'mined')
    order by o.created_at
    limit ${query.limit}`
  return rows.map(({ txHash, transactionStatus: status, isCancellation, ...order }) => ({
    ...order,
    transaction:
      txHash === null || status === null ? null : { txHash, status, isCancellation: isCancellation === true },
  }))
}

/** Changes an order's status from `from` to `to`. Returns false if the status is no longer `from`. */
export async function transitionEscrowOrder(
  db: Db,
  move: {
    readonly requestId: string
    readonly from: EscrowOrderStatus
    readonly to: EscrowOrderStatus
  },
): Promise<boolean> {
  invariant(
    isAllowedTransition(ESCROW_ORDER_TRANSITIONS, move),
    `an order cannot change from ${move.from} to ${move.to}`,
  )
  const { count } = await db`
    update escrow_orders set status = ${move.to} where request_id = ${move.requestId} and status = ${move.from}`
  return count > 0
}
