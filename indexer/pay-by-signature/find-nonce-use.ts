import { BaseError } from 'viem'
import {
  type AuthorizationUse,
  findAuthorizationUse,
  readAuthorizationUse,
} from '../../shared/chain/eip3009/authorization-use.ts'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import type { Verdict } from '../../shared/chain/nodes/quorum.ts'
import type { InFlightAuthorization } from '../../shared/db/pay-by-signature/daemon/authorizations.ts'
import type { TrackingContext } from './authorization-context.ts'
import { CLOCK_SKEW_MS, getMaxUseBlocks } from './use-window.ts'

/**
 * Finds the transaction, from any sender, that used an authorization's nonce according to a quorum. A use of `null`
 * means that the quorum shows no such transaction, which does not prove that the nonce is unused.
 */
export function queryUse(
  context: TrackingContext,
  authorization: InFlightAuthorization,
  head: number,
): Promise<Verdict<AuthorizationUse | null>> {
  const range = { ...rangeOf(context, authorization, head), head }
  return queryQuorum(context.chain, {
    read: ({ client }) => findNonceUse(client, authorization, range),
    toText: writeUse,
  })
}

/** Serializes a use. Two texts are equal if and only if the uses are equal. */
export function writeUse(use: AuthorizationUse | null): string {
  return use === null ? 'none' : `${use.txHash}/${use.blockNumber}/${use.blockHash}/${use.isPayment}`
}

type UseRange = Parameters<typeof findAuthorizationUse>[2]

/**
 * Finds the use in the logs. If the logs do not show the use or cannot be searched, reads our mined transaction, or the
 * transaction that was found earlier. This read also finds a payment that the logs miss: if a node reported too high
 * a head when the authorization was accepted, `fromBlock` is above the payment's block, and once that block is deep,
 * the search starts above it (`rangeOf`).
 *
 * @throws {BaseError} from viem if the node does not respond
 */
async function findNonceUse(
  client: ChainClient,
  authorization: InFlightAuthorization,
  range: UseRange,
): Promise<AuthorizationUse | null> {
  const payment = toAuthorizedPayment(authorization)
  const known = findKnown(authorization)
  if (known === null) return findAuthorizationUse(client, payment, range)
  const shown = await findAuthorizationUse(client, payment, range).catch((error: unknown) => {
    if (error instanceof BaseError) return null
    throw error
  })
  return shown ?? readAuthorizationUse(client, payment, known)
}

/**
 * Returns the bounds of the search for the payment. The range always starts below the current head, because `fromBlock`
 * is too high if a node reported too high a head when the authorization was accepted.
 */
function rangeOf(
  { confirmations, blockTimeMs }: Pick<TrackingContext, 'confirmations' | 'blockTimeMs'>,
  { fromBlock, validBefore }: Pick<InFlightAuthorization, 'fromBlock' | 'validBefore'>,
  head: number,
) {
  const newest = Math.max(0, head - confirmations - Math.ceil(CLOCK_SKEW_MS / blockTimeMs))
  const mostBlocks = getMaxUseBlocks({ confirmations, blockTimeMs })
  return { fromBlock: Math.min(fromBlock, newest), validBefore, mostBlocks }
}

export function toAuthorizedPayment({
  tokenAddress,
  payer,
  nonce,
  recipient,
  valueAtomic,
}: InFlightAuthorization) {
  return { token: tokenAddress, payer, nonce, recipient, value: valueAtomic }
}

function findKnown({ status, txHash, transaction }: InFlightAuthorization) {
  if (status !== 'signed') return txHash
  const isMined = transaction?.status === 'mined' || transaction?.status === 'final'
  return isMined && !transaction.isCancellation ? transaction.txHash : null
}
