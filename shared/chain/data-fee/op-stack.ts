import { BaseError, decodeFunctionResult, encodeFunctionData, parseAbi, size } from 'viem'
import type { ChainClient } from '../nodes/client.ts'
import { findRevert } from '../nodes/simulate.ts'
import type { DataFee, PostedCall } from './data-fee.ts'

/**
 * Address of GasPriceOracle, the same on every chain of the OP stack.
 *
 * @see https://specs.optimism.io/protocol/predeploys.html#gaspriceoracle
 */
const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000f'

const ABI = parseAbi([
  'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
])

/**
 * Size of an unsigned EIP-1559 transaction without its data, in bytes, rounded up: ours have at most 62. The contract
 * adds the signature's size.
 */
const ENVELOPE_BYTES = 64

/**
 * Returns the upper bound of the fee for posting a call, plus the operator's fee. Both are charged in addition to the
 * gas.
 *
 * The bound holds for all but one in 10,000 transactions (specs.optimism.io, Fjord), and depends only on the size. The
 * operator's fee was introduced later (Isthmus). If the contract lacks the function, the chain charges no such fee.
 */
export async function readOpStackDataFee(client: ChainClient, { data, gas }: PostedCall): Promise<DataFee> {
  const [posting, operating] = await Promise.all([
    readFee(client, 'getL1FeeUpperBound', BigInt(size(data) + ENVELOPE_BYTES)),
    readFee(client, 'getOperatorFee', gas).catch(zeroIfReverted),
  ])
  return { gas: 0n, besideWei: posting + operating }
}

async function readFee(
  client: ChainClient,
  functionName: 'getL1FeeUpperBound' | 'getOperatorFee',
  amount: bigint,
): Promise<bigint> {
  const data = encodeFunctionData({ abi: ABI, functionName, args: [amount] })
  const { data: result } = await client.call({ to: GAS_PRICE_ORACLE, data })
  return result === undefined ? 0n : decodeFunctionResult({ abi: ABI, functionName, data: result })
}

function zeroIfReverted(error: unknown): bigint {
  if (error instanceof BaseError && findRevert(error) !== null) return 0n
  throw error
}
