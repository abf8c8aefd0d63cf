/** What distributing brings and costs. */
export type Weight = {
  /** Dollars, by what the split holds now. */
  readonly rewardUsd: number
  /** Dollars, at the most that the transaction offers for its gas, or is likely to burn of its energy. */
  readonly costUsd: number
}

/**
 * Answers what a distribution is worth; estimates, and so plain numbers.
 *
 * @param of.rewardAtomic - the incentive, in the token's atomic units; a stablecoin is a dollar
 * @param of.costAtomic - what the transaction costs at most, in the smallest units of the chain's native coin: its gas, and
 * the posting of its bytes where that is charged
 * @param of.coinUsd - the price of the chain's native coin
 */
export function weighDistribution(of: {
  readonly rewardAtomic: bigint
  readonly decimals: number
  readonly costAtomic: bigint
  readonly coinDecimals: number
  readonly coinUsd: number
}): Weight {
  return {
    rewardUsd: Number(of.rewardAtomic) / 10 ** of.decimals,
    costUsd: (Number(of.costAtomic) / 10 ** of.coinDecimals) * of.coinUsd,
  }
}

/** Tells whether a reward is worth its gas. */
export function isWorthIt({ rewardUsd, costUsd }: Weight, { margin }: { readonly margin: number }): boolean {
  return rewardUsd > 0 && rewardUsd >= costUsd * margin
}
