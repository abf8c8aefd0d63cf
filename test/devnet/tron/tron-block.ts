import type { Address, Hex } from 'viem'

import type { NodeLog } from '../evm-node/block.ts'
import type { RawTransaction } from './raw-transaction.ts'

/** A signed transaction. */
export type TronTransaction = RawTransaction & {
  /** The SHA-256 hash of `rawData`. */
  readonly hash: Hex
  readonly rawData: Hex
  readonly signature: Hex
}

/** The effects of a transaction. The owner also pays for a failed transaction. */
export type TronOutcome = {
  readonly result: 'SUCCESS' | 'REVERT' | 'OUT_OF_ENERGY' | 'ILLEGAL_OPERATION' | 'UNKNOWN'
  readonly returned: Hex
  readonly energyUsed: bigint
  readonly energyFeeSun: bigint
  readonly bandwidthFeeSun: bigint
  readonly logs: readonly NodeLog[]
  readonly contractAddress: Address | null
}

/** A transaction in a block. */
export type MinedTron = TronTransaction & TronOutcome & { readonly firstLogIndex: number }

/** A block and the state after it. */
export type TronBlock = {
  readonly number: number
  /** The first eight bytes are the height. */
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds. On the real chain, blocks are three seconds apart, or more if producers miss their turns. */
  readonly timestamp: number
  readonly stateRoot: Hex
  readonly transactions: readonly MinedTron[]
}

/** A transaction and its position in the chain. */
export type FoundTron = {
  readonly block: TronBlock
  readonly index: number
  readonly transaction: MinedTron
}
