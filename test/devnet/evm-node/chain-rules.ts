import type { Common } from '@ethereumjs/common'
import type { EVM } from '@ethereumjs/evm'
import type { MerkleStateManager } from '@ethereumjs/statemanager'
import type { Address, Hex } from 'viem'

/** An account of the first block. */
export type GenesisAccount = {
  readonly address: Address
  readonly balanceWei?: bigint
  readonly code?: Hex
}

/** The rules of a chain family that a local node can imitate. */
export type ChainRules = {
  readonly name: string
  /** The rules of the EVM: hard fork and chain id. */
  readonly common: Common
  /** Creates an EVM of this family. The state may be a copy for one call. */
  readonly createEvm: (state: MerkleStateManager) => EVM
  readonly genesis: readonly GenesisAccount[]
  readonly blockGasLimit: bigint
  /** Base fee of every local block: the real chain's minimum. */
  readonly baseFeeWei: bigint
  /** The node never responds to `eth_getLogs` for a range of more blocks than this. */
  readonly maxLogsRange: number
  /** `extraData` of every block header. Its meaning depends on the family. */
  readonly extraData: Hex
}
