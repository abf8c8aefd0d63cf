import type { Address, Hex } from 'viem'
import { requestRpc } from '../request-rpc.ts'

/** A log in JSON-RPC, reduced to the fields that this directory reads. */
export type RpcLog = {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly transactionHash: Hex
  readonly logIndex: Hex
}

/** The fields of a JSON-RPC block that this directory reads. */
export type RpcBlock = { readonly number: Hex; readonly hash: Hex; readonly timestamp: Hex }

/** The fields of a JSON-RPC receipt that this directory reads. */
export type RpcReceipt = { readonly blockNumber: Hex; readonly logs: readonly RpcLog[] }

/** The filter of `eth_getLogs`. */
export type LogQuery = {
  readonly address?: Address | readonly Address[]
  readonly topics?: readonly (Hex | readonly Hex[] | null)[]
  readonly blockHash?: Hex
  readonly fromBlock?: string
  readonly toBlock?: string
}

/** Sends a call to the real node. Throws if the node returns an error. */
export type ForwardCall = <Result>(method: string, params: readonly unknown[]) => Promise<Result>

/** Creates the function that sends calls to the node at a URL. */
export function forwardTo(rpcUrl: string): ForwardCall {
  return async <Result>(method: string, params: readonly unknown[]) =>
    (await requestRpc(rpcUrl, method, params)) as Result
}

/** Checks whether a log matches the addresses and topics of a filter. Ignores the filter's blocks. */
export function isAskedFor({ address, topics }: RpcLog, query: LogQuery): boolean {
  const emitters = query.address === undefined ? null : [query.address].flat()
  if (emitters !== null && !isAmong(address, emitters)) return false
  return (query.topics ?? []).every((wanted, at) => wanted === null || isAmong(topics[at], [wanted].flat()))
}

function isAmong(value: string | undefined, wanted: readonly string[]): boolean {
  return wanted.some((one) => one.toLowerCase() === value?.toLowerCase())
}
