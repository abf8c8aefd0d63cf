import {
  type Abi,
  BaseError,
  ContractFunctionRevertedError,
  ExecutionRevertedError,
  getContractError,
} from 'viem'
import type { Address, Hex } from '../domain/address.ts'
import type { ChainClient } from './client.ts'

/**
 * The estimate is exact for the state it saw; holding a payout that fails meanwhile writes two slots more, and a token
 * behind a proxy may cost more when its turn comes.
 */
const GAS_MARGIN_PERCENT = 125n

/** A contract call, as it will be signed. */
export type Call = { readonly to: Address; readonly data: Hex; readonly account: Address }

/** What a call does, and the errors of the contracts behind it, by which a revert is explained. */
export type Contract = { readonly abi: Abi; readonly functionName: string }

/** A call that would succeed at the newest block, with the gas (on TRON: the energy) that it is given. */
export type SimulatedCall = { readonly to: Address; readonly data: Hex; readonly gas: bigint }

/**
 * Simulates the very bytes that will be signed, against the newest block, and answers them with their gas.
 *
 * @param contract - what the call does, and whose errors it may revert with, for `revertOf`
 * @throws {BaseError} viem's, if it would revert (see `revertOf`) or no node answers
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
 * Answers the gas that a call is given, by the newest block: what it takes there, and a quarter more.
 *
 * @throws {BaseError} viem's, if it would revert (see `revertOf`) or no node answers
 */
export async function estimateGas(client: ChainClient, call: Call): Promise<bigint> {
  return withGasMargin(await client.estimateGas(call))
}

/** Adds to an estimate of gas what a call is given beyond it. */
export function withGasMargin(estimate: bigint): bigint {
  return (estimate * GAS_MARGIN_PERCENT) / 100n
}

/** Why a call reverted; the name is that of a contract's own error, `null` for any other. */
export type Revert = { readonly name: string | null; readonly message: string }

/** Answers the revert in an error of viem's; `null` if the chain could not be asked, so that nothing is known. */
export function revertOf(error: BaseError): Revert | null {
  const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError)
  if (revert instanceof ContractFunctionRevertedError)
    return { name: revert.data?.errorName ?? null, message: revert.shortMessage }
  // The estimate after a good simulation: the chain has moved between the two.
  const hasReverted = error.walk((cause) => cause instanceof ExecutionRevertedError) !== null
  return hasReverted ? { name: null, message: error.shortMessage } : null
}
