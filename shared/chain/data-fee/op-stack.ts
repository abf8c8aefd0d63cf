import { BaseError, decodeFunctionResult, encodeFunctionData, parseAbi, size } from 'viem'
import type { ChainClient } from '../client.ts'
import { revertOf } from '../simulate.ts'
import type { DataFee, PostedCall } from './data-fee.ts'

/** On every chain of the OP stack. @see https://specs.optimism.io/protocol/predeploys.html#gaspriceoracle */
const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000f'

const ABI = parseAbi([
  'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
])

/** An unsigned EIP-1559 transaction around its data: the longest of ours has 62 bytes. The contract adds the signature. */
const ENVELOPE_BYTES = 64

/**
 * The fee for posting, by its upper bound of the bytes, and the operator's fee, both charged beside the gas.
 *
 * The bound holds for all but one in 10,000 transactions (specs.optimism.io, Fjord), and is asked for by size alone. The
 * operator's fee came later (Isthmus): a contract that does not know it charges none.
 */
export async function readOpStackDataFee(client: ChainClient, { data, gas }: PostedCall): Promise<DataFee> {
  const [posting, operating] = await Promise.all([
    ask(client, 'getL1FeeUpperBound', BigInt(size(data) + ENVELOPE_BYTES)),
    ask(client, 'getOperatorFee', gas).catch(noneIfReverted),
  ])
  return { gas: 0n, besideWei: posting + operating }
}

async function ask(
  client: ChainClient,
  functionName: 'getL1FeeUpperBound' | 'getOperatorFee',
  amount: bigint,
): Promise<bigint> {
  const data = encodeFunctionData({ abi: ABI, functionName, args: [amount] })
  const { data: answer } = await client.call({ to: GAS_PRICE_ORACLE, data })
  return answer === undefined ? 0n : decodeFunctionResult({ abi: ABI, functionName, data: answer })
}

function noneIfReverted(error: unknown): bigint {
  if (error instanceof BaseError && revertOf(error) !== null) return 0n
  throw error
}
