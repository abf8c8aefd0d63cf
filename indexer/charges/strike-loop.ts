import {
  listPendingStrikes,
  rejectStrike,
  STRIKE_TABLES,
  type StrikeOrder,
} from '../../shared/db/charges/daemon/strikes.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { createChainLoop } from '../../shared/runtime/chain-loop.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import type { Loop } from '../../shared/runtime/poll-loop.ts'
import { createCheckedChain } from '../corroboration/checked-chain.ts'
import { recordAgreed } from '../corroboration/record-agreed.ts'
import { type ChargeActorDeps, isChargeError } from './charge-actor.ts'
import { type StrikeOutcome, strikeCharge } from './strike-charge.ts'
import { type StrikeVerdict, type StrikeVerifierDeps, verifyStrike } from './verify-strike.ts'

export type StrikeDeps = ChargeActorDeps & Omit<StrikeVerifierDeps, 'sql'>

/** Poll interval. It is short, because an operator waits up to 30 s for the result. */
const INTERVAL_MS = 2_000
const ASLEEP_MS = 10_000
/** Maximum orders per turn. Each order costs every node about six requests, and more on TRON. */
const ORDERS_PER_TURN = 20

/** Creates the loop that executes operators' strike orders of one chain. Any number of daemons may run it. */
export function createStrikeLoop(actor: ChargeActorDeps, deployment: DeploymentConfig): Loop {
  const deps: StrikeDeps = { ...actor, ...createCheckedChain(deployment) }
  return createChainLoop(deployment, {
    ...{ name: 'strikes', intervalMs: INTERVAL_MS, asleepMs: ASLEEP_MS, log: actor.log },
    turn: () => carryOutStrikes(deps),
  })
}

/**
 * Strikes the rows of the oldest pending orders of the chain, or rejects the orders with a reason, such as a node that
 * did not respond. Sends no request to a node inside a transaction.
 */
export async function carryOutStrikes(deps: StrikeDeps): Promise<'more' | 'idle'> {
  const { chainId } = deps.deployment
  const orders = await listPendingStrikes(deps.sql, { chainId, limit: ORDERS_PER_TURN })
  for (const order of orders) {
    const answer = await carryOut(deps, order)
    if (answer !== null) await refuse(deps, order, answer)
  }
  return orders.length === ORDERS_PER_TURN ? 'more' : 'idle'
}

/** Returns why the order is rejected; `null` if the row was struck. */
async function carryOut(deps: StrikeDeps, order: StrikeOrder): Promise<string | null> {
  const { row, kind, chargeId } = order
  if (row === null) return 'the row no longer counts'
  const denial = await ask(deps, { ...row, chargeId, table: STRIKE_TABLES[kind] })
  if (denial.outcome === 'refused') return denial.answer
  const outcome = await tryStrike(deps, order)
  if (outcome === 'failed') return `recomputing ${chargeId} failed: see the daemon's log`
  if (outcome === 'quarantined')
    return `${chargeId} is quarantined: release it first (see npm run charges -- quarantined)`
  if (outcome === 'not counted') return 'the row no longer counts'
  await recordTruth(deps, order, denial)
  return null
}

async function ask(deps: StrikeDeps, row: Parameters<typeof verifyStrike>[1]): Promise<StrikeVerdict> {
  try {
    return await verifyStrike(deps, row)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rpc_unavailable') throw error
    return { outcome: 'refused', answer: error.message }
  }
}

/**
 * Returns `failed` if the order's own charge causes an error, so that the order does not block the orders behind it.
 */
async function tryStrike(deps: StrikeDeps, order: StrikeOrder): Promise<StrikeOutcome | 'failed'> {
  try {
    return await strike(deps, order)
  } catch (error) {
    if (!isChargeError(error)) throw error
    deps.log.error({
      msg: 'Could not recompute a charge without the row to strike',
      charge_id: order.chargeId,
      error,
    })
    return 'failed'
  }
}

async function strike(deps: StrikeDeps, order: StrikeOrder): Promise<StrikeOutcome> {
  const { kind, rowId, chargeId, chainId, reason, orderedBy } = order
  const outcome = await inTransaction(deps.sql, (db) => strikeCharge(deps, db, order))
  if (outcome !== 'struck') return outcome
  deps.onEvents()
  const ids = { row: `${kind}:${rowId}`, charge_id: chargeId, chain_id: chainId, tx_hash: order.row?.txHash }
  deps.log.warn({ msg: 'Struck a row: every node denies it', ...ids, reason, ordered_by: orderedBy })
  return outcome
}

/**
 * Records the rows that a quorum of nodes reports for the transaction instead of the struck row, such as a payment of
 * another amount. They count like any other row that a quorum reports.
 */
async function recordTruth(deps: StrikeDeps, order: StrikeOrder, denial: StrikeVerdict): Promise<void> {
  if (denial.outcome !== 'denied' || denial.effects.outcome !== 'agreed' || order.row === null) return
  const { effects, confirmedHeadNumber } = denial
  await recordAgreed(deps, deps.deployment, [
    { txHash: order.row.txHash, effects: effects.agreed, confirmedHeadNumber },
  ])
}

async function refuse(deps: StrikeDeps, order: StrikeOrder, answer: string): Promise<void> {
  await rejectStrike(deps.sql, { id: order.id, answer })
  const { kind, rowId, chargeId, chainId } = order
  const ids = { row: `${kind}:${rowId}`, charge_id: chargeId, chain_id: chainId }
  deps.log.warn({ msg: 'Rejected a strike', ...ids, answer })
}
