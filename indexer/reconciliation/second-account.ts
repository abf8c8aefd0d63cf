import type { PlacedLog, PlacedReceipt } from '../../shared/chain/receipts.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Network } from '../../shared/domain/networks.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../transport/log-filter.ts'
import type { ChainNode } from '../transport/node-heads.ts'
import { SCANS } from './families.ts'
import { createLogSource, type ScanSource } from './scan-source.ts'

/** What one node has shown, at the API that the feed does not read. */
export type Account = { readonly node: ChainNode; readonly receipt: PlacedReceipt }

/** One who agrees is enough; while one cannot be asked, he may. */
const BY_WEIGHT = ['alike', 'unknown', 'other'] as const

/** What somebody else says of an account: the same, something else, or nothing, because he could not be asked. */
type Verdict = (typeof BY_WEIGHT)[number]

/**
 * Asks somebody else what a node alone has shown: another node, at either API, or, where there is no other, the same node at
 * its `/jsonrpc`. ONE NODE'S WORD IS MONEY MADE OF NOTHING, so whoever agrees must tell of the same logs, each in its place.
 *
 * Only where there is no other node, and the feed shows nothing, may the logs be lost (java-tron #4987): that the transaction
 * went well, in that very block, is enough then. Beside another node one could claim it of any that logged nothing.
 */
export async function seekSecondAccount(
  { node, receipt }: Account,
  { nodes, network, feedHasNone = false }: Question,
): Promise<Verdict> {
  const { sourceOf } = SCANS[REGISTRY[network].family]
  const others = nodes.filter(({ url }) => url !== node.url)
  const witnesses: readonly Witness[] =
    others.length === 0
      ? [{ source: createLogSource(node), mayHaveLostLogs: feedHasNone }]
      : others.flatMap((other) =>
          [sourceOf(other), createLogSource(other)].map((source) => ({ source, mayHaveLostLogs: false })),
        )
  const verdicts = await Promise.all(witnesses.map((witness) => hear(witness, receipt)))
  return BY_WEIGHT.find((verdict) => verdicts.includes(verdict)) ?? 'other'
}

type Question = {
  /** All there are. */
  readonly nodes: readonly ChainNode[]
  readonly network: Network
  /** That the feed shows nothing of what the transaction did; else its own API has not lost its logs. */
  readonly feedHasNone?: boolean
}

/**
 * Tells whether what one node shows may count, by what nodes have told of it, `null` if they have no such transaction, each
 * at the API that the feed does not read: two tell alike, or one does and none who was asked tells otherwise.
 */
export function isConfirmed(receipt: PlacedReceipt, told: readonly (PlacedReceipt | null)[]): boolean {
  const alike = told.filter((other) => other !== null && isAlike(other, receipt)).length
  return alike >= 2 || (alike === 1 && told.length === 1)
}

/**
 * Asks a node what a transaction of that block did, `null` if there is none.
 *
 * @throws {Error} if it does not answer, or has not come as far
 */
export async function askAbout(
  source: ScanSource,
  { txHash, blockNumber }: Pick<PlacedReceipt, 'txHash' | 'blockNumber'>,
): Promise<PlacedReceipt | null> {
  const told = await source.readReceipt(txHash)
  if (told !== null || (await source.hasReached(blockNumber))) return told
  throw new AppError('rpc_unavailable', `a node has not come to block ${blockNumber}`)
}

/** Tells whether two receipts are of one transaction in one block, and of all that concerns us log the same. */
function isAlike(left: PlacedReceipt, right: PlacedReceipt): boolean {
  return isSamePlace(left, right) && logsOf(left).join('\n') === logsOf(right).join('\n')
}

type Witness = { readonly source: ScanSource; readonly mayHaveLostLogs: boolean }

async function hear({ source, mayHaveLostLogs }: Witness, receipt: PlacedReceipt): Promise<Verdict> {
  try {
    const told = await askAbout(source, receipt)
    if (told === null) return 'other'
    const hasLost = mayHaveLostLogs && told.logs.length === 0 && isSamePlace(told, receipt)
    return hasLost || isAlike(told, receipt) ? 'alike' : 'other'
  } catch {
    return 'unknown'
  }
}

function isSamePlace(left: PlacedReceipt, right: PlacedReceipt): boolean {
  const isSameBlock = left.blockHash === right.blockHash && left.blockNumber === right.blockNumber
  return left.txHash === right.txHash && isSameBlock && left.blockTimestamp === right.blockTimestamp
}

/** A node may write bytes in either case, and logs much that is nobody's business of ours. */
function logsOf({ logs }: PlacedReceipt): readonly string[] {
  const topics = new Set<string>([TRANSFER_TOPIC, ...SPLIT_TOPICS])
  return logs.filter((log) => topics.has(log.topics[0] ?? '')).map(textOf)
}

function textOf({ address, topics, data, logIndex }: PlacedLog): string {
  return [logIndex, address, ...topics, data].join(' ').toLowerCase()
}
