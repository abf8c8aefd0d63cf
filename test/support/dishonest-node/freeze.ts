import { type Hex, keccak256, numberToHex } from 'viem'
import type { RpcFate, RpcRule } from '../rpc-proxy.ts'
import type { ForwardCall, LogQuery, RpcBlock } from './rpc-types.ts'

type Asking = { readonly last: bigint; readonly forward: ForwardCall; readonly params: readonly unknown[] }

/** Position of the block among a method's parameters. */
const BLOCK_PARAMETER: Readonly<Record<string, number>> = {
  ...{ eth_call: 1, eth_estimateGas: 1, eth_getBalance: 1, eth_getCode: 1, eth_getTransactionCount: 1 },
  ...{ eth_getBlockByNumber: 0, eth_getStorageAt: 2 },
}

const ANSWERS: Readonly<Record<string, (asking: Asking) => Promise<RpcFate>>> = {
  eth_blockNumber: async ({ last }) => ({ result: numberToHex(last) }),
  eth_getLogs: freezeLogs,
  eth_getBlockByHash: (asking) => hideLater(asking, 'eth_getBlockByHash'),
  eth_getTransactionReceipt: (asking) => hideLater(asking, 'eth_getTransactionReceipt'),
  eth_getTransactionByHash: (asking) => hideLater(asking, 'eth_getTransactionByHash'),
  // The transaction is accepted, but not forwarded to the real node.
  eth_sendRawTransaction: async ({ params: [bytes] }) => ({ result: keccak256(bytes as Hex) }),
}

/** Creates the rule of a node that reports no block after the current block. */
export async function createFreeze(forward: ForwardCall): Promise<RpcRule> {
  const last = BigInt(await forward<Hex>('eth_blockNumber', []))
  return (method, params) => {
    const asking = { last, forward, params }
    const at = BLOCK_PARAMETER[method]
    if (at !== undefined) return freezeBlock(asking, { method, at })
    return ANSWERS[method]?.(asking) ?? 'pass'
  }
}

function freezeBlock(
  { last, params }: Asking,
  { method, at }: { readonly method: string; readonly at: number },
): RpcFate {
  const block = params[at]
  if (block === 'earliest') return 'pass'
  const isNumber = typeof block === 'string' && block.startsWith('0x')
  if (!isNumber) return { params: [...params.slice(0, at), numberToHex(last), ...params.slice(at + 1)] }
  if (BigInt(block) <= last) return 'pass'
  if (method === 'eth_getBlockByNumber') return { result: null }
  return { error: { code: -32000, message: 'header not found' } }
}

async function freezeLogs({ last, params }: Asking): Promise<RpcFate> {
  const [query = {}] = params as readonly LogQuery[]
  if (query.blockHash !== undefined) return 'pass'
  const end = (block: string | undefined) =>
    block === 'earliest' || (block?.startsWith('0x') && BigInt(block) < last) ? block : numberToHex(last)
  const isLater = query.fromBlock?.startsWith('0x') === true && BigInt(query.fromBlock) > last
  if (isLater) return { result: [] }
  return { params: [{ ...query, fromBlock: end(query.fromBlock), toBlock: end(query.toBlock) }] }
}

/** Returns `null` instead of a result that is pending or in a block after `last`. */
async function hideLater({ last, forward, params }: Asking, method: string): Promise<RpcFate> {
  const found = await forward<(Partial<RpcBlock> & { readonly blockNumber?: Hex | null }) | null>(
    method,
    params,
  )
  const block = found?.number ?? found?.blockNumber ?? null
  return { result: block !== null && BigInt(block) <= last ? found : null }
}
