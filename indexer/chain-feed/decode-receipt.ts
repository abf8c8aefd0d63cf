import type { PositionedLog, PositionedReceipt } from '../../shared/chain/nodes/receipts.ts'
import type { PonderSplitEvent, PonderTransfer } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../../shared/domain/log-topics.ts'

/** The events in the order of `SPLIT_TOPICS`. */
const SPLIT_KINDS = ['distributed', 'held', 'released'] as const

/** Transfers and split events of a receipt, in the format of Ponder's rows. */
export type DecodedReceipt = {
  readonly transfers: readonly PonderTransfer[]
  readonly splitEvents: readonly PonderSplitEvent[]
}

/**
 * Decodes a receipt into the rows that Ponder would have created, for any address. Ignores all other logs. Callers use
 * the feed's functions to select and identify the rows of our charges.
 */
export function decodeReceipt(receipt: PositionedReceipt): DecodedReceipt {
  return {
    transfers: receipt.logs.flatMap((log) => decodeTransfer(receipt, log) ?? []),
    splitEvents: receipt.logs.flatMap((log) => decodeSplitEvent(receipt, log) ?? []),
  }
}

function decodeTransfer(receipt: PositionedReceipt, log: PositionedLog): PonderTransfer | null {
  const [topic, sender, recipient, fourth] = log.topics
  const value = readWord(log.data)
  // A fourth topic marks the Transfer event of ERC-721, whose third argument is an id.
  if (topic !== TRANSFER_TOPIC || !sender || !recipient || fourth || value === null) return null
  return {
    ...positionOf(receipt, log),
    emitter: lower(log.address),
    sender: addressOf(sender),
    recipient: addressOf(recipient),
    value,
  }
}

function decodeSplitEvent(receipt: PositionedReceipt, log: PositionedLog): PonderSplitEvent | null {
  const [topic, token, account] = log.topics
  const kind = topic === undefined ? undefined : SPLIT_KINDS[SPLIT_TOPICS.indexOf(topic)]
  const amount = readWord(log.data)
  if (!kind || !token || !account || amount === null) return null
  return {
    ...positionOf(receipt, log),
    split: lower(log.address),
    kind,
    token: addressOf(token),
    account: addressOf(account),
    amount,
  }
}

function positionOf(
  { txHash, blockNumber, blockHash, blockTimestamp }: PositionedReceipt,
  log: PositionedLog,
) {
  return { txHash, blockNumber, blockHash, blockTimestamp, logIndex: log.logIndex ?? 0 }
}

function readWord(data: Hex): bigint | null {
  return data.length === 66 ? BigInt(data) : null
}

function addressOf(topic: Hex): Address {
  return lower(`0x${topic.slice(-40)}`)
}

function lower(address: Hex): Address {
  return address.toLowerCase() as Address
}
