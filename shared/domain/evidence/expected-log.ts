import type { Address, Hex } from '../address.ts'
import { SPLIT_TOPIC, TRANSFER_TOPIC, toTopic } from '../log-topics.ts'
import type { ReceiptLog } from './decode-receipt.ts'
import type { EvidenceKind } from './evidence-kind.ts'

const SPLIT_EVENTS: Readonly<Partial<Record<EvidenceKind, Hex>>> = {
  distribution: SPLIT_TOPIC.distributed,
  held: SPLIT_TOPIC.held,
  released: SPLIT_TOPIC.released,
}

/** A counted log: its charge's addresses, its token, the contract that logs the token's transfers, and its values. */
export type CountedLog = {
  readonly kind: EvidenceKind
  /** The charge's address, and its split; the same without escrow. */
  readonly address: Address
  readonly splitAddress: Address
  readonly token: Address
  readonly emitter: Address
  readonly party: Address
  readonly amount: bigint
}

/** Returns the log that a receipt must contain for a counted log. */
export function buildExpectedLog(log: CountedLog): ReceiptLog {
  const { kind, address, splitAddress, token, emitter, party, amount } = log
  const data: Hex = `0x${amount.toString(16).padStart(64, '0')}`
  const selector = SPLIT_EVENTS[kind]
  if (selector !== undefined)
    return { address: splitAddress, topics: [selector, toTopic(token), toTopic(party)], data }
  const [from, to] = kind === 'credit' ? [party, address] : [address, party]
  return { address: emitter, topics: [TRANSFER_TOPIC, toTopic(from), toTopic(to)], data }
}
