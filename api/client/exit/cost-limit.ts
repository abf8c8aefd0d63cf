/** Limits the total cost of the transactions on one chain, because its nodes might lie about costs. */
export type CostLimit = {
  /**
   * Counts the maximum cost of a transaction, before it is signed.
   *
   * @throws {CostLimitError} if the total would exceed the limit; such a transaction is not counted
   */
  readonly consume: (cost: bigint) => void
}

/** A transaction that would raise the total cost above the limit. */
export class CostLimitError extends Error {}

/**
 * Creates the limit of one chain. A transaction counts with its maximum cost even after it is mined, because only a
 * node could report the actual cost, and a node might lie.
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

/** Returns the maximum total cost of payments according to their simulations. */
export function sumMaxCost(payments: readonly { readonly maxCost: bigint }[]): bigint {
  return payments.reduce((sum, { maxCost }) => sum + maxCost, 0n)
}
