import { createMerkleProof, createMPT, createMPTFromProof, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import { bytesToHex, hexToBytes, toRlp } from 'viem'
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

/** Maximum size of the header and the nodes of one proof. The receipt of a transfer has about 1 KB. */
export const MAX_PROOF_BYTES = 128 * 1024

/** Receipts after which other work of the process runs: a large block takes half a second. */
const RECEIPTS_AT_ONCE = 50

/** The trie over the receipts of a block. */
export type ReceiptsTrie = { readonly root: Hex; readonly prove: (index: number) => Promise<ReceiptNodes> }

/**
 * Builds the trie over a block's encoded receipts, in the order of their transactions.
 *
 * @param rest - waits until other work has run
 */
export async function buildReceiptsTrie(
  receipts: readonly Hex[],
  rest: () => Promise<unknown> = () => Promise.resolve(),
): Promise<ReceiptsTrie> {
  const trie = await createMPT()
  for (const [index, receipt] of receipts.entries()) {
    await trie.put(toKey(index), hexToBytes(receipt))
    if (index % RECEIPTS_AT_ONCE === RECEIPTS_AT_ONCE - 1) await rest()
  }
  return { root: bytesToHex(trie.root()), prove: (index) => listNodes(trie, index) }
}

/**
 * Returns the encoded receipt that these nodes prove to be at this index under this root.
 *
 * @returns `null` if the nodes do not prove it, or if one of them is not needed for it
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
