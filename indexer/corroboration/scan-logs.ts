import { numberToHex, type RpcLog as ViemLog } from 'viem'
import type { ChainClient } from '../../shared/chain/client.ts'
import type { LogPlace, ReconciledCharge } from '../../shared/db/chain-facts/reconciliations.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { addressTopic, SPLIT_TOPICS, TRANSFER_TOPIC } from '../transport/log-filter.ts'

/** What is looked for, and where; the range includes both ends. */
export type LogScan = {
  readonly charges: readonly ReconciledCharge[]
  readonly emitters: readonly Address[]
  readonly fromBlock: number
  readonly toBlock: number
  /** Whether to look for what strangers sent into the splits of escrow charges, too: it pays no charge. */
  readonly withStrays?: boolean
  /** Told of a block that could not be read whole where it should have been. */
  readonly onLongBlock?: (blockNumber: number) => void
}

/** A log, and the number of its block. */
export type FoundLog = LogPlace & { readonly blockNumber: number }

/**
 * Asks the chain for all that moved these charges' money in a range: at most three requests.
 *
 * Transfers of nothing are left out: they are never recorded.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function scanLogs(client: ChainClient, scan: LogScan): Promise<readonly FoundLog[]> {
  const { charges, emitters } = scan
  if (charges.length === 0) return []
  const addresses = charges.map(({ address }) => addressTopic(address))
  const escrows = charges.filter(({ isEscrow }) => isEscrow).map(({ address }) => addressTopic(address))
  const splits = charges.map(({ splitAddress }) => splitAddress)
  const strayed = scan.withStrays === true && escrows.length > 0 ? splits.map(addressTopic) : []
  const filters = [
    { address: emitters, topics: [TRANSFER_TOPIC, null, [...new Set([...addresses, ...strayed])]] },
    { address: splits, topics: [SPLIT_TOPICS] },
    ...(escrows.length > 0 ? [{ address: emitters, topics: [TRANSFER_TOPIC, escrows] }] : []),
  ]
  const answers = await Promise.all(filters.map((filter) => getLogs(client, scan, filter)))
  return answers.flat().flatMap((log) => placeOf(log) ?? [])
}

type Filter = {
  readonly address: readonly Address[]
  readonly topics: readonly (Hex | readonly Hex[] | null)[]
}

/** viem's own `getLogs` knows no list of values for a topic without decoding every log. */
async function getLogs(
  client: ChainClient,
  { fromBlock, toBlock }: LogScan,
  filter: Filter,
): Promise<readonly ViemLog[]> {
  const range = { fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) }
  return client.request({ method: 'eth_getLogs', params: [{ ...range, ...filter } as never] })
}

function placeOf({
  transactionHash,
  blockHash,
  blockNumber,
  logIndex,
  data,
  topics,
}: ViemLog): FoundLog | null {
  if (transactionHash === null || blockHash === null || blockNumber === null || logIndex === null) return null
  if (topics[0] === TRANSFER_TOPIC && /^0x0*$/.test(data)) return null
  const txHash = transactionHash.toLowerCase() as Hex
  return {
    ...{ txHash, blockHash: blockHash.toLowerCase() as Hex },
    ...{ blockNumber: Number(blockNumber), logIndex: Number(logIndex) },
  }
}
