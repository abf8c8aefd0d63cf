import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import {
  type BlockReceipt,
  readBlockHeader,
  readBlockReceipts,
} from '../../shared/chain/nodes/read-block-receipts.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { ReceiptLog } from '../../shared/domain/evidence/decode-receipt.ts'
import { encodeHeader } from '../../shared/domain/evidence/encode-header.ts'
import { encodeReceipt } from '../../shared/domain/evidence/encode-receipt.ts'
import type { ProofFailure } from '../../shared/domain/evidence/proof-failure.ts'
import {
  buildReceiptsTrie,
  getMaxProofBytes,
  type ReceiptProof,
  type ReceiptsTrie,
} from '../../shared/domain/evidence/receipt-proof.ts'

export type ProofResult =
  | { readonly proof: ReceiptProof; readonly reason: null }
  | { readonly proof: null; readonly reason: ProofFailure }

/** Maximum size of a header. Headers have about 700 bytes; some on polygon and bnb have a few KB. */
const MAX_HEADER_BYTES = 64 * 1024

/** A counted log: its index in the block, and its expected content. */
export type PlacedLog = { readonly logIndex: number; readonly expected: ReceiptLog }

/** A block, and the transactions to prove with their counted logs. */
export type WantedReceipts = {
  readonly blockHash: Hex
  readonly logsOf: ReadonlyMap<Hex, readonly PlacedLog[]>
}

/**
 * Proves the receipts of transactions in one block, from the report of a single node.
 *
 * No quorum is needed, because three checks show whether the report is true. The header must have the block hash on
 * which a quorum agreed when the transactions counted. The trie of the receipts must have the root in this header. Each
 * receipt must contain the counted logs of its transaction, because a receipt does not contain the transaction's hash,
 * so a node could swap two receipts.
 *
 * @throws {BaseError} from viem if the node does not respond
 */
export async function proveReceipts(
  client: ChainClient,
  { blockHash, logsOf }: WantedReceipts,
): Promise<ReadonlyMap<Hex, ProofResult>> {
  const failAll = (reason: ProofFailure) =>
    new Map([...logsOf.keys()].map((txHash): [Hex, ProofResult] => [txHash, { proof: null, reason }]))
  const block = await readBlockHeader(client, blockHash)
  if (block === null) return failAll('block_not_served')
  const header = encodeHeader(block, blockHash)
  if (header === null) return failAll('unknown_header')
  if (header.length / 2 > MAX_HEADER_BYTES) return failAll('too_large')
  const receipts = await readBlockReceipts(client, blockHash)
  if (receipts === null) return failAll('block_not_served')
  const proven = await findMatchingTrie(receipts, String(block['receiptsRoot']).toLowerCase())
  if (proven === null) return failAll('unknown_receipts')
  const results = [...logsOf].map(
    async ([txHash, logs]) => [txHash, await proveReceipt({ header, ...proven }, { txHash, logs })] as const,
  )
  return new Map(await Promise.all(results))
}

type Proven = { readonly trie: ReceiptsTrie; readonly receipts: readonly BlockReceipt[] }

/**
 * Returns the receipts whose trie has this root, with the trie: all receipts, or only those of ordinary transactions.
 * Returns `null` if neither trie has the root.
 *
 * Nodes of polygon also return the receipt of the state-sync transaction, which brings state from Ethereum to polygon.
 * Headers did not commit to this receipt before the upgrade Madhugiri (PIP-74 in
 * maticnetwork/Polygon-Improvement-Proposals).
 */
async function findMatchingTrie(receipts: readonly BlockReceipt[], root: string): Promise<Proven | null> {
  const ordinary = receipts.filter((receipt) => !hasNoParties(receipt))
  for (const some of ordinary.length < receipts.length ? [receipts, ordinary] : [receipts]) {
    const trie = await buildReceiptsTrie(some.map(encodeReceipt))
    if (trie.root === root) return { trie, receipts: some }
  }
  return null
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** Returns whether a transaction has no sender and no recipient, like a state-sync transaction of polygon. */
function hasNoParties(receipt: object): boolean {
  const { from, to } = receipt as { readonly from?: unknown; readonly to?: unknown }
  return from === ZERO_ADDRESS && (to === ZERO_ADDRESS || to === null)
}

type Wanted = { readonly txHash: Hex; readonly logs: readonly PlacedLog[] }

async function proveReceipt(
  { header, trie, receipts }: Proven & { readonly header: Hex },
  { txHash, logs }: Wanted,
): Promise<ProofResult> {
  const transactionIndex = receipts.findIndex(
    ({ transactionHash }) => transactionHash.toLowerCase() === txHash.toLowerCase(),
  )
  const receipt = receipts[transactionIndex]
  const firstLogIndex = receipts.slice(0, transactionIndex).reduce((sum, one) => sum + one.logs.length, 0)
  if (receipt === undefined || !hasLogs(receipt, { firstLogIndex, logs }))
    return { proof: null, reason: 'unknown_receipts' }
  const nodes = await trie.prove(transactionIndex)
  const bytes = [header, ...nodes].reduce((sum, hex) => sum + hex.length / 2, 0)
  if (bytes > getMaxProofBytes(receipt.logs.length)) return { proof: null, reason: 'too_large' }
  return { proof: { header, nodes, transactionIndex, firstLogIndex }, reason: null }
}

type PlacedLogs = { readonly firstLogIndex: number; readonly logs: readonly PlacedLog[] }

/** Returns whether the transaction succeeded and its receipt has every counted log, at least one, at its index. */
function hasLogs({ status, logs: found }: BlockReceipt, { firstLogIndex, logs }: PlacedLogs): boolean {
  return (
    BigInt(status) === 1n &&
    logs.length > 0 &&
    logs.every(({ logIndex, expected }) => {
      const log = found[logIndex - firstLogIndex]
      return log !== undefined && toText(log) === toText(expected)
    })
  )
}

function toText({ address, topics, data }: ReceiptLog): string {
  return [address, ...topics, data].join(' ').toLowerCase()
}
