import type { Common } from '@ethereumjs/common'
import type { EVM } from '@ethereumjs/evm'
import type { MerkleStateManager } from '@ethereumjs/statemanager'
import type { Address, Hex } from 'viem'

/** An account of the first block. */
export type GenesisAccount = {
  readonly address: Address
  readonly balanceWei?: bigint
  /** Code at the address from the first block on. */
  readonly code?: Hex
}

/** The rules that differ between the chain families of this local node. */
export type ChainRules = {
  readonly name: string
  /** The rules of the EVM: hard fork and chain id. */
  readonly common: Common
  /** Creates an EVM of this family on a state, which may be a copy for one call. */
  readonly createEvm: (state: MerkleStateManager) => EVM
  readonly genesis: readonly GenesisAccount[]
  readonly blockGasLimit: bigint
  /** The base fee never falls below this value, and does not rise on a local chain. */
  readonly baseFeeWei: bigint
  /** The node does not respond to `eth_getLogs` for a range of more than this number of blocks. */
  readonly maxLogsRange: number
  /** Extra bytes of the block header. Their meaning depends on the family. */
  readonly extraData: Hex
}
