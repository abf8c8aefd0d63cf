/** What deploying a split and one payout take at most, by the contracts on the local TRON; a real node may say otherwise. */
const DEPLOYING_ENERGY = 250_000n
/** A recipient who never had USDT takes 130,285 (September 2026); what is his is counted besides. */
const ENERGY_PER_RECIPIENT = 170_000n
/** What must be left where a share is to be held (contracts/src/tron/TronPaymentSplit.sol, PAYOUT_ENERGY, HOLDING_ENERGY). */
const LEFT_ENERGY = 1_100_000n
/** The price of a unit; by vote of the representatives, so it changes a few times a year at most. */
const SUN_PER_ENERGY = 100n
/** Of everything, by the committee's parameters: above it a node takes no transaction. */
const MOST_SUN = 15_000_000_000n

/**
 * Answers a fee limit in sun with which a distribution surely goes through, whether a share must be held or not.
 *
 * It is a bound: what is paid is what runs, less than half of it. Who keeps for a living asks his own node.
 */
export function distributionFeeLimitSun({ recipients }: { readonly recipients: number }): bigint {
  const energy = DEPLOYING_ENERGY + BigInt(recipients) * ENERGY_PER_RECIPIENT + LEFT_ENERGY
  const limit = energy * SUN_PER_ENERGY
  return limit < MOST_SUN ? limit : MOST_SUN
}
