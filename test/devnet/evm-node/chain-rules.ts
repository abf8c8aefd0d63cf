import type { Common } from '@ethereumjs/common'
import type { EVM } from '@ethereumjs/evm'
import type { MerkleStateManager } from '@ethereumjs/statemanager'
import type { Address, Hex } from 'viem'

/** An account of the first block. */
export type GenesisAccount = {
  readonly address: Address
  readonly balanceWei?: bigint
  /** What is at the address from the first block on. */
  readonly code?: Hex
}

/** What makes one family of chains differ from another on the same node. */
export type ChainRules = {
  readonly name: string
  /** The rules of the EVM: hard fork and chain id. */
  readonly common: Common
  /** Makes an EVM of this family on a state; the state may be a copy for one call. */
  readonly createEvm: (state: MerkleStateManager) => EVM
  readonly genesis: readonly GenesisAccount[]
  readonly blockGasLimit: bigint
  /** It never falls below this, and on a local chain it does not rise. */
  readonly baseFeeWei: bigint
  /** A range of `eth_getLogs` above this many blocks is never answered. */
  readonly maxLogsRange: number
  /** Bytes of the header that the family gives a meaning. */
  readonly extraData: Hex
}
