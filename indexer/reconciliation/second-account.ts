import type { PlacedLog, PlacedReceipt } from '../../shared/chain/receipts.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Network } from '../../shared/domain/networks.ts'
import { systemClock } from '../../shared/runtime/clock.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../transport/log-filter.ts'
import type { ChainNode } from '../transport/node-heads.ts'
import { SCANS } from './families.ts'
import { STOPPED_MS } from './has-stopped.ts'
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

/** What a node tells of a transaction: what it did, `null` that there is none, or nothing as long as it has not come as far. */
export type Told = PlacedReceipt | null | 'undecided'

/**
 * Tells whether what one node shows may count, by what all who were asked have told, each at the API that the feed does not
 * read: two tell alike, or one does and there is no other.
 */
export function isConfirmed(receipt: PlacedReceipt, told: readonly Told[]): boolean {
  const alike = told.filter((other) => isReceipt(other) && isAlike(other, receipt)).length
  return alike >= 2 || (alike === 1 && told.length === 1)
}

/**
 * Finds the account of a transaction that counts: the nodes confirm it among them, or another one does at its `/jsonrpc`;
 * `null` if there is none, or while one of them is undecided.
 *
 * @param told - by those who could be asked
 */
export async function findConfirmed(
  told: readonly { readonly node: ChainNode; readonly told: Told }[],
  question: Question,
): Promise<Account | null> {
  const words = told.map((one) => one.told)
  const accounts = told.flatMap(({ node, told: receipt }) => (isReceipt(receipt) ? [{ node, receipt }] : []))
  const confirmed = accounts.find(({ receipt }) => isConfirmed(receipt, words))
  if (confirmed !== undefined || question.nodes.length < 2) return confirmed ?? null
  if (words.includes('undecided')) return null
  for (const account of accounts) if ((await seekSecondAccount(account, question)) === 'alike') return account
  return null
}

function isReceipt(told: Told): told is PlacedReceipt {
  return told !== null && told !== 'undecided'
}

/**
 * Asks a node what a transaction of that block did. One that has not come as far, and goes on, is waited for: else whoever
 * makes one up in a block that others do not have yet would be believed alone.
 *
 * @throws {Error} if it does not answer, or has stood still for ten minutes before that block
 */
export async function askAbout(
  source: ScanSource,
  { txHash, blockNumber }: Pick<PlacedReceipt, 'txHash' | 'blockNumber'>,
  now: Date = systemClock(),
): Promise<Told> {
  const told = await source.readReceipt(txHash)
  if (told !== null) return told
  const { number, timestampMs } = await source.readEnd()
  if (number >= blockNumber) return null
  if (now.getTime() - timestampMs <= STOPPED_MS) return 'undecided'
  throw new AppError('rpc_unavailable', `a node has stopped before block ${blockNumber}`)
}

/** Tells whether two receipts are of one transaction in one block, and of all that concerns us log the same. */
export function isAlike(left: PlacedReceipt, right: PlacedReceipt): boolean {
  return isSamePlace(left, right) && logsOf(left).join('\n') === logsOf(right).join('\n')
}

type Witness = { readonly source: ScanSource; readonly mayHaveLostLogs: boolean }

async function hear({ source, mayHaveLostLogs }: Witness, receipt: PlacedReceipt): Promise<Verdict> {
  try {
    const told = await askAbout(source, receipt)
    if (told === 'undecided') return 'unknown'
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
