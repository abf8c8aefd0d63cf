import { toEventSelector } from 'viem'
import type { Address, Hex } from './address.ts'

/** keccak256 of `Transfer(address,address,uint256)` (EIP-20). */
export const TRANSFER_TOPIC = toEventSelector('Transfer(address,address,uint256)')

/** Topics of the split's events. */
export const SPLIT_TOPIC = {
  distributed: toEventSelector('SplitDistributed(address,address,uint256)'),
  held: toEventSelector('PayoutHeld(address,address,uint256)'),
  released: toEventSelector('PayoutReleased(address,address,uint256)'),
} as const

/** The same topics in the order of contracts/src/PaymentSplit.sol. */
export const SPLIT_TOPICS: readonly Hex[] = [SPLIT_TOPIC.distributed, SPLIT_TOPIC.held, SPLIT_TOPIC.released]

/** Returns the address as a topic, left-padded to 32 bytes. */
export function toTopic(address: Address): Hex {
  return `0x${address.slice(2).padStart(64, '0')}`
}
