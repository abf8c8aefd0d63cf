import { encodeFunctionData, erc20Abi } from 'viem'
import type { Address } from '../../domain/address.ts'
import type { ChainClient } from '../nodes/client.ts'
import { type NumberQuery, readNumbers } from './read-numbers.ts'

export type BalanceTarget = { readonly tokenAddress: Address; readonly account: Address }

/**
 * Reads token balances at one block, many per request (see `readNumbers`).
 *
 * @returns amounts in atomic units; `null` if the token does not return an amount
 * @throws {BaseError} from viem if the node does not respond, or does not have the block's state
 */
export function readBalances(
  client: ChainClient,
  { places, block }: { readonly places: readonly BalanceTarget[]; readonly block: number },
): Promise<readonly (bigint | null)[]> {
  return readNumbers(client, places.map(queryBalance), { block })
}

export function queryBalance({ tokenAddress, account }: BalanceTarget): NumberQuery {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
  return { to: tokenAddress, data }
}
