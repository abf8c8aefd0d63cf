import type { ChainFamilyName } from '../../shared/domain/address.ts'
import type { KeeperChain, KeeperContext } from './create-keeper.ts'
import { createEvmKeeper } from './evm-keeper.ts'
import { createTronKeeper } from './tron-keeper.ts'

/** Keepers by chain family. */
export const KEEPERS_BY_FAMILY: Readonly<
  Record<
    ChainFamilyName,
    {
      readonly keep: (keeping: KeeperContext) => KeeperChain
      /**
       * Default price of the native coin in dollars: about that of ETH or TRX when this was written. Operators can set
       * the price per network.
       */
      readonly defaultCoinUsd: number
    }
  >
> = {
  evm: { keep: createEvmKeeper, defaultCoinUsd: 3000 },
  tron: { keep: createTronKeeper, defaultCoinUsd: 0.3 },
}
