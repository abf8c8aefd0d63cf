import { bytesToHex } from '@ethereumjs/util'
import { type Address, decodeErrorResult, type Hex, hexToBigInt, zeroAddress } from 'viem'

import type { NodeBlock } from './block.ts'
import type { Chain } from './chain.ts'
import { floorGas, intrinsicGas } from './intrinsic-gas.ts'
import type { Message } from './message.ts'
import { RpcError } from './rpc-error.ts'
import { runMessage } from './run-transaction.ts'

/** Parameters of `eth_call` and `eth_estimateGas`. */
export type CallRequest = {
  readonly from?: Address
  readonly to?: Address | null
  readonly value?: Hex
  readonly data?: Hex
  readonly input?: Hex
  readonly gas?: Hex
}

/**
 * Runs a call on the state after a block, and returns its result.
 *
 * @throws {RpcError} if the call fails, with the revert data if it reverts
 */
export async function call(
  chain: Chain,
  { request, block }: { request: CallRequest; block: NodeBlock },
): Promise<Hex> {
  const result = await run(chain, { request, block, gasLimit: gasOf(request) ?? chain.family.blockGasLimit })
  if (result.problem !== null) throw result.problem
  return result.returned
}

/**
 * Gas limits to try, as percentages of the gas used or of the minimum gas for the call's data, whichever is higher. A
 * call that needs more gets the request's gas limit, or the block's if the request sets none.
 */
const GAS_STEPS = [100n, 108n, 125n, 160n, 250n] as const

/**
 * Returns a gas limit with which a call succeeds. A limit equal to the gas used might be too low, because an inner call
 * gets at most 63/64 of the remaining gas.
 *
 * @throws {RpcError} if the call fails even with the request's gas limit, or the block's if the request sets none
 */
export async function estimateGas(
  chain: Chain,
  { request, block }: { request: CallRequest; block: NodeBlock },
): Promise<bigint> {
  const most = gasOf(request) ?? chain.family.blockGasLimit
  const first = await run(chain, { request, block, gasLimit: most })
  if (first.problem !== null) throw first.problem
  const floor = floorGas({ data: dataOf(request) })
  const least = first.gasUsed > floor ? first.gasUsed : floor
  for (const percent of GAS_STEPS) {
    const gasLimit = (least * percent) / 100n
    if (gasLimit >= most) break
    if ((await run(chain, { request, block, gasLimit })).problem === null) return gasLimit
  }
  return most
}

async function run(
  chain: Chain,
  { request, block, gasLimit }: { request: CallRequest; block: NodeBlock; gasLimit: bigint },
): Promise<{ returned: Hex; gasUsed: bigint; problem: RpcError | null }> {
  const evm = await chain.state.evmAt(block.stateRoot)
  const message: Message = {
    from: request.from ?? zeroAddress,
    to: request.to ?? null,
    valueWei: hexToBigInt(request.value ?? '0x0'),
    data: dataOf(request),
    gasLimit,
  }
  const { execResult } = await runMessage(evm, { message, block, gasPriceWei: 0n })
  const returned = bytesToHex(execResult.returnValue)
  const error = execResult.exceptionError?.error
  return {
    returned,
    gasUsed: execResult.executionGasUsed + intrinsicGas(message),
    problem: problemOf(error, returned),
  }
}

function problemOf(error: string | undefined, data: Hex): RpcError | null {
  if (error === undefined) return null
  return error === 'revert'
    ? new RpcError({ code: 3, message: `execution reverted${reasonIn(data)}`, data })
    : new RpcError({ code: -32000, message: error })
}

/** Returns `: ` and the reason of a revert, or an empty string. Real nodes also put the reason into the message. */
function reasonIn(data: Hex): string {
  try {
    const { errorName, args } = decodeErrorResult({ data })
    return errorName === 'Error' ? `: ${String(args[0])}` : ''
  } catch {
    return ''
  }
}

function gasOf({ gas }: CallRequest): bigint | null {
  return gas === undefined ? null : hexToBigInt(gas)
}

function dataOf({ data, input }: CallRequest): Hex {
  return data ?? input ?? '0x'
}
