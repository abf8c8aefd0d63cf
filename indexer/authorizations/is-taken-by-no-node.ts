import type { ChainClient } from '../../shared/chain/client.ts'
import { hasReverted } from '../../shared/chain/node-errors.ts'
import type { Address } from '../../shared/domain/address.ts'
import { authorizationCall } from '../../shared/domain/authorization.ts'
import type { RequestedAuthorization } from '../requests/read-payload.ts'
import { askEveryNode, type Word } from './ask-every-node.ts'
import type { AuthorizationContext } from './authorization-context.ts'

/**
 * Tells whether an authorization that nodes were shown is worth nothing to any of them: its payer is a contract, and the
 * contract says no.
 *
 * **Here a payer could be asked to pay twice**, as in `isWorthless`: every node that answers and goes on must say both. That it
 * takes more gas than we spend is no such no, so that none is asked with a limit. What a payer without code has signed we know
 * ourselves, and no node's word makes that worthless.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function isTakenByNoNode(
  context: Pick<AuthorizationContext, 'nodes' | 'clock' | 'relayer'>,
  { token, signed }: RequestedAuthorization,
): Promise<boolean> {
  const call = { ...authorizationCall(token, signed), account: context.relayer.address }
  const ask = async (node: ChainClient): Promise<Word<boolean>> => {
    const { timestamp } = await node.getBlock()
    const said = (await hasCode(node, signed.from)) && !(await isTaken(node, call))
    return { headTimestamp: Number(timestamp), said }
  }
  return (await askEveryNode(context, ask)).every((isRefused) => isRefused)
}

async function hasCode(node: ChainClient, address: Address): Promise<boolean> {
  const code = await node.getCode({ address })
  return code !== undefined && code !== '0x'
}

async function isTaken(node: ChainClient, call: Parameters<ChainClient['call']>[0]): Promise<boolean> {
  try {
    await node.call(call)
    return true
  } catch (error) {
    if (hasReverted(error)) return false
    throw error
  }
}
