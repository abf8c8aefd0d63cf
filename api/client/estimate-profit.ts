export type ProfitEstimate = {
  /** The incentive for the amount that the split can distribute now. */
  readonly rewardUsd: number
  /** Cost at the transaction's maximum gas price; on TRON, of the energy that the call will probably use. */
  readonly costUsd: number
}

/**
 * Estimates the reward and cost of a distribution. Rounding errors of plain numbers do not matter in an estimate.
 *
 * @param of.rewardAtomic - the incentive in the token's atomic units; a stablecoin counts as one dollar
 * @param of.costAtomic - in the smallest unit of the native coin: the maximum cost of the gas, plus the fee for posting
 * data to the parent chain, if any; on TRON, the likely energy and the bandwidth
 * @param of.coinUsd - price of the native coin in dollars
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

/** Returns whether the reward is above zero and at least the cost multiplied by the margin. */
export function isProfitable(
  { rewardUsd, costUsd }: ProfitEstimate,
  { margin }: { readonly margin: number },
): boolean {
  return rewardUsd > 0 && rewardUsd >= costUsd * margin
}
