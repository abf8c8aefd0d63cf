/** Limits the total cost of the transactions on one chain, because its nodes might report false prices. */
export type CostLimit = {
  /**
   * Adds the maximum cost of a transaction to the total, before the transaction is signed.
   *
   * @throws {CostLimitError} if the total would exceed the limit; such a transaction is not counted
   */
  readonly consume: (cost: bigint) => void
}

/** Thrown for a transaction that would raise the total cost above the limit. */
export class CostLimitError extends Error {}

/**
 * Creates the limit of one chain. A mined transaction still counts with its maximum cost, because a node might report a
 * false actual cost.
 *
 * @param limit - in the smallest unit of the chain's coin
 * @param format - formats an amount for the error message
 */
export function createCostLimit(limit: bigint, format: (amount: bigint) => string): CostLimit {
  let left = limit
  return {
    consume(cost) {
      if (cost > left)
        throw new CostLimitError(
          `its transaction may cost ${format(cost)}, but only ${format(left)} of --max-cost ${format(limit)} is left`,
        )
      left -= cost
    },
  }
}

export function sumMaxCost(payments: readonly { readonly maxCost: bigint }[]): bigint {
  return payments.reduce((sum, { maxCost }) => sum + maxCost, 0n)
}
