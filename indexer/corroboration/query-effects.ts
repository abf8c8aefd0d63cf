import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import type { Verdict } from '../../shared/chain/nodes/quorum.ts'
import type { PlacedLog, PlacedReceipt } from '../../shared/chain/receipts.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../transport/log-filter.ts'
import type { ChainSources } from './chain-sources.ts'
import type { TransactionClaim } from './log-source.ts'

/**
 * Asks a quorum what a transaction did; `null` if it is in no block of the chain, or has failed.
 *
 * Whole receipts are compared: block hash, number and time, and of every log that could be ours its index, emitter,
 * parties and amount. Two nodes that agree on the position and not on the content contradict each other.
 */
export function queryEffects(
  { voters, apis }: Pick<ChainSources, 'voters' | 'apis'>,
  claim: TransactionClaim,
): Promise<Verdict<PlacedReceipt | null>> {
  return queryQuorum(voters, { read: ({ source }) => source.readEffects(claim), toText, apis })
}

/** Exported for its test. Nodes write bytes in either case, and log much that concerns nobody here. */
export function toText(receipt: PlacedReceipt | null): string {
  if (receipt === null) return 'none'
  const { txHash, blockHash, blockNumber, blockTimestamp, logs } = receipt
  const topics = new Set<string>([TRANSFER_TOPIC, ...SPLIT_TOPICS])
  const ours = logs.filter((log) => topics.has(log.topics[0] ?? '')).map(logToText)
  return [txHash, blockHash, blockNumber, blockTimestamp, ...ours].join('\n').toLowerCase()
}

function logToText({ address, topics, data, logIndex }: PlacedLog): string {
  return [logIndex, address, ...topics, data].join(' ')
}
