import { BaseError } from 'viem'
import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { SignedEscrow } from '../../shared/chain/safe/escrow-call.ts'
import { querySafe } from '../../shared/chain/safe/read-safe.ts'
import { isRetryable, type Sql } from '../../shared/db/connect.ts'
import { hasUnexecutedOrder, insertEscrowOrder } from '../../shared/db/escrow/daemon/escrow-orders.ts'
import { findEscrowFacts } from '../../shared/db/escrow/escrow-facts.ts'
import {
  consumeEscrowRequest,
  type EscrowRequestPayload,
  type EscrowResult,
  listOpenEscrowRequests,
  type OpenEscrowRequest,
} from '../../shared/db/escrow/escrow-requests.ts'
import type { RelayerTransactionRow } from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { INVALID_REQUEST_ERROR, respondToRequest } from '../../shared/db/requests/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import type { EscrowAction } from '../../shared/domain/escrow-action.ts'
import {
  draftEscrowTransaction,
  requirePaidEscrow,
  verifyEscrowSignature,
} from '../../shared/domain/escrow-order.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { EvmRelayer } from '../relayer/evm-relayer.ts'
import type { RelayerCall } from '../relayer/relayer-context.ts'
import { parsePayload } from '../requests/parse-payload.ts'
import { prepareEscrowCall } from './prepare-escrow-call.ts'
import { trackEscrowOrders } from './track-escrow-orders.ts'

export type EscrowWorkerDeps = {
  readonly sql: Sql
  readonly chain: ChainNodes
  readonly relayer: EvmRelayer
  /** Maximum gas of a relayed call. A releaser may have changed the Safe so that it burns our gas. */
  readonly maxGas: bigint
  readonly clock: Clock
  readonly log: Logger
}

/** Maximum requests that a turn reads, and maximum orders in flight that it updates. */
const BATCH = 20

/** Maximum ids of deferred requests in memory. Above it, the oldest id is dropped, and its request counts as new. */
const MAX_PUT_OFF = 1000

/**
 * Creates the worker that relays the orders signed by the releasers of one chain's escrows.
 *
 * For each open request, a turn repeats the API's checks against the chain, and commits the order, nonce and signed
 * bytes in one transaction before it broadcasts the bytes. It then updates the orders in flight. The worker may be
 * killed at any point, because the relayer rebroadcasts the committed bytes, and later turns respond to the requests.
 */
export function createEscrowWorker(deps: EscrowWorkerDeps) {
  /** Ids of the requests that this process has deferred, in the order of their last attempts. */
  const putOff = new Set<string>()
  return { turn: () => takeTurn(deps, putOff) }
}

async function takeTurn(deps: EscrowWorkerDeps, putOff: Set<string>): Promise<'idle'> {
  const query = { chainId: deps.chain.chainId, limit: BATCH }
  await takeOpen(deps, { ...query, putOff })
  await trackEscrowOrders(deps, query)
  return 'idle'
}

/**
 * Processes open requests until one is deferred, because that request may have taken a node's whole timeout. The next
 * turn processes deferred requests last, so a request with a slow simulation delays only other deferred requests.
 */
async function takeOpen(
  deps: EscrowWorkerDeps,
  { putOff, ...query }: { readonly chainId: number; readonly limit: number; readonly putOff: Set<string> },
): Promise<void> {
  for (const request of await listOpenEscrowRequests(deps.sql, { ...query, putOff: [...putOff] })) {
    putOff.delete(request.id)
    if ((await take(deps, request)) === 'left') {
      putOff.add(request.id)
      const [longest] = putOff
      if (putOff.size > MAX_PUT_OFF && longest !== undefined) putOff.delete(longest)
      return
    }
  }
}

async function take(deps: EscrowWorkerDeps, request: OpenEscrowRequest): Promise<'done' | 'left'> {
  try {
    if (request.isExpired) throw expired(request)
    const order = parsePayload('escrow_order', request.payload)
    if (order === null || !request.isOfOrganization) throw forged(request)
    const signed = await verify(deps, request, order)
    const isDoubted = await hasUnexecutedOrder(deps.sql, request.chargeId)
    const call = await prepareEscrowCall(deps, { ...signed, isDoubted })
    const transaction = await sign(deps, { request, action: order.action, signed, call })
    if (transaction !== null) await deps.relayer.broadcast(transaction)
    return 'done'
  } catch (error) {
    return refuse(deps, request, error)
  }
}

function expired({ chargeId }: OpenEscrowRequest): AppError {
  return new AppError('service_unavailable', `the order for ${chargeId} could not be relayed in time`, {
    retryable: false,
  })
}

/**
 * Creates the error that keeps the request open until it is five minutes old. No transaction is signed, because it
 * would wait for lower fees, and if the order expired first, we would pay for an empty transaction with its nonce.
 */
function tooDear({ chargeId }: OpenEscrowRequest): AppError {
  const message = `the fees are above our ceiling, so the order for ${chargeId} waits`
  return new AppError('service_unavailable', message, { retryable: true })
}

/** Creates the error for a request row that the API never writes, so that a third party must have written it. */
function forged({ chargeId }: OpenEscrowRequest): AppError {
  return new AppError(INVALID_REQUEST_ERROR.code, `${INVALID_REQUEST_ERROR.message}: ${chargeId}`, {
    retryable: false,
  })
}

/** Verifies a request. Trusts only the signature, and redrafts the transaction from our rows and the Safe. */
async function verify(
  { sql, chain }: EscrowWorkerDeps,
  request: OpenEscrowRequest,
  { action, signature, amountAtomic: signedAmount }: EscrowRequestPayload,
): Promise<SignedEscrow & { readonly afterBlock: number }> {
  const { chargeId } = request
  const facts = await findEscrowFacts(sql, chargeId)
  invariant(facts !== null, `the request's charge ${chargeId} does not exist`)
  invariant(
    facts.simulatedSafe === null,
    `no order is relayed for ${chargeId}, because a simulated charge is on no chain`,
  )
  const escrow = requirePaidEscrow(facts)
  if (escrow.chainId !== chain.chainId) throw forged(request)
  const safe = await querySafe(chain, escrow)
  // The order is signed for the Safe's nonce at this block, so the order was not executed up to this block.
  const afterBlock = safe.blockNumber
  const transaction = draftEscrowTransaction({ action, signedAmount }, escrow, safe)
  const { releaser } = escrow
  return {
    escrow,
    transaction,
    signature: await verifyEscrowSignature(transaction, { releaser, signature }),
    isDeployed: safe.isDeployed,
    afterBlock,
  }
}

type Signing = {
  readonly request: OpenEscrowRequest
  readonly action: EscrowAction
  readonly signed: SignedEscrow & { readonly afterBlock: number }
  readonly call: RelayerCall
}

/**
 * Signs, stores and returns the order's transaction. Returns `null` if another daemon was faster, the order has
 * expired, or the relayer has too many unmined transactions.
 *
 * @throws {AppError} with `retryable` if the fees are too high
 */
async function sign(
  { sql, relayer, clock, log }: EscrowWorkerDeps,
  { request, action, signed, call }: Signing,
): Promise<RelayerTransactionRow | null> {
  const { id: requestId, chargeId, apiRequestId } = request
  const { chainId, tokenAddress, destination, amountAtomic } = signed.transaction
  const quote = await relayer.quote(call)
  if (!quote.fees.isMineable || !quote.dataFee.isWithinBound) throw tooDear(request)
  const now = clock()
  const transaction = await inTransaction(sql, async (db) => {
    // Take the relayer's lock first, like every signer that takes several locks.
    const sent = await relayer.sign(db, { ...call, validUntil: request.validUntil }, quote)
    if (sent === null || !(await consumeEscrowRequest(db, requestId, now))) throw new NotSignedError()
    const { relayer: address, nonce } = sent
    const order = { chargeId, action, chainId, tokenAddress, destination, amountAtomic, createdAt: now }
    const { afterBlock } = signed
    await insertEscrowOrder(db, { ...order, requestId, relayer: address, nonce, afterBlock })
    return sent
  }).catch((error: unknown) => {
    if (error instanceof NotSignedError) return null
    throw error
  })
  if (transaction === null) return null
  const { txHash, nonce } = transaction
  const ids = { request_id: requestId, api_request_id: apiRequestId, charge_id: chargeId }
  const fields = { ...ids, action, tx_hash: txHash, nonce }
  log.info({ msg: 'Signed an escrow order', ...fields })
  return transaction
}

/** Thrown to roll back the database transaction if the order cannot be signed. */
class NotSignedError extends Error {}

/**
 * Responds to the request with its error. If the chain could not be read, the fees are too high, or this code has a
 * bug, the error is only logged, and the request stays open for a retry until it is five minutes old.
 *
 * @throws a retryable error of the database
 */
async function refuse(
  deps: EscrowWorkerDeps,
  request: OpenEscrowRequest,
  error: unknown,
): Promise<'done' | 'left'> {
  const { sql, log } = deps
  const { id, chargeId } = request
  const fields = { request_id: id, charge_id: chargeId }
  if (isRetryable(error)) throw error
  if (error instanceof BaseError || (error instanceof AppError && error.retryable)) {
    log.warn({
      msg: 'An escrow order waits: its chain cannot be read, or its fees are too high',
      ...fields,
      error,
    })
  } else if (error instanceof AppError) {
    const { code, message } = error
    await respondToRequest(sql, id, { outcome: 'refused', code, message } satisfies EscrowResult)
    log.warn({ msg: 'Rejected an escrow order', ...fields, code, reason: message })
    return 'done'
  } else {
    log.error({ msg: 'An escrow order failed', ...fields, error })
  }
  return 'left'
}
