import type { Address } from '../../../shared/domain/address.ts'

/** Factory of the splits on TRON. The service reads its address only from the configuration. */
export const TRON_FACTORY = `0x${'7f'.repeat(20)}` as Address
export const SUN_PER_ENERGY = 100n

/** Energy of a call without its payouts, of a payout to a holder of the token, and of a payout to any other account. */
const CALL_ENERGY = 60_000n
const PAYOUT_ENERGY = 65_000n
const FIRST_PAYOUT_ENERGY = 130_000n
/** Energy that a call must keep: always enough to hold one share, and more if a failed payout is held. */
const HOLDING_ENERGY = 100_000n
const FAILED_PAYOUT_ENERGY = 1_000_000n

/** Numbers of payouts of a call: to holders of the token (`usual`), to other accounts (`first`), and held shares. */
export type Payouts = { readonly usual: number; readonly first: number; readonly held: number }

export function getUsedEnergy({ usual, first, held }: Payouts): bigint {
  return CALL_ENERGY + BigInt(usual + held) * PAYOUT_ENERGY + BigInt(first) * FIRST_PAYOUT_ENERGY
}

/** Returns the energy without which a call fails and burns its whole fee limit. */
export function getNeededEnergy(payouts: Payouts): bigint {
  const reserve = HOLDING_ENERGY + (payouts.held > 0 ? FAILED_PAYOUT_ENERGY : 0n)
  return getUsedEnergy(payouts) + reserve
}
