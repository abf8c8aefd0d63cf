import { BaseError } from 'viem'
import type { SignedEscrow } from '../../shared/chain/escrow-call.ts'
import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { querySafe } from '../../shared/chain/read-safe.ts'
import { isRetryable, type Sql } from '../../shared/db/connect.ts'
import { hasUnexecutedOrder, insertEscrowOrder } from '../../shared/db/escrow/daemon/escrow-orders.ts'
import { findEscrowFacts } from '../../shared/db/escrow/escrow-facts.ts'
import {
  consumeEscrowRequest,
  type EscrowAnswer,
  type EscrowRequestPayload,
  listOpenEscrowRequests,
  type OpenEscrowRequest,
} from '../../shared/db/escrow/escrow-requests.ts'
import type { RelayerTransactionRow } from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { answerRequest, FORGED } from '../../shared/db/requests/charge-requests.ts'
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
import { readPayload } from '../requests/read-payload.ts'
import { followEscrowOrders } from './follow-escrow-orders.ts'
import { prepareEscrowCall } from './prepare-escrow-call.ts'

/** What the worker of one chain works with. */
export type EscrowWorkerDeps = {
  readonly sql: Sql
  readonly chain: ChainNodes
  readonly relayer: EvmRelayer
  /** Above it nothing is relayed: a releaser may have taught the Safe to burn our gas. */
  readonly maxGas: bigint
  readonly clock: Clock
  readonly log: Logger
}

/** Requests and orders looked at in one turn. */
const BATCH = 20

/** So many orders that were left open are remembered; beyond, those left longest ago are taken as new. */
const MAX_PUT_OFF = 1000

/**
 * Makes the worker that relays what the releasers of one chain's escrows have signed.
 *
 * A turn verifies each open request against the chain once more, and commits order, nonce and signed bytes together
 * before anything is broadcast; then it follows the orders under way. It may be killed anywhere: the relayer sends the
 * committed bytes again, and the answer comes from what the chain feed shows.
 */
export function createEscrowWorker(deps: EscrowWorkerDeps): {
  readonly turn: () => Promise<'more' | 'idle'>
} {
  /** Ids of the orders that this process has left open, the last it tried last. */
  const putOff = new Set<string>()
  return { turn: () => takeTurn(deps, putOff) }
}

async function takeTurn(deps: EscrowWorkerDeps, putOff: Set<string>): Promise<'more' | 'idle'> {
  const query = { chainId: deps.chain.chainId, limit: BATCH }
  await takeOpen(deps, { ...query, putOff })
  await followEscrowOrders(deps, query)
  return 'idle'
}

/**
 * Ends with the first that is left open, which may have taken a node's whole patience: those made meanwhile come
 * next, and it comes again after all others. What keeps a simulation busy so holds nobody up but its like.
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
    const order = readPayload('escrow_order', request.payload)
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

/** It stays open until its time is over: what is signed now would wait for cheaper gas, and cost an empty transfer. */
function tooDear({ chargeId }: OpenEscrowRequest): AppError {
  return new AppError(
    'service_unavailable',
    `gas is above our ceiling now, so the order for ${chargeId} waits`,
    {
      retryable: true,
    },
  )
}

/** The API makes no such request: somebody else has written the row. */
function forged({ chargeId }: OpenEscrowRequest): AppError {
  return new AppError(FORGED.code, `${FORGED.message}: ${chargeId}`, { retryable: false })
}

/** Trusts nothing of the request but the signature, and that only for what the chain shows now. */
async function verify(
  { sql, chain }: EscrowWorkerDeps,
  request: OpenEscrowRequest,
  { action, signature, amountAtomic: signedAmount }: EscrowRequestPayload,
): Promise<SignedEscrow & { readonly afterBlock: number }> {
  const { chargeId } = request
  const facts = await findEscrowFacts(sql, chargeId)
  invariant(facts !== null, `the request's charge ${chargeId} is gone`)
  invariant(facts.simulatedSafe === null, `nothing is relayed for ${chargeId}, which is on no chain`)
  const escrow = requirePaidEscrow(facts)
  if (escrow.chainId !== chain.chainId) throw forged(request)
  const safe = await querySafe(chain, escrow)
  // What moved the Safe up to the block at which it was read is in its nonce, so it does not execute the order.
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

/** `null` if another daemon was faster, or the relayer has too much under way: then the request stays open. */
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
    // The relayer's lock first, as everybody who signs takes it first among several locks.
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

/** Rolls the signing back. */
class NotSignedError extends Error {}

/**
 * What is wrong with the request is its answer; a node that does not answer leaves it open, and so does a bug of ours,
 * which must not hold up the others: after its five minutes it is answered too.
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
    log.warn({ msg: 'Could not read the chain for an escrow order', ...fields, error })
  } else if (error instanceof AppError) {
    const { code, message } = error
    await answerRequest(sql, id, { outcome: 'refused', code, message } satisfies EscrowAnswer)
    log.warn({ msg: 'Refused an escrow order', ...fields, code, reason: message })
    return 'done'
  } else {
    log.error({ msg: 'An escrow order failed', ...fields, error })
  }
  return 'left'
}
