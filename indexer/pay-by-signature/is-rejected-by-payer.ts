import { isNonceUsed } from '../../shared/chain/eip3009/authorization-use.ts'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { hasReverted } from '../../shared/chain/nodes/node-errors.ts'
import { queryHead } from '../../shared/chain/nodes/query-head.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import { requireAgreed } from '../../shared/chain/nodes/quorum.ts'
import type { Call } from '../../shared/chain/nodes/simulate.ts'
import type { Address } from '../../shared/domain/address.ts'
import { authorizationCall } from '../../shared/domain/eip3009/authorization.ts'
import type { RequestedAuthorization } from '../requests/parse-payload.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { buildPlainTransfer } from './prepare-authorization-call.ts'

/**
 * Gas limit of the simulated call, far above the gas of any wallet's signature check. Some checks take more than the
 * 200,000 gas that we spend. A check that needs more than this limit counts as a rejection, because a hostile contract
 * burns all the gas that it receives, on nodes that payouts also use.
 */
const ENOUGH_GAS = 5_000_000n

/**
 * Returns whether a signature that nodes have received is worthless, because the payer is a contract that rejects it.
 * All of these conditions must hold at one block: the payer has code, the nonce is unused, the window is open, an
 * ordinary transfer of the same amount would succeed, and the call with the signature reverts. Any other cause of a
 * revert may be temporary: a missing balance, a pause, or an execution of the same signature by a third party.
 *
 * **If this result is wrong, a payer might be asked to pay twice.** A quorum must therefore agree on the head and on
 * all conditions. A check that takes more gas than we spend, but at most `ENOUGH_GAS`, is not a rejection. This
 * function must not be called for a signature of the payer's own key, which we verify ourselves.
 *
 * @throws {AppError} `rpc_unavailable` if no quorum shows a head or agrees on the result
 */
export async function isRejectedByPayer(
  { chain, relayer }: Pick<AuthorizationContext, 'chain' | 'relayer'>,
  asked: RequestedAuthorization,
): Promise<boolean> {
  const { value: head } = await queryHead(chain)
  const { validAfter, validBefore } = asked.signed
  if (head.timestamp <= validAfter || head.timestamp >= validBefore) return false
  const call = {
    ...authorizationCall(asked.token, asked.signed),
    account: relayer.address,
    gas: ENOUGH_GAS,
  }
  const verdict = await queryQuorum(chain, {
    read: ({ client }) => isRejected(client, asked, { call, blockNumber: BigInt(head.number) }),
    toText: String,
  })
  return requireAgreed(verdict, 'the rejection of a signature').value
}

type Trial = {
  readonly call: Call & { readonly gas: bigint }
  readonly blockNumber: bigint
}

async function isRejected(
  client: ChainClient,
  asked: RequestedAuthorization,
  { call, blockNumber }: Trial,
): Promise<boolean> {
  const { token, signed } = asked
  const { from: payer, nonce } = signed
  return (
    (await hasCode(client, { address: payer, blockNumber })) &&
    !(await isNonceUsed(client, { token, payer, nonce }, blockNumber)) &&
    (await passes(client, { ...buildPlainTransfer(asked), blockNumber })) &&
    !(await passes(client, { ...call, blockNumber }))
  )
}

async function hasCode(
  client: ChainClient,
  at: { readonly address: Address; readonly blockNumber: bigint },
): Promise<boolean> {
  const code = await client.getCode(at)
  return code !== undefined && code !== '0x'
}

async function passes(client: ChainClient, call: Parameters<ChainClient['call']>[0]): Promise<boolean> {
  try {
    await client.call(call)
    return true
  } catch (error) {
    if (hasReverted(error)) return false
    throw error
  }
}
