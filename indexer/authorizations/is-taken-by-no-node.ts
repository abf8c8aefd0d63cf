import { isAuthorizationSpent } from '../../shared/chain/authorization-use.ts'
import type { ChainClient } from '../../shared/chain/client.ts'
import { hasReverted } from '../../shared/chain/node-errors.ts'
import type { Address } from '../../shared/domain/address.ts'
import { authorizationCall } from '../../shared/domain/authorization.ts'
import type { RequestedAuthorization } from '../requests/read-payload.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { ordinaryTransfer } from './prepare-authorization-call.ts'

/**
 * Far above what any wallet takes to check a signature, some of which take more than the 200,000 that we spend. A hostile one
 * burns all that it is given, on a node that payouts share: who takes more of his own accord has refused.
 */
const ENOUGH_GAS = 5_000_000n

/**
 * Tells whether a signature that nodes were shown is worth nothing to any of them, because the code that is its payer says no:
 * he has code, the nonce is unspent, the window is open, an ordinary transfer of the same would pass, and this one reverts; all
 * of it at one block. Whatever else it reverts for may pass: a balance that is back, a pause that is over, or this very
 * signature, which somebody has carried out already.
 *
 * **Here a payer could be asked to pay twice**: every node must answer, and say all of it; one that lags may not know yet what
 * another that fails just now would say. That it takes more gas than we spend is no such no. What his own key has signed we know
 * ourselves: that is never asked about here.
 *
 * @throws {BaseError} viem's, if a node does not answer
 */
export async function isTakenByNoNode(
  context: Pick<AuthorizationContext, 'nodes' | 'relayer'>,
  asked: RequestedAuthorization,
): Promise<boolean> {
  const { token, signed } = asked
  const { from: payer, nonce } = signed
  const call = { ...authorizationCall(token, signed), account: context.relayer.address, gas: ENOUGH_GAS }
  const ask = async (node: ChainClient): Promise<boolean> => {
    const { number: blockNumber, timestamp } = await node.getBlock()
    return (
      timestamp > signed.validAfter &&
      timestamp < signed.validBefore &&
      (await hasCode(node, { address: payer, blockNumber })) &&
      !(await isAuthorizationSpent(node, { token, payer, nonce }, blockNumber)) &&
      (await passes(node, { ...ordinaryTransfer(asked), blockNumber })) &&
      !(await passes(node, { ...call, blockNumber }))
    )
  }
  return (await Promise.all(context.nodes.map(ask))).every((isRefused) => isRefused)
}

async function hasCode(
  node: ChainClient,
  at: { readonly address: Address; readonly blockNumber: bigint },
): Promise<boolean> {
  const code = await node.getCode(at)
  return code !== undefined && code !== '0x'
}

async function passes(node: ChainClient, call: Parameters<ChainClient['call']>[0]): Promise<boolean> {
  try {
    await node.call(call)
    return true
  } catch (error) {
    if (hasReverted(error)) return false
    throw error
  }
}
