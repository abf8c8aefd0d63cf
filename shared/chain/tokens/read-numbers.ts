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
import type { Address } from '../../domain/address.ts'
import { NATIVE_COIN } from '../../domain/distribution-call.ts'
import type { ChainClient } from '../nodes/client.ts'
import { hasReverted } from '../nodes/node-errors.ts'

/**
 * A call to a contract that returns a number. If `to` is `NATIVE_COIN`, the native coin balance of the address in
 * `data`.
 */
export type NumberQuery = { readonly to: Address; readonly data: Hex }

/**
 * The address of Multicall3, the same on every EVM network that has it.
 *
 * @see https://www.multicall3.com/deployments
 */
export const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11' as Address

/**
 * Maximum queries per request. Reading a balance of a token behind a proxy costs about 10,000 gas. Nodes allow at most
 * 50 million gas per call, and many allow less.
 */
const QUERIES_PER_CALL = 500

/** Maximum concurrent requests on a chain without Multicall3. */
const CONCURRENT_REQUESTS = 10

type AtBlock = { readonly block?: number | undefined }

/**
 * Reads numbers at one block, by default the newest: 500 per request, or one per request on a chain without Multicall3.
 *
 * @returns the numbers in the order of the queries; `null` if a contract does not exist, reverts or returns no number
 * @throws {BaseError} from viem if no node responds, or the node does not have the block's state
 */
export async function readNumbers(
  client: ChainClient,
  queries: readonly NumberQuery[],
  { block }: AtBlock = {},
): Promise<readonly (bigint | null)[]> {
  if (queries.length === 0) return []
  const at = block === undefined ? {} : { blockNumber: BigInt(block) }
  const isTogether = await hasCode(client, MULTICALL3, at)
  const [perTurn, read] = isTogether ? [QUERIES_PER_CALL, readTogether] : [CONCURRENT_REQUESTS, readEach]
  const numbers: (bigint | null)[] = []
  for (let from = 0; from < queries.length; from += perTurn)
    numbers.push(...(await read(client, { queries: queries.slice(from, from + perTurn), at })))
  return numbers
}

export function queryCoin(account: Address): NumberQuery {
  return { to: NATIVE_COIN, data: account }
}

type At = { readonly blockNumber?: bigint }

export async function hasCode(client: ChainClient, address: Address, at: At = {}): Promise<boolean> {
  return ((await client.getCode({ address, ...at })) ?? '0x') !== '0x'
}

type Turn = { readonly queries: readonly NumberQuery[]; readonly at: At }

async function readTogether(client: ChainClient, { queries, at }: Turn) {
  const calls = queries.map((query) => ({ ...toCall(query), allowFailure: true }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const answer = await client.call({ to: MULTICALL3, data, ...at })
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

function readEach(client: ChainClient, { queries, at }: Turn) {
  return Promise.all(queries.map((query) => readOne(client, query, at)))
}

async function readOne(client: ChainClient, { to, data }: NumberQuery, at: At): Promise<bigint | null> {
  if (to === NATIVE_COIN) return client.getBalance({ address: data, ...at })
  try {
    return parseNumber((await client.call({ to, data, ...at })).data ?? '0x')
  } catch (error) {
    if (hasReverted(error)) return null
    // Nodes report a call to an account without code in different ways, so check the code.
    if (error instanceof BaseError && !(await hasCode(client, to, at))) return null
    throw error
  }
}

/**
 * Parses the first 32 bytes as a number. Returns `null` for shorter data: an address without code returns no bytes,
 * which is not zero.
 */
function parseNumber(data: Hex): bigint | null {
  return size(data) < 32 ? null : hexToBigInt(slice(data, 0, 32))
}
