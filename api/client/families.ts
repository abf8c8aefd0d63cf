import type { AddressFamily } from '../../shared/domain/address.ts'
import type { Keeping, KeptChain } from './keep.ts'
import { keepEvm } from './keep-evm.ts'
import { keepTron } from './keep-tron.ts'

/** Keepers by chain family. */
export const KEEPERS: Readonly<
  Record<
    AddressFamily,
    {
      readonly keep: (keeping: Keeping) => KeptChain
      /** Approximate price of a coin in dollars when this was written. Operators can set the price per chain. */
      readonly defaultCoinUsd: number
    }
  >
> = {
  evm: { keep: keepEvm, defaultCoinUsd: 3000 },
  tron: { keep: keepTron, defaultCoinUsd: 0.3 },
}
