import { bytesToHex, hexToBytes, setLengthLeft } from '@ethereumjs/util'
import { type Address, type Hex, hexToBigInt, hexToNumber, isHex, numberToHex } from 'viem'

import type { NodeBlock } from './block.ts'
import { type CallRequest, call, estimateGas } from './call.ts'
import type { Chain } from './chain.ts'
import { findLogs, type LogQuery } from './find-logs.ts'
import { presentBlock, presentReceipt, presentTransaction } from './present.ts'
import { readTransaction } from './read-transaction.ts'
import { RpcError } from './rpc-error.ts'
import { evmAddress } from './run-transaction.ts'

/** Handles one method of JSON-RPC. */
export type Method = (chain: Chain, params: readonly unknown[]) => unknown

/** Time until a request fails here if a real node would never respond. No client waits this long. */
const HANG_MS = 600_000

/** The methods that every local node supports. */
export const METHODS: Readonly<Record<string, Method>> = {
  web3_clientVersion: ({ family }) => `${family.name}-devnet/1.0`,
  net_version: ({ chainId }) => String(chainId),
  eth_chainId: ({ chainId }) => numberToHex(chainId),
  eth_syncing: () => false,
  eth_blockNumber: (chain) => numberToHex(chain.head().number),
  eth_gasPrice: ({ family }) => numberToHex(family.baseFeeWei),
  eth_maxPriorityFeePerGas: () => '0x0',
  eth_feeHistory: (chain, [count]) => feeHistory(chain, Number(BigInt(count as string))),
  eth_getBlockByNumber: (chain, [tag, isFull]) => {
    const block = blockAt(chain, tag)
    return block === undefined ? null : presentBlock(block, isFull === true)
  },
  eth_getBlockByHash: (chain, [hash, isFull]) => {
    const block = chain.blockOf(hash as Hex)
    return block === undefined ? null : presentBlock(block, isFull === true)
  },
  eth_getTransactionByHash: (chain, [hash]) => {
    const found = chain.find(hash as Hex)
    return found === undefined ? null : presentTransaction(found, chain.chainId)
  },
  eth_getTransactionReceipt: (chain, [hash]) => {
    const found = chain.find(hash as Hex)
    return found === undefined ? null : presentReceipt(found)
  },
  eth_getBlockReceipts: (chain, [tag]) => {
    const block = requireBlock(chain, tag)
    return block.transactions.map((transaction, index) => presentReceipt({ block, index, transaction }))
  },
  eth_getLogs: (chain, [query]) => getLogs(chain, query as RangeQuery),
  eth_getBalance: async (chain, [address, tag]) =>
    numberToHex((await accountAt(chain, { address, tag })).balance),
  eth_getTransactionCount: async (chain, [address, tag]) => {
    const { nonce } = await accountAt(chain, { address, tag })
    return numberToHex(
      tag === 'pending' ? chain.pool.nextNonce((address as Address).toLowerCase() as Address, nonce) : nonce,
    )
  },
  eth_getCode: async (chain, [address, tag]) => {
    const evm = await chain.state.evmAt(requireBlock(chain, tag).stateRoot)
    return bytesToHex(await evm.stateManager.getCode(evmAddress(address as Address)))
  },
  eth_getStorageAt: async (chain, [address, slot, tag]) => {
    const evm = await chain.state.evmAt(requireBlock(chain, tag).stateRoot)
    const key = hexToBytes(numberToHex(hexToBigInt(slot as Hex), { size: 32 }))
    return bytesToHex(
      setLengthLeft(await evm.stateManager.getStorage(evmAddress(address as Address), key), 32),
    )
  },
  eth_call: (chain, [request, tag]) =>
    call(chain, { request: request as CallRequest, block: requireBlock(chain, tag) }),
  eth_estimateGas: async (chain, [request, tag]) =>
    numberToHex(
      await estimateGas(chain, { request: request as CallRequest, block: requireBlock(chain, tag) }),
    ),
  eth_sendRawTransaction: async (chain, [raw]) => {
    const transaction = await readTransaction(raw as Hex, chain.chainId)
    if (chain.find(transaction.hash) !== undefined)
      throw new RpcError({ code: -32000, message: 'already known' })
    await chain.pool.add(await chain.state.evmAt(chain.head().stateRoot), transaction)
    return transaction.hash
  },
  /** Adds a block immediately. Real Arc nodes lack this method. */
  evm_mine: async (chain) => numberToHex((await chain.mine()).number),
}

type RangeQuery = LogQuery & {
  readonly blockHash?: Hex
  readonly fromBlock?: unknown
  readonly toBlock?: unknown
}

function getLogs(chain: Chain, query: RangeQuery): unknown {
  if (query.blockHash !== undefined) {
    const block = chain.blockOf(query.blockHash)
    if (block === undefined) throw new RpcError({ code: -32000, message: 'unknown block' })
    return findLogs([block], query)
  }
  const from = requireBlock(chain, query.fromBlock).number
  // A range may end above the head, as on real nodes.
  const end = isHex(query.toBlock) ? hexToNumber(query.toBlock) : requireBlock(chain, query.toBlock).number
  if (end - from >= chain.family.maxLogsRange) return hang()
  return findLogs(chain.blocks.slice(from, end + 1), query)
}

/** Imitates Arc's public node, which never responds to queries for wide ranges (arc-node #83). */
function hang(): Promise<never> {
  return new Promise((_, fail) => {
    setTimeout(() => fail(new RpcError({ code: -32000, message: 'timed out' })), HANG_MS).unref()
  })
}

function feeHistory(chain: Chain, count: number): object {
  const blocks = chain.blocks.slice(-Math.min(Math.max(count, 1), 100))
  return {
    oldestBlock: numberToHex(blocks[0]?.number ?? 0),
    baseFeePerGas: [
      ...blocks.map(({ baseFeeWei }) => numberToHex(baseFeeWei)),
      numberToHex(chain.family.baseFeeWei),
    ],
    gasUsedRatio: blocks.map(({ gasUsed, gasLimit }) => Number(gasUsed) / Number(gasLimit)),
    reward: blocks.map(() => ['0x0']),
  }
}

async function accountAt(chain: Chain, { address, tag }: { address: unknown; tag: unknown }) {
  const evm = await chain.state.evmAt(requireBlock(chain, tag).stateRoot)
  const account = await evm.stateManager.getAccount(evmAddress(address as Address))
  return { balance: account?.balance ?? 0n, nonce: account?.nonce ?? 0n }
}

/**
 * Finds a block by number, hash or tag. Every tag except `earliest` means the head, because blocks are final
 * immediately.
 */
function blockAt(chain: Chain, tag: unknown): NodeBlock | undefined {
  if (isHex(tag)) return tag.length === 66 ? chain.blockOf(tag) : chain.blocks[hexToNumber(tag)]
  if (tag === 'earliest') return chain.blocks[0]
  if (typeof tag === 'object' && tag !== null && 'blockHash' in tag)
    return chain.blockOf(tag.blockHash as Hex)
  return chain.head()
}

function requireBlock(chain: Chain, tag: unknown): NodeBlock {
  const block = blockAt(chain, tag)
  if (block === undefined)
    throw new RpcError({ code: -32000, message: `header not found: ${JSON.stringify(tag)}` })
  return block
}
