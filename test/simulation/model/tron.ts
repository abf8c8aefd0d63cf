import type { Address } from '../../../shared/domain/address.ts'

/** The factory of the splits on TRON. Its address comes only from the configuration. */
export const TRON_FACTORY = `0x${'7f'.repeat(20)}` as Address
/** Price of a unit of energy, in sun. */
export const SUN_PER_ENERGY = 100n

/** Energy of a call without its payouts, of a payout to an account that holds the token, and of one that does not. */
const CALL_ENERGY = 60_000n
const PAYOUT_ENERGY = 65_000n
const FIRST_PAYOUT_ENERGY = 130_000n
/** Energy that must remain for a share that might be held, and for a payout that has failed. */
const HOLDING_ENERGY = 100_000n
const FAILED_PAYOUT_ENERGY = 1_000_000n

/** The payouts of a call: to accounts that had the token, to accounts that had none, and shares that are held. */
export type Payouts = { readonly usual: number; readonly first: number; readonly held: number }

/** Returns the energy that a call uses. */
export function getUsedEnergy({ usual, first, held }: Payouts): bigint {
  return CALL_ENERGY + BigInt(usual + held) * PAYOUT_ENERGY + BigInt(first) * FIRST_PAYOUT_ENERGY
}

/** Returns the energy without which a call fails and burns its whole fee limit. */
export function getNeededEnergy(payouts: Payouts): bigint {
  const reserve = HOLDING_ENERGY + (payouts.held > 0 ? FAILED_PAYOUT_ENERGY : 0n)
  return getUsedEnergy(payouts) + reserve
}
