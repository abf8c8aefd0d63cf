import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import type { ChainClient } from '../nodes/client.ts'
import type { DataFee, PostedCall } from './data-fee.ts'

/**
 * Implemented by the nodes themselves; the address has no code. @see https://docs.arbitrum.io, "NodeInterface
 * reference"
 */
const NODE_INTERFACE = '0x00000000000000000000000000000000000000c8'

const ABI = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) view returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
])

/**
 * Returns the gas units for posting a call to the parent chain. They are already part of the node's gas estimates and
 * have the same price. Unlike `gasEstimateComponents`, this function executes nothing, so it also works for a call that
 * would revert.
 */
export async function readArbitrumDataFee(client: ChainClient, call: PostedCall): Promise<DataFee> {
  const functionName = 'gasEstimateL1Component'
  const data = encodeFunctionData({ abi: ABI, functionName, args: [call.to, false, call.data] })
  const { data: result } = await client.call({ to: NODE_INTERFACE, data })
  if (result === undefined) return { gas: 0n, besideWei: 0n }
  const [gas] = decodeFunctionResult({ abi: ABI, functionName, data: result })
  return { gas, besideWei: 0n }
}
