import { createMPT } from '@ethereumjs/mpt'
import {
  type Address,
  bytesToHex,
  concatHex,
  type Hex,
  hexToBytes,
  keccak256,
  numberToHex,
  toRlp,
} from 'viem'

import { buildBloom } from './bloom.ts'

/** A log as the node stores it. */
export type NodeLog = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }

/** A signed transaction. */
export type SignedTransaction = {
  readonly hash: Hex
  readonly from: Address
  /** `null` creates a contract. */
  readonly to: Address | null
  readonly nonce: bigint
  readonly valueWei: bigint
  readonly data: Hex
  readonly gasLimit: bigint
  readonly maxFeePerGasWei: bigint
  readonly maxTipPerGasWei: bigint
  readonly accessList: readonly { readonly address: Address; readonly storageKeys: readonly Hex[] }[]
  readonly type: 'legacy' | 'eip2930' | 'eip1559'
  readonly signature: { readonly r: Hex; readonly s: Hex; readonly yParity: number }
}

/** The effects of a transaction. */
export type Outcome = {
  readonly isSuccess: boolean
  readonly gasUsed: bigint
  readonly gasPriceWei: bigint
  readonly logs: readonly NodeLog[]
  readonly contractAddress: Address | null
}

/** A transaction in its block. */
export type MinedTransaction = SignedTransaction & Outcome & { readonly firstLogIndex: number }

/** A block. `stateRoot` is the root of the state after it. */
export type NodeBlock = {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds. The next block may have the same timestamp. */
  readonly timestamp: number
  readonly stateRoot: Hex
  readonly baseFeeWei: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly extraData: Hex
  readonly logsBloom: Hex
  readonly transactionsRoot: Hex
  readonly receiptsRoot: Hex
  readonly transactions: readonly MinedTransaction[]
}

/** Hash of an empty uncle list. */
export const NO_UNCLES: Hex = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
export const ZERO_HASH: Hex = `0x${'0'.repeat(64)}`
/** The address that receives the fees above the base fee. No one owns it. */
export const COINBASE: Address = '0xc0153a5e00000000000000000000000000000001'

/**
 * Completes a block. Its hash is the hash of its header, as on Ethereum.
 *
 * `transactionsRoot` is a plain hash, not the root of a trie, because no code requests the proof of a transaction.
 */
export async function sealBlock(
  draft: Omit<NodeBlock, 'hash' | 'logsBloom' | 'gasUsed' | 'transactionsRoot' | 'receiptsRoot'>,
): Promise<NodeBlock> {
  const { transactions } = draft
  const sealed = {
    ...draft,
    gasUsed: transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
    logsBloom: buildBloom(transactions.flatMap(({ logs }) => logs)),
    transactionsRoot: hashAll(transactions.map(({ hash }) => hash)),
    receiptsRoot: await buildReceiptsRoot(transactions),
  }
  return { ...sealed, hash: keccak256(toRlp(headerFields(sealed))) }
}

/** Returns the root of the receipts trie (yellow paper, section 4.3.1; EIP-2718). */
async function buildReceiptsRoot(transactions: readonly MinedTransaction[]): Promise<Hex> {
  const trie = await createMPT()
  let cumulativeGas = 0n
  for (const [index, { type, isSuccess, gasUsed, logs }] of transactions.entries()) {
    cumulativeGas += gasUsed
    const entries = logs.map(({ address, topics, data }) => [address, [...topics], data])
    const payload = toRlp([
      ...[isSuccess ? ('0x01' as const) : ('0x' as const), rlpNumber(cumulativeGas)],
      ...[buildBloom(logs), entries],
    ])
    const receipt = type === 'legacy' ? payload : concatHex([type === 'eip2930' ? '0x01' : '0x02', payload])
    await trie.put(hexToBytes(toRlp(rlpNumber(index))), hexToBytes(receipt))
  }
  return bytesToHex(trie.root())
}

function headerFields(block: Omit<NodeBlock, 'hash'>): Hex[] {
  return [
    block.parentHash,
    NO_UNCLES,
    COINBASE,
    block.stateRoot,
    block.transactionsRoot,
    block.receiptsRoot,
    block.logsBloom,
    '0x', // difficulty
    ...[block.number, block.gasLimit, block.gasUsed, block.timestamp].map(rlpNumber),
    block.extraData,
    ZERO_HASH, // PREV_RANDAO
    '0x0000000000000000',
    rlpNumber(block.baseFeeWei),
  ]
}

/** Encodes a number for RLP, which encodes zero as an empty string. */
function rlpNumber(value: number | bigint): Hex {
  return BigInt(value) === 0n ? '0x' : numberToHex(value, { size: Math.ceil(value.toString(16).length / 2) })
}

function hashAll(parts: readonly Hex[]): Hex {
  return keccak256(concatHex([...parts]))
}
