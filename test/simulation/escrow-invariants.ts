import type { Address, Hex } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { EscrowAction } from '../../shared/domain/escrow-action.ts'
import {
  type EscrowTruth,
  findTrueEnd,
  isExecuted,
  listPossibleEnds,
  listWorthyCredits,
  readEscrow,
  type SafeMove,
  type SignedOrder,
} from './escrow-truth.ts'
import type { InvariantContext } from './invariant-context.ts'
import { findLoggedToken, toLogged } from './logged-token.ts'
import { RELAYER, RELEASER } from './world.ts'

type OrderNow = SignedOrder & {
  readonly requestId: string
  readonly chargeId: string
  readonly status: string
  readonly createdAt: Date
}

type MoveNow = {
  readonly id: number
  readonly chargeId: string
  readonly chainId: number
  readonly txHash: Hex
  readonly tokenAddress: Address
  readonly recipient: Address
  readonly amountAtomic: bigint
  readonly dustAtto: bigint
}

type EndNow = {
  readonly id: string
  readonly action: EscrowAction | null
  readonly endedAt: Date | null
  readonly events: readonly string[]
}

/**
 * At all times: an escrow has at most one order in flight, and each transfer that counts for it was on the chain at
 * confirmation depth.
 */
export async function findFalseEscrowRows({
  database,
  history,
  charges,
}: InvariantContext): Promise<readonly string[]> {
  if (!charges.some(({ escrow }) => escrow !== null)) return []
  const twice = await database.sql<{ problem: string }[]>`
    select charge_id || ' has ' || count(*) || ' escrow orders in flight' as problem from escrow_orders
    where status = 'signed' or (status = 'mined' and exists (
      select from requests r where r.id = request_id and r.responded_at is null))
    group by charge_id having count(*) > 1`
  const rows = await database.sql<MoveNow[]>`
    select id, charge_id, chain_id, tx_hash, token_address, recipient, amount_atomic, dust_atto
    from escrow_transfers
    where applied_at is not null`
  const invented = rows.filter((row) => {
    const charge = charges.find(({ id }) => id === row.chargeId)
    const { chain, deployment = { tokens: [] } } = history.scenes.get(row.chainId) ?? {}
    const receipts = chain?.deepReceipts(row.txHash) ?? []
    return !receipts.some(({ logs }) =>
      logs.some(({ address, topics, data }) => {
        const token = findLoggedToken(deployment, address)
        return (
          token?.address === row.tokenAddress &&
          topics[1]?.endsWith(charge?.address.slice(2) ?? '?') === true &&
          topics[2]?.endsWith(row.recipient.slice(2)) === true &&
          BigInt(data) === toLogged(token, row.amountAtomic) + row.dustAtto
        )
      }),
    )
  })
  return [
    ...twice.map(({ problem }) => problem),
    ...invented.map(
      ({ id, txHash }) => `escrow transfer ${id} counts, but ${txHash} at depth does not contain it`,
    ),
  ]
}

/**
 * At rest: the rows of an escrow agree with the chains, as the functions below check. Reports no violation if a
 * reorganization has removed a block at confirmation depth.
 */
export async function findWrongEscrows({
  database,
  history,
  charges,
}: InvariantContext): Promise<readonly string[]> {
  const escrows = charges.filter(({ escrow }) => escrow !== null)
  if (escrows.length === 0) return []
  const unanswered = await database.sql<{ problem: string }[]>`
    select 'order ' || id || ' has no response' as problem from requests
    where kind = 'escrow_order' and responded_at is null`
  const orders = await database.sql<OrderNow[]>`
    select request_id, charge_id, action, chain_id, token_address, destination, amount_atomic, after_block, status,
      created_at
    from escrow_orders order by created_at, request_id`
  if ([...history.scenes.values()].some(({ chain }) => chain.hasLostDepth())) return []
  const ends = await database.sql<EndNow[]>`
    select c.id, case when escrow_released_at is not null then 'release' when escrow_refunded_at is not null then 'refund' end
        as action,
      coalesce(escrow_released_at, escrow_refunded_at) as ended_at,
      array(select e.type from events e where e.charge_id = c.id and e.type like 'charge.escrow_%') as events
    from charges c where c.escrow_releaser is not null`
  return [
    ...unanswered.map(({ problem }) => problem),
    ...escrows.flatMap((charge) => {
      const truth = readEscrow(charge, history.scenes.values())
      const held = { id: charge.id, action: null, endedAt: null, events: [] }
      const now = ends.find(({ id }) => id === charge.id) ?? held
      const given = orders.filter(({ chargeId }) => chargeId === charge.id)
      return [
        ...findWrongOrders(given, truth),
        ...findStrayMoney(charge, truth),
        ...findSecondEnds(charge, { truth, orders: given, now }),
        ...findWrongEnd(charge, { truth, orders: given, now }),
      ]
    }),
  ]
}

/**
 * Every order is resolved, the chain shows the transfer of every final order, and our relayer executes no order twice.
 * Two equal transfers are allowed for two equal orders. The releaser and strangers can make further equal transfers:
 * also with a signature that the service has not accepted as an order.
 */
export function findWrongOrders(
  orders: readonly OrderNow[],
  { moves }: Pick<EscrowTruth, 'moves'>,
): readonly string[] {
  return orders.flatMap((order) => {
    const { requestId, status } = order
    if (status === 'signed' || status === 'mined') return [`order ${requestId} is still ${status}`]
    const executed = moves.filter((move) => isExecuted(order, moves, move))
    if (status === 'final' && executed.length === 0)
      return [`order ${requestId} is final, but was not executed`]
    const ours = new Set(executed.filter(({ by }) => by === RELAYER).map(({ txHash }) => txHash))
    const equals = orders.filter((other) => executed.some((move) => isExecuted(other, moves, move)))
    if (ours.size > equals.length) return [`order ${requestId} was executed ${ours.size} times`]
    return []
  })
}

/**
 * Money leaves a Safe only into the split or to a payer, unless the releaser moves it on chain. A sender of dust may
 * receive less than 2 % of the charge's amount in each move.
 */
export function findStrayMoney(charge: ChargeRecord, truth: EscrowTruth): readonly string[] {
  const payers = listWorthyCredits(truth, charge).map(({ sender }) => sender)
  const senders = truth.credits.map(({ sender }) => sender)
  const isDust = ({ amountAtto }: SafeMove) => amountAtto * 100n < 2n * charge.amountMicro * 10n ** 12n
  return truth.moves
    .filter(({ by, to }) => by !== RELEASER && to !== charge.splitAddress && !payers.includes(to))
    .filter((move) => !senders.includes(move.to) || !isDust(move))
    .map(
      ({ txHash, to }) => `${txHash} moved money of the escrow ${charge.id} to ${to}, which is not a party`,
    )
}

type OrdersAndEnd = {
  readonly truth: EscrowTruth
  readonly orders: readonly OrderNow[]
  readonly now: EndNow
}

/**
 * At most one executed order ends an escrow. An order that is executed before a payer has paid at least one percent
 * ends nothing. If moves without an order have ended the escrow, the service accepts orders until the rows show the
 * end, because this end first waits for a comparison of the Safe's balances. These orders end nothing either.
 */
export function findSecondEnds(
  charge: ChargeRecord,
  { truth, orders, now }: OrdersAndEnd,
): readonly string[] {
  const { moves, credits } = truth
  const isDirect = findTrueEnd(truth, charge, orders)?.isOrdered === false
  const isBeforeEnd = ({ createdAt }: OrderNow) => now.endedAt === null || createdAt < now.endedAt
  const counted = isDirect ? orders.filter((order) => !isBeforeEnd(order)) : orders
  const executed = moves.filter((move) => counted.some((order) => isExecuted(order, moves, move)))
  const isEnding = ({ timestamp: end }: SafeMove) =>
    listWorthyCredits({ credits: credits.filter(({ timestamp }) => timestamp <= end) }, charge).length > 0
  const ending = new Set(executed.filter(isEnding).map(({ txHash }) => txHash))
  return ending.size > 1 ? [`${ending.size} orders have ended the escrow ${charge.id}`] : []
}

/**
 * An escrow that has ended did so in a way that the chains support (`listPossibleEnds`). An escrow whose end the chains
 * require has ended. An event is sent if and only if an order has ended the escrow.
 */
export function findWrongEnd(charge: ChargeRecord, { truth, orders, now }: OrdersAndEnd): readonly string[] {
  const { id, action, events } = now
  const required = findTrueEnd(truth, charge, orders)
  if (action === null)
    return required === null ? [] : [`the escrow of ${id} is held, but it ended by a ${required.action}`]
  const possible = listPossibleEnds(truth, charge, orders)
  const name = `charge.escrow_${action === 'release' ? 'released' : 'refunded'}`
  const isTold = events.length > 0
  const isPossible = possible.some((end) => end.action === action && end.isOrdered === isTold)
  return [
    ...(isPossible ? [] : [`the escrow of ${id} ended by a ${action}, which the chains do not show`]),
    ...(events.every((type) => type === name) ? [] : [`${id} sent ${events.join()} after a ${action}`]),
  ]
}
