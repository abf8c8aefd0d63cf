import { toEventSelector } from 'viem'
import type { Address, Hex } from '../address.ts'
import type { ReceiptLog } from './decode-receipt.ts'
import type { EvidenceKind } from './evidence-kind.ts'

/** keccak256 of `Transfer(address,address,uint256)` (EIP-20). */
export const TRANSFER = toEventSelector('Transfer(address,address,uint256)')

const SPLIT_EVENTS: Readonly<Partial<Record<EvidenceKind, Hex>>> = {
  distribution: toEventSelector('SplitDistributed(address,address,uint256)'),
  held: toEventSelector('PayoutHeld(address,address,uint256)'),
  released: toEventSelector('PayoutReleased(address,address,uint256)'),
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
  return { address: emitter, topics: [TRANSFER, toTopic(from), toTopic(to)], data }
}

/** Encodes an address as a topic of a log. */
export function toTopic(address: Address): Hex {
  return `0x${address.slice(2).padStart(64, '0')}`
}
