import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { type BlockReceipts, readBlockReceipts } from '../../shared/chain/nodes/read-block-receipts.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { encodeHeader } from '../../shared/domain/evidence/encode-header.ts'
import { encodeReceipt } from '../../shared/domain/evidence/encode-receipt.ts'
import type { ProofFailure } from '../../shared/domain/evidence/proof-failure.ts'
import {
  buildReceiptsTrie,
  type ReceiptProof,
  type ReceiptsTrie,
} from '../../shared/domain/evidence/receipt-proof.ts'

/** The proof of a receipt, or the reason for its absence. */
export type ProofResult =
  | { readonly proof: ReceiptProof; readonly reason: null }
  | { readonly proof: null; readonly reason: ProofFailure }

/** Maximum size of the header and the nodes of one proof. The receipt of a transfer has about 1 KB. */
const MAX_PROOF_BYTES = 512 * 1024

/**
 * Proves the receipts of transactions in one block, from the report of a single node.
 *
 * No quorum is needed, because the proof itself shows whether the report is true: the header must have the hash of the
 * block, on which a quorum agreed when the transactions counted, and the trie over the receipts must have the root in
 * this header.
 */
export async function proveReceipts(
  client: ChainClient,
  { blockHash, txHashes }: { readonly blockHash: Hex; readonly txHashes: readonly Hex[] },
): Promise<ReadonlyMap<Hex, ProofResult>> {
  const all = (result: ProofResult) => new Map(txHashes.map((txHash) => [txHash, result]))
  const block = await readBlockReceipts(client, blockHash)
  if (block === null) return all({ proof: null, reason: 'block_not_served' })
  const header = encodeHeader(block.header, blockHash)
  if (header === null) return all({ proof: null, reason: 'unknown_header' })
  const proven = await findMatchingTrie(block)
  if (proven === null) return all({ proof: null, reason: 'unknown_receipts' })
  const results = txHashes.map(
    async (txHash) => [txHash, await proveReceipt({ header, ...proven }, txHash)] as const,
  )
  return new Map(await Promise.all(results))
}

type Proven = { readonly trie: ReceiptsTrie; readonly receipts: BlockReceipts['receipts'] }

/**
 * Returns the receipts whose trie has the root in the block's header: all of them, or those of ordinary transactions.
 *
 * Nodes of polygon also return the receipt of the state that the chain took over from Ethereum. Headers did not commit
 * to it before the upgrade Madhugiri (PIP-74 in maticnetwork/Polygon-Improvement-Proposals).
 */
async function findMatchingTrie({ header, receipts }: BlockReceipts): Promise<Proven | null> {
  const ordinary = receipts.filter((receipt) => !hasNoParties(receipt))
  for (const some of ordinary.length < receipts.length ? [receipts, ordinary] : [receipts]) {
    const trie = await buildReceiptsTrie(some.map(encodeReceipt), yieldToEvents)
    if (trie.root === header['receiptsRoot']) return { trie, receipts: some }
  }
  return null
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** Whether a transaction has no sender and no recipient, as when polygon takes over state from Ethereum. */
function hasNoParties(receipt: object): boolean {
  const { from, to } = receipt as { readonly from?: unknown; readonly to?: unknown }
  return from === ZERO_ADDRESS && (to === ZERO_ADDRESS || to === null)
}

async function proveReceipt(
  { header, trie, receipts }: Proven & { readonly header: Hex },
  txHash: Hex,
): Promise<ProofResult> {
  const transactionIndex = receipts.findIndex(({ transactionHash }) => transactionHash === txHash)
  if (transactionIndex < 0) return { proof: null, reason: 'unknown_receipts' }
  const nodes = await trie.prove(transactionIndex)
  const bytes = [header, ...nodes].reduce((sum, hex) => sum + hex.length / 2, 0)
  if (bytes > MAX_PROOF_BYTES) return { proof: null, reason: 'too_large' }
  const firstLogIndex = receipts.slice(0, transactionIndex).reduce((sum, { logs }) => sum + logs.length, 0)
  return { proof: { header, nodes, transactionIndex, firstLogIndex }, reason: null }
}
