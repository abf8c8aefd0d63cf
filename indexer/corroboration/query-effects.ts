import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import type { Verdict } from '../../shared/chain/nodes/quorum.ts'
import type { PositionedLog, PositionedReceipt } from '../../shared/chain/nodes/receipts.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../../shared/domain/log-topics.ts'
import type { ChainSources } from './chain-sources.ts'
import type { TransactionClaim } from './log-source.ts'

/**
 * Queries a quorum for the effects of a transaction. The agreed value is `null` if the transaction is in no block of
 * the chain, or has failed.
 *
 * Compares whole receipts: block hash, number and time, and the index, emitter, topics and data of every log that could
 * concern our charges. Nodes that agree on a log's position but not on its content contradict each other.
 */
export function queryEffects(
  { voters, apis }: Pick<ChainSources, 'voters' | 'apis'>,
  claim: TransactionClaim,
): Promise<Verdict<PositionedReceipt | null>> {
  return queryQuorum(voters, { read: ({ source }) => source.readEffects(claim), toText, apis })
}

/**
 * Returns a receipt as text for comparison, in lower case and without irrelevant logs, because nodes write hex in
 * different case.
 */
export function toText(receipt: PositionedReceipt | null): string {
  if (receipt === null) return 'none'
  const { txHash, blockHash, blockNumber, blockTimestamp, logs } = receipt
  const topics = new Set<string>([TRANSFER_TOPIC, ...SPLIT_TOPICS])
  const ours = logs.filter((log) => topics.has(log.topics[0] ?? '')).map(logToText)
  return [txHash, blockHash, blockNumber, blockTimestamp, ...ours].join('\n').toLowerCase()
}

function logToText({ address, topics, data, logIndex }: PositionedLog): string {
  return [logIndex, address, ...topics, data].join(' ')
}
