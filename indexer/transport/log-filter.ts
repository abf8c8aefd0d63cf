import type { Address, Hex } from '../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../../shared/domain/log-topics.ts'

/**
 * Version of the filter rules. Increase it when they keep more or fewer logs. A new version creates a new schema, for
 * which the chain is fetched again.
 */
export const FILTER_VERSION = 1

export type RpcLog = {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly blockNumber: Hex
  readonly logIndex: Hex
}

/** Addresses that belong to our charges, and the escrows among them, whose outgoing transfers are kept. */
export type KnownAddresses = { readonly ours: ReadonlySet<string>; readonly escrows: ReadonlySet<string> }

/** Lists the addresses that decide whether these logs are kept, each once, in lowercase. */
export function listLookupAddresses(
  logs: readonly RpcLog[],
  emitters: ReadonlySet<string>,
): readonly Address[] {
  const addresses = logs.flatMap((log) => {
    if (isTransfer(log, emitters)) return [topicAddress(log.topics[1]), topicAddress(log.topics[2])]
    return isSplitEvent(log) ? [lower(log.address)] : []
  })
  return [...new Set(addresses.filter((address) => address !== null))]
}

/**
 * Returns the logs that move money of our charges: transfers of our tokens to a charge's address or out of an escrow,
 * and the events of our own splits. Transfers of other tokens are dropped, even if a token has the same name as ours.
 */
export function filterOwnLogs(
  logs: readonly RpcLog[],
  known: KnownAddresses & { readonly emitters: ReadonlySet<string> },
): readonly RpcLog[] {
  return logs.filter((log) => {
    if (isTransfer(log, known.emitters)) {
      const [sender, recipient] = [topicAddress(log.topics[1]), topicAddress(log.topics[2])]
      return (
        (recipient !== null && known.ours.has(recipient)) || (sender !== null && known.escrows.has(sender))
      )
    }
    return isSplitEvent(log) && known.ours.has(lower(log.address))
  })
}

function isTransfer(log: RpcLog, emitters: ReadonlySet<string>): boolean {
  return log.topics[0] === TRANSFER_TOPIC && log.topics.length === 3 && emitters.has(lower(log.address))
}

function isSplitEvent(log: RpcLog): boolean {
  const [topic] = log.topics
  return topic !== undefined && SPLIT_TOPICS.includes(topic)
}

function topicAddress(topic: Hex | undefined): Address | null {
  return topic === undefined ? null : lower(`0x${topic.slice(26)}`)
}

function lower(address: Hex): Address {
  return address.toLowerCase() as Address
}
