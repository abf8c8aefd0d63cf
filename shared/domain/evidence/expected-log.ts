import type { Address, Hex } from '../address.ts'
import { SPLIT_TOPIC, TRANSFER_TOPIC, toTopic } from '../log-topics.ts'
import type { ReceiptLog } from './decode-receipt.ts'
import type { EvidenceKind } from './evidence-kind.ts'

const SPLIT_EVENTS: Readonly<Partial<Record<EvidenceKind, Hex>>> = {
  distribution: SPLIT_TOPIC.distributed,
  held: SPLIT_TOPIC.held,
  released: SPLIT_TOPIC.released,
}

/** A log that counts for a charge. */
export type CountedLog = {
  readonly kind: EvidenceKind
  /** The charge's address, which equals `splitAddress` without escrow. */
  readonly address: Address
  readonly splitAddress: Address
  readonly token: Address
  /** The contract that logs the token's transfers. */
  readonly emitter: Address
  readonly party: Address
  readonly amount: bigint
}

/** Returns the log as the receipt of its transaction must contain it. */
export function buildExpectedLog(log: CountedLog): ReceiptLog {
  const { kind, address, splitAddress, token, emitter, party, amount } = log
  const data: Hex = `0x${amount.toString(16).padStart(64, '0')}`
  const selector = SPLIT_EVENTS[kind]
  if (selector !== undefined)
    return { address: splitAddress, topics: [selector, toTopic(token), toTopic(party)], data }
  const [from, to] = kind === 'credit' ? [party, address] : [address, party]
  return { address: emitter, topics: [TRANSFER_TOPIC, toTopic(from), toTopic(to)], data }
}
