import {
  type Abi,
  BaseError,
  ContractFunctionRevertedError,
  ExecutionRevertedError,
  getContractError,
} from 'viem'
import type { Address, Hex } from '../../domain/address.ts'
import type { ChainClient } from './client.ts'

/**
 * Gas limit in percent of the estimate, which is exact only for the state at its block. If the payment to a
 * recipient then fails, holding that share writes two more slots. The cost of a token behind a proxy can also change.
 */
const GAS_LIMIT_PERCENT = 125n

export type Call = { readonly to: Address; readonly data: Hex; readonly account: Address }

/** The called function, and an ABI that includes the errors of all called contracts, to decode a revert. */
export type Contract = { readonly abi: Abi; readonly functionName: string }

/** A call that would succeed at the newest block, with its gas limit (on TRON: energy). */
export type SimulatedCall = { readonly to: Address; readonly data: Hex; readonly gas: bigint }

/**
 * Simulates a call at the newest block with exactly the bytes that will be signed, and returns it with its gas limit.
 *
 * @throws {BaseError} from viem if the call would revert (see `findRevert`) or no node responds
 */
export async function simulateCall(
  client: ChainClient,
  { to, data, account }: Call,
  contract: Contract,
): Promise<SimulatedCall> {
  try {
    await client.call({ to, data, account })
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    const explained: Error = getContractError(error, { ...contract, args: [], address: to, sender: account })
    throw explained
  }
  return { to, data, gas: await estimateGas(client, { to, data, account }) }
}

/**
 * Returns a gas limit for a call at the newest block.
 *
 * @throws {BaseError} from viem if the call would revert (see `findRevert`) or no node responds
 */
export async function estimateGas(client: ChainClient, call: Call): Promise<bigint> {
  return withGasMargin(await client.estimateGas(call))
}

export function withGasMargin(estimate: bigint): bigint {
  return (estimate * GAS_LIMIT_PERCENT) / 100n
}

/** The reason for a revert. `name` is the contract's custom error, or `null` for any other reason. */
export type Revert = { readonly name: string | null; readonly message: string }

/**
 * Returns the revert in a viem error; `null` if the error has another cause, which leaves the call's result unknown.
 */
export function findRevert(error: BaseError): Revert | null {
  const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError)
  if (revert instanceof ContractFunctionRevertedError)
    return { name: revert.data?.errorName ?? null, message: revert.shortMessage }
  // A plain call or a gas estimate reverted. In `simulateCall`, the estimate reverts only if the chain has changed
  // since the call succeeded.
  const hasReverted = error.walk((cause) => cause instanceof ExecutionRevertedError) !== null
  return hasReverted ? { name: null, message: error.shortMessage } : null
}
