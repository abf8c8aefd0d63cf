import {
  type AuthorizationUse,
  findAuthorizationUse,
  isNonceUsed,
} from '../../shared/chain/eip3009/authorization-use.ts'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { InvalidResponseError } from '../../shared/chain/nodes/node-errors.ts'
import type { BlockRef } from '../../shared/chain/nodes/node-report.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import { requireAgreed } from '../../shared/chain/nodes/quorum.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { getDepth } from '../../shared/domain/transfer.ts'
import type { RequestedAuthorization } from '../requests/parse-payload.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { writeUse } from './find-nonce-use.ts'
import { getMaxUseBlocks, LOOKBACK_MS } from './use-window.ts'

/**
 * Finds a third party's transaction that executed the authorization. Such a transaction counts like our own. Returns
 * `null` if a quorum reports that the nonce is not used.
 *
 * The signature might still pay the charge while no quorum shows the transaction that used the nonce, or while a
 * reorganization could still remove a transaction that used it for another purpose. The request then stays open,
 * because a rejection would make the payer sign again.
 *
 * @throws {AppError} `authorization_used` if a transaction at confirmation depth used the nonce for another purpose;
 * `rpc_unavailable` if no quorum agrees on the use of the nonce, or if the transaction that used it for another purpose
 * is not at confirmation depth
 */
export async function findSpent(
  { chain, confirmations, blockTimeMs }: AuthorizationContext,
  { token, signed }: RequestedAuthorization,
  { number: head }: BlockRef,
): Promise<{ readonly txHash: Hex; readonly fromBlock: number } | null> {
  const { from: payer, to: recipient, value, nonce } = signed
  const payment = { token, payer, nonce, recipient, value }
  const fromBlock = Math.max(0, head - Math.ceil(LOOKBACK_MS / blockTimeMs))
  const mostBlocks = getMaxUseBlocks({ confirmations, blockTimeMs })
  const range = { fromBlock, head, validBefore: Number(signed.validBefore), mostBlocks }
  const verdict = await queryQuorum(chain, {
    read: ({ client }) => findUseOfSpent(client, payment, range),
    toText: writeUse,
  })
  const { value: use } = requireAgreed(verdict, `the use of nonce ${nonce}`)
  if (use === null) return null
  if (use.isPayment) return { txHash: use.txHash, fromBlock }
  if (getDepth({ head, block: use.blockNumber }) < confirmations)
    throw new AppError(
      'rpc_unavailable',
      `the transaction that used nonce ${nonce} is not at confirmation depth`,
    )
  throw new AppError('authorization_used', `nonce ${nonce} of ${payer} was already used`)
}

/**
 * Returns `null` if the nonce is not used. Throws if the node reports the nonce as used but does not show the
 * transaction; the node then counts as silent.
 */
async function findUseOfSpent(
  client: ChainClient,
  payment: Parameters<typeof findAuthorizationUse>[1],
  range: Parameters<typeof findAuthorizationUse>[2],
): Promise<AuthorizationUse | null> {
  if (!(await isNonceUsed(client, payment, BigInt(range.head)))) return null
  const use = await findAuthorizationUse(client, payment, range)
  if (use !== null) return use
  throw new InvalidResponseError({
    method: 'eth_getLogs',
    answer: `no transaction that used nonce ${payment.nonce}`,
  })
}
