import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import type { ChainClient } from '../nodes/client.ts'
import type { DataFee, PostedCall } from './data-fee.ts'

/**
 * Address of NodeInterface. It has no code, because the nodes themselves implement the functions.
 *
 * @see https://docs.arbitrum.io, "NodeInterface reference"
 */
const NODE_INTERFACE = '0x00000000000000000000000000000000000000c8'

const ABI = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) view returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
])

/**
 * Returns the units of gas for posting a call to the parent chain. A node's gas estimate already includes them, at the
 * same price. Unlike `gasEstimateComponents`, `gasEstimateL1Component` does not execute the call, so it also works for
 * a call that would revert.
 */
export async function readArbitrumDataFee(client: ChainClient, call: PostedCall): Promise<DataFee> {
  const functionName = 'gasEstimateL1Component'
  const data = encodeFunctionData({ abi: ABI, functionName, args: [call.to, false, call.data] })
  const { data: result } = await client.call({ to: NODE_INTERFACE, data })
  if (result === undefined) return { gas: 0n, besideWei: 0n }
  const [gas] = decodeFunctionResult({ abi: ABI, functionName, data: result })
  return { gas, besideWei: 0n }
}
