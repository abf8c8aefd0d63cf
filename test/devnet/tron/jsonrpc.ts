import { bytesToHex, hexToBytes, setLengthLeft } from '@ethereumjs/util'
import { type Address, type Hex, hexToBigInt, hexToNumber, isHex, numberToHex } from 'viem'

import { findLogs, type LogQuery } from '../evm-node/find-logs.ts'
import { RpcError } from '../evm-node/rpc-error.ts'
import { evmAddress } from '../evm-node/run-transaction.ts'
import { presentBlock, presentReceipt, presentTransaction } from './present.ts'
import { balanceOf, runContract, SUN_PER_ENERGY } from './run-tron.ts'
import type { TronBlock } from './tron-block.ts'
import type { TronChain } from './tron-chain.ts'

/** Handles one method of `/jsonrpc`. */
type Method = (chain: TronChain, params: readonly unknown[]) => unknown

/** Limits of `eth_getLogs`. Source: tronprotocol/documentation-en@8f3209ef, docs/api/json-rpc/index.md. */
const MAX_RANGE = 5_000
const MAX_ADDRESSES = 1_000
const MAX_RESULTS = 10_000
/** Maximum energy of one call. */
const CALL_ENERGY = 100_000_000n

/** The methods of TRON's nodes at `/jsonrpc`, which cannot send transactions. */
export const JSONRPC_METHODS: Readonly<Record<string, Method>> = {
  web3_clientVersion: () => 'TRON/v4.8.1/Linux/Java1.8/tron-devnet',
  net_version: ({ chainId }) => String(chainId),
  eth_chainId: ({ chainId }) => numberToHex(chainId),
  eth_syncing: () => false,
  eth_gasPrice: () => numberToHex(SUN_PER_ENERGY),
  eth_blockNumber: (chain) => numberToHex(shownHead(chain).number),
  eth_getBlockByNumber: (chain, [tag, isFull]) => {
    const block = blockAt(chain, tag)
    return block === undefined ? null : presentBlock(chain, { block, isFull: isFull === true })
  },
  eth_getBlockByHash: (chain, [hash, isFull]) => {
    const block = chain.blockOf(hash as Hex)
    return block === undefined ? null : presentBlock(chain, { block, isFull: isFull === true })
  },
  eth_getTransactionByHash: (chain, [hash]) => {
    const found = chain.find(hash as Hex)
    return found === undefined ? null : presentTransaction(chain, found)
  },
  eth_getTransactionReceipt: (chain, [hash]) => {
    const found = chain.find(hash as Hex)
    return found === undefined ? null : presentKeptReceipt(chain, found)
  },
  eth_getBlockReceipts: (chain, [tag]) => {
    const block = isHash(tag) ? chain.blockOf(tag) : blockAt(chain, tag)
    return (
      block?.transactions.map((transaction, index) =>
        presentKeptReceipt(chain, { block, index, transaction }),
      ) ?? null
    )
  },
  eth_getLogs: async (chain, [query]) => {
    const run = chain.habits.beforeLogs
    chain.habits.beforeLogs = null
    await run?.()
    return getLogs(chain, query as RangeQuery)
  },
  eth_getBalance: async (chain, [address, tag]) =>
    numberToHex(await balanceOf(await latestState(chain, tag), address as Hex)),
  eth_getCode: async (chain, [address, tag]) => {
    const { stateManager } = await latestState(chain, tag)
    return bytesToHex(await stateManager.getCode(evmAddress(address as Address)))
  },
  eth_getStorageAt: async (chain, [address, slot, tag]) => {
    const { stateManager } = await latestState(chain, tag)
    const key = hexToBytes(numberToHex(hexToBigInt(slot as Hex), { size: 32 }))
    return bytesToHex(setLengthLeft(await stateManager.getStorage(evmAddress(address as Address), key), 32))
  },
  eth_call: async (chain, [request, tag]) => {
    const { returned, result } = await run(chain, { request: request as CallRequest, tag })
    if (result !== 'SUCCESS') throw new RpcError({ code: -32000, message: result, data: returned })
    return returned
  },
  eth_estimateGas: async (chain, [request]) => {
    const { energyUsed, result, returned } = await run(chain, {
      request: request as CallRequest,
      tag: 'latest',
    })
    if (result !== 'SUCCESS') throw new RpcError({ code: -32000, message: result, data: returned })
    return numberToHex(energyUsed)
  },
}

/** Presents a receipt as the node has kept it, without logs if the node loses them. */
function presentKeptReceipt({ habits }: TronChain, found: Parameters<typeof presentReceipt>[0]) {
  return { ...presentReceipt(found), ...(habits.losesLogs && { logs: [] }) }
}

type CallRequest = { from?: Hex; to?: Hex; data?: Hex; input?: Hex; value?: Hex }

async function run(chain: TronChain, { request, tag }: { request: CallRequest; tag: unknown }) {
  const evm = await latestState(chain, tag)
  const { from = `0x${'00'.repeat(20)}`, to, value = '0x0' } = request
  const data = request.data ?? request.input ?? '0x'
  const common = { owner: from, callValueSun: hexToBigInt(value) }
  return runContract(
    to === undefined
      ? { ...common, type: 'CreateSmartContract', code: data }
      : { ...common, type: 'TriggerSmartContract', to, data },
    { evm, block: chain.head(), energyLimit: CALL_ENERGY },
  )
}

type RangeQuery = LogQuery & {
  readonly blockHash?: Hex
  readonly fromBlock?: unknown
  readonly toBlock?: unknown
}

function getLogs(chain: TronChain, query: RangeQuery): unknown {
  if (chain.habits.losesLogs) return []
  const { blockHash, fromBlock, toBlock } = query
  if ([query.address ?? []].flat().length > MAX_ADDRESSES)
    throw invalid(`exceed max addresses: ${MAX_ADDRESSES}`)
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined))
    throw invalid('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
  if (blockHash !== undefined) {
    const block = chain.blockOf(blockHash)
    // Orphaned and unknown blocks get the same response.
    if (block === undefined) throw invalid('invalid blockHash')
    return bounded(findLogs([block], query))
  }
  const from = numberOf(chain, fromBlock)
  const to = numberOf(chain, toBlock)
  if (to < from) throw invalid('please verify: fromBlock <= toBlock')
  if (to - from > MAX_RANGE) throw invalid(`exceed max block range: ${MAX_RANGE}`)
  // The part of the range above the head is ignored.
  const shown = chain.blocks().slice(from, Math.min(to, shownHead(chain).number) + 1)
  return bounded(findLogs(shown, query))
}

function bounded<Result>(results: readonly Result[]): readonly Result[] {
  if (results.length <= MAX_RESULTS) return results
  throw new RpcError({ code: -32005, message: `query returned more than ${MAX_RESULTS} results` })
}

/** Returns an EVM on the state of the latest block. Rejects every other block. */
async function latestState(chain: TronChain, tag: unknown) {
  if (tag !== undefined && tag !== 'latest')
    throw invalid(
      isHex(tag)
        ? 'QUANTITY not supported, just support TAG as latest'
        : `TAG ${JSON.stringify(tag)} not supported`,
    )
  return chain.state.evmAt(shownHead(chain).stateRoot)
}

function blockAt(chain: TronChain, tag: unknown): TronBlock | undefined {
  const number = numberOf(chain, tag)
  return number > shownHead(chain).number ? undefined : chain.blocks()[number]
}

function numberOf(chain: TronChain, tag: unknown): number {
  if (tag === 'latest' || tag === undefined) return shownHead(chain).number
  if (tag === 'earliest') return 0
  if (tag === 'finalized') return chain.solid().number
  if (!isHex(tag)) throw invalid(`TAG ${JSON.stringify(tag)} not supported`)
  return hexToNumber(tag)
}

function shownHead(chain: TronChain): TronBlock {
  const { number } = chain.head()
  return chain.blocks()[Math.max(0, number - chain.habits.lagBlocks)] ?? chain.head()
}

function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && value.length === 66
}

function invalid(message: string): RpcError {
  return new RpcError({ code: -32602, message })
}
