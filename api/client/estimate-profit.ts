/** Reward and cost of a distribution. */
export type ProfitEstimate = {
  /** Dollars, based on the amount that the split can distribute now. */
  readonly rewardUsd: number
  /** Dollars, at the transaction's maximum gas price or, on TRON, for the energy that it will probably use. */
  readonly costUsd: number
}

/**
 * Estimates the profit of a distribution. Uses plain numbers, because the result is an estimate.
 *
 * @param of.rewardAtomic - the incentive in the token's atomic units; a stablecoin counts as one dollar
 * @param of.costAtomic - in the smallest units of the chain's native coin: the maximum for gas and, if it is charged,
 * the posting to the parent chain; on TRON, the likely energy and the bandwidth
 * @param of.coinUsd - price of the chain's native coin
 */
export function estimateProfit(of: {
  readonly rewardAtomic: bigint
  readonly decimals: number
  readonly costAtomic: bigint
  readonly coinDecimals: number
  readonly coinUsd: number
}): ProfitEstimate {
  return {
    rewardUsd: Number(of.rewardAtomic) / 10 ** of.decimals,
    costUsd: (Number(of.costAtomic) / 10 ** of.coinDecimals) * of.coinUsd,
  }
}

/** Returns whether a reward is above zero and at least its cost multiplied by the margin. */
export function isProfitable(
  { rewardUsd, costUsd }: ProfitEstimate,
  { margin }: { readonly margin: number },
): boolean {
  return rewardUsd > 0 && rewardUsd >= costUsd * margin
}
