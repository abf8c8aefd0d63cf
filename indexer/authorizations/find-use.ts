import { BaseError } from 'viem'
import {
  type AuthorizationUse,
  findAuthorizationUse,
  readAuthorizationUse,
} from '../../shared/chain/authorization-use.ts'
import type { AuthorizationUnderWay } from '../../shared/db/authorizations/daemon/authorizations.ts'
import type { FollowContext } from './authorization-context.ts'
import { MARGIN_MS, mostBlocksOfUse } from './use-range.ts'

/**
 * Finds what spent an authorization's nonce, whoever sent it; `null` if nothing is shown, which proves nothing.
 *
 * Where the logs show nothing, or cannot be searched, the transaction that is known to carry it out is asked for itself: a node that was wrong about
 * its head when this was taken would else have us look above it for ever.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function findUse(
  context: FollowContext,
  authorization: AuthorizationUnderWay,
  head: number,
): Promise<AuthorizationUse | null> {
  const { client } = context
  const payment = paymentOf(authorization)
  const range = { ...rangeOf(context, authorization, head), head }
  const known = findKnown(authorization)
  if (known === null) return findAuthorizationUse(client, payment, range)
  const shown = await findAuthorizationUse(client, payment, range).catch((error: unknown) => {
    if (error instanceof BaseError) return null
    throw error
  })
  return shown ?? readAuthorizationUse(client, payment, known)
}

/** In which blocks it can have been carried out; from below the head of now, too, for the one it was taken at is one node's word. */
function rangeOf(
  { confirmations, blockTimeMs }: Pick<FollowContext, 'confirmations' | 'blockTimeMs'>,
  { fromBlock, validBefore }: Pick<AuthorizationUnderWay, 'fromBlock' | 'validBefore'>,
  head: number,
) {
  const newest = Math.max(0, head - confirmations - Math.ceil(MARGIN_MS / blockTimeMs))
  const mostBlocks = mostBlocksOfUse({ confirmations, blockTimeMs })
  return { fromBlock: Math.min(fromBlock, newest), validBefore, mostBlocks }
}

/** What was signed, and for what. */
export function paymentOf({ tokenAddress, payer, nonce, recipient, valueAtomic }: AuthorizationUnderWay) {
  return { token: tokenAddress, payer, nonce, recipient, value: valueAtomic }
}

function findKnown({ status, txHash, transaction }: AuthorizationUnderWay) {
  if (status !== 'signed') return txHash
  const isMined = transaction?.status === 'mined' || transaction?.status === 'final'
  return isMined && !transaction.isEmpty ? transaction.txHash : null
}
