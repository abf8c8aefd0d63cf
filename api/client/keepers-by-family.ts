import type { ChainFamilyName } from '../../shared/domain/address.ts'
import type { KeeperChain, KeeperContext } from './create-keeper.ts'
import { createEvmKeeper } from './evm-keeper.ts'
import { createTronKeeper } from './tron-keeper.ts'

export const KEEPERS_BY_FAMILY: Readonly<
  Record<
    ChainFamilyName,
    {
      readonly keep: (keeping: KeeperContext) => KeeperChain
      /** Default of `--coin-usd`: about the price of ETH or TRX in dollars when this was written. */
      readonly defaultCoinUsd: number
    }
  >
> = {
  evm: { keep: createEvmKeeper, defaultCoinUsd: 3000 },
  tron: { keep: createTronKeeper, defaultCoinUsd: 0.3 },
}
