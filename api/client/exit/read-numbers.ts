import {
  BaseError,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  multicall3Abi,
  size,
  slice,
} from 'viem'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import { hasReverted } from '../../../shared/chain/nodes/node-errors.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'

/** A call of a contract that returns a number, or the balance of the native coin if `to` is `NATIVE_COIN`. */
export type NumberQuery = { readonly to: Address; readonly data: Hex }

/** The same address on every EVM network that has it. @see https://www.multicall3.com/deployments */
export const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11' as Address

/** Nodes allow at most 50 million gas per call, many less; a balance of a proxied token costs 10,000. */
const QUERIES_PER_CALL = 400

/** Concurrent requests without Multicall3. */
const CONCURRENT_REQUESTS = 10

/**
 * Reads numbers at the newest block, several hundred per request where Multicall3 exists.
 *
 * @returns in the order of the queries; `null` if a contract does not exist, reverts or returns no number
 * @throws {BaseError} viem's, if no node responds
 */
export async function readNumbers(
  client: ChainClient,
  queries: readonly NumberQuery[],
): Promise<readonly (bigint | null)[]> {
  if (queries.length === 0) return []
  const isTogether = await hasCode(client, MULTICALL3)
  const [perTurn, read] = isTogether ? [QUERIES_PER_CALL, readTogether] : [CONCURRENT_REQUESTS, readEach]
  const numbers: (bigint | null)[] = []
  for (let from = 0; from < queries.length; from += perTurn)
    numbers.push(...(await read(client, queries.slice(from, from + perTurn))))
  return numbers
}

/** Returns the query of an account's balance of the native coin. */
export function queryCoin(account: Address): NumberQuery {
  return { to: NATIVE_COIN, data: account }
}

export async function hasCode(client: ChainClient, address: Address): Promise<boolean> {
  return ((await client.getCode({ address })) ?? '0x') !== '0x'
}

async function readTogether(client: ChainClient, queries: readonly NumberQuery[]) {
  const calls = queries.map((query) => ({ ...toCall(query), allowFailure: true }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const answer = await client.call({ to: MULTICALL3, data })
  const results = decodeFunctionResult({
    ...{ abi: multicall3Abi, functionName: 'aggregate3', data: answer.data ?? '0x' },
  })
  return queries.map((_, index) => {
    const result = results[index]
    return result?.success === true ? parseNumber(result.returnData) : null
  })
}

function toCall({ to, data }: NumberQuery): { readonly target: Address; readonly callData: Hex } {
  if (to !== NATIVE_COIN) return { target: to, callData: data }
  const callData = encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [data] })
  return { target: MULTICALL3, callData }
}

function readEach(client: ChainClient, queries: readonly NumberQuery[]) {
  return Promise.all(queries.map((query) => readOne(client, query)))
}

async function readOne(client: ChainClient, { to, data }: NumberQuery): Promise<bigint | null> {
  if (to === NATIVE_COIN) return client.getBalance({ address: data })
  try {
    return parseNumber((await client.call({ to, data })).data ?? '0x')
  } catch (error) {
    if (hasReverted(error)) return null
    // Nodes report a call of an account without code in different ways.
    if (error instanceof BaseError && !(await hasCode(client, to))) return null
    throw error
  }
}

function parseNumber(data: Hex): bigint | null {
  return size(data) < 32 ? null : hexToBigInt(slice(data, 0, 32))
}
