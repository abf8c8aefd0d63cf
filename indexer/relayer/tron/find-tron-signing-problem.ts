import type { Address, Hex } from '../../../shared/domain/address.ts'
import { predictTronSplit } from '../../../shared/domain/chain-families/tron/predict-split.ts'
import { decodeTronCall } from '../../../shared/domain/chain-families/tron/raw-transaction.ts'
import { findStepProblem, type SigningPolicy } from '../find-signing-problem.ts'
import { readPayoutStep } from '../read-payout-step.ts'

/** Limits of our key on one TRON network, and the maximum that one transaction may burn. */
export type TronSigningPolicy = SigningPolicy & { readonly maxFeeLimitSun: bigint }

/**
 * Returns the reason why a transaction must not be signed, or `null` if it may be.
 *
 * Pure, and the last check before the signature. This function reads exactly the bytes that are hashed for signing. Our
 * key signs only distributions and releases of recomputed splits. A signed transaction sends no TRX, and its fee limit
 * does not exceed our bound. A distribution may name any factory, because the split computed from it must be the split
 * of a charge. The charge's terms, including its factory, were checked against the operators' configuration.
 */
export function findTronSigningProblem(rawData: Hex, permits: TronSigningPolicy): string | null {
  const call = decodeTronCall(rawData)
  if (call === null) return 'the bytes are not a contract call'
  const { owner, to, data, valueSun, feeLimitSun } = call
  if (owner !== permits.relayer) return `the owner is ${owner}: must be ${permits.relayer}`
  if (valueSun !== 0n) return `the call sends ${valueSun} sun: must be 0`
  if (feeLimitSun > permits.maxFeeLimitSun)
    return `the fee limit of ${feeLimitSun} sun is above the maximum of ${permits.maxFeeLimitSun}`
  const step = readPayoutStep({ to, data }, predictTronSplit)
  if (step === null) return `${to} is called with ${data.slice(0, 10)}, which is not one of our calls`
  return findStepProblem(step, permits)
}

/** Lists the splits that a transaction concerns, for the caller to look up. */
export function listTronAddresses(rawData: Hex): readonly Address[] {
  const call = decodeTronCall(rawData)
  const step = call && readPayoutStep(call, predictTronSplit)
  return step === null ? [] : [step.splitAddress]
}
