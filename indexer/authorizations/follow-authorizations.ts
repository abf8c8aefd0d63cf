import { findAuthorizationUse } from '../../shared/chain/authorization-use.ts'
import { findReceipt } from '../../shared/chain/receipts.ts'
import type { AuthorizationAnswer } from '../../shared/db/authorizations/authorization-requests.ts'
import {
  type AuthorizationPlace,
  type AuthorizationUnderWay,
  listAuthorizationsUnderWay,
  moveAuthorization,
} from '../../shared/db/authorizations/daemon/authorizations.ts'
import { answerRequest } from '../../shared/db/requests/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { authorizationFailure } from '../../shared/domain/authorization-status.ts'
import { depth } from '../../shared/domain/transfer.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { isWorthless } from './is-worthless.ts'

/** Looked at in one turn; at most one per charge, and eight of our own wait for a block. */
const BATCH = 100

/** Brings every authorization under way on a chain to where the chain has it, and answers those that are mined or over. */
export async function followAuthorizations(context: AuthorizationContext): Promise<'idle'> {
  const query = { chainId: context.client.chain.id, limit: BATCH }
  const underWay = await listAuthorizationsUnderWay(context.sql, query)
  if (underWay.length === 0) return 'idle'
  const head = Number(await context.client.getBlockNumber({ cacheTime: 0 }))
  for (const authorization of underWay) await follow(context, authorization, head)
  return 'idle'
}

async function follow(
  context: AuthorizationContext,
  authorization: AuthorizationUnderWay,
  head: number,
): Promise<void> {
  const { id, requestId, chargeId, status, txHash } = authorization
  const to = await findPlace(context, authorization, head)
  if (to.status === status && to.txHash === txHash) return
  const isMoved = await inTransaction(context.sql, async (db) => {
    if (!(await moveAuthorization(db, { id, from: { status, txHash }, to }))) return false
    const answer = answerOf(to)
    if (answer !== null) await answerRequest(db, requestId, answer)
    return true
  })
  if (!isMoved || to.status === status) return
  context.metrics.countAuthorization(to.status)
  const fields = {
    charge_id: chargeId,
    request_id: requestId,
    from: status,
    to: to.status,
    tx_hash: to.txHash,
  }
  context.log.info({ msg: 'Moved an authorization', ...fields })
}

/**
 * The cases, in order:
 * 1. The token shows that its nonce was spent for this very payment, whoever sent it: mined, and at depth over.
 * 2. It shows that the nonce was spent otherwise: once that is deep, it can pay nothing any more.
 * 3. It shows nothing: what was mined is taken back by a reorganization, unless the node only answers late.
 * 4. Its window is past at depth and its nonce unused, so it can never be carried out: reverted if ours cost gas, else lapsed.
 *    That ours has reverted decides nothing before: what was signed is public, and anybody may send it again.
 * 5. It is in flight, in the version of our transaction that counts now.
 */
async function findPlace(
  context: AuthorizationContext,
  authorization: AuthorizationUnderWay,
  head: number,
): Promise<AuthorizationPlace> {
  const { client, confirmations } = context
  const { status, txHash, transaction, fromBlock } = authorization
  const payment = paymentOf(authorization)
  const use = await findAuthorizationUse(client, payment, fromBlock)
  if (use !== null) {
    const isDeep = depth({ head, block: use.blockNumber }) >= confirmations
    if (!use.isPayment) return isDeep ? { status: 'canceled', txHash: use.txHash } : inFlight(authorization)
    if (!isDeep) return { status: 'mined', txHash: use.txHash }
    return { status: transaction?.txHash === use.txHash ? 'final' : 'taken', txHash: use.txHash }
  }
  if (status === 'mined')
    return (await hasReceipt(context, txHash)) ? { status, txHash } : inFlight(authorization)
  const isResolved = transaction?.status !== 'mined'
  if (isResolved && (await isWorthless(context, { ...payment, validBefore: authorization.validBefore }))) {
    const hasReverted = transaction?.status === 'reverted' && !transaction.isEmpty
    return { status: hasReverted ? 'reverted' : 'lapsed', txHash }
  }
  return inFlight(authorization)
}

function inFlight({ transaction, txHash }: AuthorizationUnderWay): AuthorizationPlace {
  const own = transaction === null || transaction.isEmpty ? null : transaction.txHash
  return { status: 'signed', txHash: own ?? txHash }
}

async function hasReceipt({ client }: AuthorizationContext, hash: Hex | null): Promise<boolean> {
  return hash !== null && (await findReceipt(client, hash))?.status === 'success'
}

function paymentOf({ tokenAddress, payer, nonce, recipient, valueAtomic }: AuthorizationUnderWay) {
  return { token: tokenAddress, payer, nonce, recipient, value: valueAtomic }
}

/** `null` while nothing is known. */
function answerOf({ status, txHash }: AuthorizationPlace): AuthorizationAnswer | null {
  if (status === 'signed') return null
  const failure = authorizationFailure(status)
  if (failure !== null) return { outcome: 'refused', ...failure }
  return txHash === null ? null : { outcome: 'mined', txHash }
}
