import type { AddressFamily } from '../../shared/domain/address.ts'
import type { Keeping, KeptChain } from './keep.ts'
import { keepEvm } from './keep-evm.ts'
import { keepTron } from './keep-tron.ts'

/** How a keeper works on a chain of each family. */
export const KEEPERS: Readonly<
  Record<
    AddressFamily,
    {
      readonly keep: (keeping: Keeping) => KeptChain
      /** About what a coin cost when this was written, in dollars; whoever means it says what his chain's costs. */
      readonly defaultCoinUsd: number
    }
  >
> = {
  evm: { keep: keepEvm, defaultCoinUsd: 3000 },
  tron: { keep: keepTron, defaultCoinUsd: 0.3 },
}
