/**
 * Maximum energy for deploying a split and for the fixed part of a distribution, measured on a local TRON node. A real
 * node might report another value.
 */
const DEPLOYING_ENERGY = 250_000n
/** Energy per recipient, with a margin. A payout to a recipient who never had USDT takes 130,285 (September 2026). */
const ENERGY_PER_RECIPIENT = 170_000n
/**
 * Energy that must be left in case a share is held (contracts/src/tron/TronPaymentSplit.sol, PAYOUT_ENERGY,
 * HOLDING_ENERGY).
 */
const LEFT_ENERGY = 1_100_000n
/** Price of a unit of energy, in sun. The Super Representatives vote on it; it changes a few times a year at most. */
const SUN_PER_ENERGY = 100n
/** Maximum fee limit, in sun, a chain parameter. A node rejects a transaction with a higher limit. */
const MAX_FEE_LIMIT_SUN = 15_000_000_000n

/**
 * Returns a fee limit, in sun, that is sufficient for any distribution, including one with a held share.
 *
 * The actual cost is less than half of it, so professional keepers should query their own node.
 */
export function getDistributionFeeLimitSun({ recipients }: { readonly recipients: number }): bigint {
  const energy = DEPLOYING_ENERGY + BigInt(recipients) * ENERGY_PER_RECIPIENT + LEFT_ENERGY
  const limit = energy * SUN_PER_ENERGY
  return limit < MAX_FEE_LIMIT_SUN ? limit : MAX_FEE_LIMIT_SUN
}
