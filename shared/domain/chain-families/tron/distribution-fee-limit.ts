/**
 * Maximum energy for deploying a split and for one payout, measured on the local TRON. A real node might report other
 * values.
 */
const DEPLOYING_ENERGY = 250_000n
/** Energy per recipient, with a margin. A payout to a recipient who never had USDT takes 130,285 (September 2026). */
const ENERGY_PER_RECIPIENT = 170_000n
/**
 * Energy that must remain because a share might be held (contracts/src/tron/TronPaymentSplit.sol, PAYOUT_ENERGY,
 * HOLDING_ENERGY).
 */
const LEFT_ENERGY = 1_100_000n
/** Price of a unit of energy, in sun. The representatives vote on it, and it changes a few times a year at most. */
const SUN_PER_ENERGY = 100n
/** Maximum fee limit, in sun, by the committee's parameters. A node rejects a transaction above it. */
const MAX_FEE_LIMIT_SUN = 15_000_000_000n

/**
 * Returns a fee limit, in sun, that is sufficient for any distribution, including one with a held share.
 *
 * It is an upper bound. The actual energy costs less than half of it, so professional keepers should query their own
 * node.
 */
export function getDistributionFeeLimitSun({ recipients }: { readonly recipients: number }): bigint {
  const energy = DEPLOYING_ENERGY + BigInt(recipients) * ENERGY_PER_RECIPIENT + LEFT_ENERGY
  const limit = energy * SUN_PER_ENERGY
  return limit < MAX_FEE_LIMIT_SUN ? limit : MAX_FEE_LIMIT_SUN
}
