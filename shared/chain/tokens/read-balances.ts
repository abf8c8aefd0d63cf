import {
  BaseError,
  decodeFunctionResult,
  ExecutionRevertedError,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  multicall3Abi,
  size,
  slice,
} from 'viem'
import type { Address } from '../../domain/address.ts'
import type { ChainClient } from '../nodes/client.ts'

/** One balance to read. */
export type BalanceTarget = { readonly tokenAddress: Address; readonly account: Address }

/** The same address on every supported EVM network that has it. @see https://www.multicall3.com/deployments */
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'

/**
 * Each balance of a proxied token costs about 10,000 gas. Nodes allow at most 50 million gas per call, and many allow
 * less.
 */
const PLACES_PER_CALL = 500

/** Concurrent calls on a chain without Multicall3. */
const SINGLE_CALLS = 20

/**
 * Reads token balances of accounts at one block, five hundred per request, or one by one on a chain without Multicall3.
 *
 * @returns atomic units in the order of the places; `null` if the token does not return an amount
 * @throws {BaseError} viem's, if the node does not respond, or does not have the block's state
 */
export async function readBalances(
  client: ChainClient,
  { places, block }: { readonly places: readonly BalanceTarget[]; readonly block: number },
): Promise<readonly (bigint | null)[]> {
  if (places.length === 0) return []
  const blockNumber = BigInt(block)
  const code = await client.getCode({ address: MULTICALL3, blockNumber })
  const [batchSize, read] =
    code === undefined ? [SINGLE_CALLS, readOneByOne] : [PLACES_PER_CALL, readTogether]
  const balances: (bigint | null)[] = []
  for (let from = 0; from < places.length; from += batchSize)
    balances.push(...(await read(client, { places: places.slice(from, from + batchSize), blockNumber })))
  return balances
}

type Page = { readonly places: readonly BalanceTarget[]; readonly blockNumber: bigint }

async function readTogether(client: ChainClient, { places, blockNumber }: Page) {
  const calls = places.map(({ tokenAddress, account }) => ({
    target: tokenAddress,
    allowFailure: true,
    callData: balanceOf(account),
  }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const answer = await client.call({ to: MULTICALL3, data, blockNumber })
  const results = decodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    data: answer.data ?? '0x',
  })
  return places.map((_, index) => {
    const result = results[index]
    return result?.success === true ? parseAmount(result.returnData) : null
  })
}

async function readOneByOne(client: ChainClient, { places, blockNumber }: Page) {
  return Promise.all(places.map((place) => readOne(client, { place, blockNumber })))
}

async function readOne(
  client: ChainClient,
  { place, blockNumber }: { readonly place: BalanceTarget; readonly blockNumber: bigint },
): Promise<bigint | null> {
  try {
    const { data } = await client.call({
      to: place.tokenAddress,
      data: balanceOf(place.account),
      blockNumber,
    })
    return parseAmount(data ?? '0x')
  } catch (error) {
    const isRevert = (cause: unknown) => cause instanceof ExecutionRevertedError
    if (error instanceof BaseError && error.walk(isRevert) !== null) return null
    throw error
  }
}

function balanceOf(account: Address): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
}

/** An address without code returns nothing, which is not a balance of zero. */
function parseAmount(data: Hex): bigint | null {
  return size(data) < 32 ? null : hexToBigInt(slice(data, 0, 32))
}
