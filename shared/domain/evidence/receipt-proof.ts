import { createMerkleProof, createMPT, createMPTFromProof, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import { bytesToHex, fromRlp, hexToBytes, toRlp } from 'viem'
import type { Hex } from '../address.ts'
import { encodeNumber } from './encode-receipt.ts'

/** The nodes of a block's receipts trie from its root to the leaf that contains a receipt. */
export type ReceiptNodes = readonly Hex[]

/** Proof that a receipt is in a block. */
export type ReceiptProof = {
  /** RLP; its keccak256 is the hash of the block. */
  readonly header: Hex
  readonly nodes: ReceiptNodes
  readonly transactionIndex: number
  /** Index in the block of the receipt's first log. */
  readonly firstLogIndex: number
}

/** Maximum size of one proof's header and nodes. A transfer's receipt has about 1 KB. */
export const MAX_PROOF_BYTES = 128 * 1024
/** Maximum size for a receipt of at most 100 logs, so that the evidence of a payment has less than 64 KB as JSON. */
const MAX_SMALL_PROOF_BYTES = 28 * 1024
const SMALL_RECEIPT_LOGS = 100

/** Returns the maximum size in bytes of the proof of a receipt with this number of logs. */
export function getMaxProofBytes(logs: number): number {
  return logs <= SMALL_RECEIPT_LOGS ? MAX_SMALL_PROOF_BYTES : MAX_PROOF_BYTES
}

/** Encodes a proof's header and nodes as RLP for the database, which takes half the size of hex digits. */
export function packProof({ header, nodes }: Pick<ReceiptProof, 'header' | 'nodes'>): Uint8Array {
  return toRlp([header, [...nodes]], 'bytes')
}

/** Decodes the result of `packProof`. */
export function unpackProof(packed: Uint8Array): Pick<ReceiptProof, 'header' | 'nodes'> {
  const [header, nodes] = fromRlp(packed, 'hex') as [Hex, readonly Hex[]]
  return { header, nodes }
}

/** The trie over a block's receipts. */
export type ReceiptsTrie = { readonly root: Hex; readonly prove: (index: number) => Promise<ReceiptNodes> }

/** Builds the trie over a block's encoded receipts, in the order of their transactions. */
export async function buildReceiptsTrie(receipts: readonly Hex[]): Promise<ReceiptsTrie> {
  // Without pruning, each inserted receipt would leave the replaced nodes of its path in memory.
  const trie = await createMPT({ useNodePruning: true })
  for (const [index, receipt] of receipts.entries()) await trie.put(toKey(index), hexToBytes(receipt))
  return { root: bytesToHex(trie.root()), prove: (index) => listNodes(trie, index) }
}

/**
 * Returns the encoded receipt that these nodes prove to be at this index under this root.
 *
 * @returns `null` if the nodes prove no receipt, or are not exactly the needed nodes in their order
 */
export async function findProvenReceipt(
  nodes: ReceiptNodes,
  { root, index }: { readonly root: Hex; readonly index: number },
): Promise<Hex | null> {
  try {
    const proof = nodes.map((node) => hexToBytes(node))
    const trie = await createMPTFromProof(proof, { root: hexToBytes(root) })
    const receipt = await trie.get(toKey(index), true)
    const needed = await listNodes(trie, index)
    return receipt !== null && needed.join() === nodes.join() ? bytesToHex(receipt) : null
  } catch {
    return null
  }
}

async function listNodes(trie: MerklePatriciaTrie, index: number): Promise<ReceiptNodes> {
  const nodes = await createMerkleProof(trie, toKey(index))
  return nodes.map((node) => bytesToHex(node))
}

function toKey(index: number): Uint8Array {
  return toRlp(encodeNumber(`0x${index.toString(16)}`), 'bytes')
}
