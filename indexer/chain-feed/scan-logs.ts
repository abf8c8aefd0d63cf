import { numberToHex, type RpcLog as ViemLog } from 'viem'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import type { LogPosition, ReconciledCharge } from '../../shared/db/chain-facts/reconciliations.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC, toTopic } from '../../shared/domain/log-topics.ts'

/** The range includes both ends. */
export type LogScan = {
  readonly charges: readonly ReconciledCharge[]
  readonly emitters: readonly Address[]
  readonly fromBlock: number
  readonly toBlock: number
  /** Whether to include other accounts' transfers to the splits of escrow charges. Such transfers are not payments. */
  readonly withStrays?: boolean
  /**
   * Called on TRON with the number of a block that is too long for one response. Another API must then list its logs.
   */
  readonly onLongBlock?: (blockNumber: number) => void
}

export type FoundLog = LogPosition & { readonly blockNumber: number }

/**
 * Fetches transfers to these charges, transfers out of their Safes, and events of their splits, in at most three
 * requests. Omits transfers of zero, which are never recorded.
 *
 * @throws {BaseError} from viem if the node does not respond
 */
export async function scanLogs(client: ChainClient, scan: LogScan): Promise<readonly FoundLog[]> {
  const { charges, emitters } = scan
  if (charges.length === 0) return []
  const addresses = charges.map(({ address }) => toTopic(address))
  const escrows = charges.filter(({ isEscrow }) => isEscrow).map(({ address }) => toTopic(address))
  const splits = charges.map(({ splitAddress }) => splitAddress)
  const strayed = scan.withStrays === true && escrows.length > 0 ? splits.map(toTopic) : []
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

/** viem's own `getLogs` cannot filter a topic by a list of values without decoding every log. */
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
