import type { EVM } from '@ethereumjs/evm'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { Account, hexToBytes } from '@ethereumjs/util'
import { bytesToHex, type Hex } from 'viem'

import type { ChainRules } from './chain-rules.ts'
import { evmAddress } from './run-transaction.ts'

/** The accounts and storage of a chain after every block, in memory and never pruned. */
export type ChainState<Evm extends EVM = EVM> = {
  /** The EVM on the current state. */
  readonly evm: Evm
  /** Returns the current state root. */
  readonly root: () => Promise<Hex>
  /** Creates an EVM on the state with this root. Its changes do not affect the current state. */
  readonly evmAt: (root: Hex) => Promise<Evm>
}

/** Creates the state of a chain that has only the family's first block. */
export async function createChainState<Evm extends EVM>(
  family: Pick<ChainRules, 'common' | 'genesis'> & { createEvm: (state: MerkleStateManager) => Evm },
): Promise<ChainState<Evm>> {
  const { common, createEvm } = family
  // All copies share one store of trie nodes. No node is ever removed, so every old root remains readable.
  const idle = new MerkleStateManager({ common })
  const state = idle.shallowCopy(false)
  for (const { address, balanceWei = 0n, code } of family.genesis) {
    // Contracts start with nonce 1 (EIP-161), because an empty account would be deleted with its storage.
    await state.putAccount(evmAddress(address), new Account(code === undefined ? 0n : 1n, balanceWei))
    if (code !== undefined) await state.putCode(evmAddress(address), hexToBytes(code))
  }
  await state.flush()
  return {
    evm: createEvm(state),
    root: async () => bytesToHex(await state.getStateRoot()),
    evmAt: async (root) => {
      const copy = idle.shallowCopy(false)
      await copy.setStateRoot(hexToBytes(root))
      return createEvm(copy)
    },
  }
}
