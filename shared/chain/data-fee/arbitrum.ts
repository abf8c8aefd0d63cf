import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import type { ChainClient } from '../client.ts'
import type { DataFee, PostedCall } from './data-fee.ts'

/** Answered by the nodes themselves; no code stands there. @see https://docs.arbitrum.io, "NodeInterface reference" */
const NODE_INTERFACE = '0x00000000000000000000000000000000000000c8'

const ABI = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) view returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
])

/**
 * The units of gas that posting takes, which every estimate of the node holds already: they are paid for at the price of
 * the others. Unlike `gasEstimateComponents` it runs nothing, so it answers for a call that would revert, too.
 */
export async function readArbitrumDataFee(client: ChainClient, call: PostedCall): Promise<DataFee> {
  const functionName = 'gasEstimateL1Component'
  const data = encodeFunctionData({ abi: ABI, functionName, args: [call.to, false, call.data] })
  const { data: answer } = await client.call({ to: NODE_INTERFACE, data })
  if (answer === undefined) return { gas: 0n, besideWei: 0n }
  const [gas] = decodeFunctionResult({ abi: ABI, functionName, data: answer })
  return { gas, besideWei: 0n }
}
