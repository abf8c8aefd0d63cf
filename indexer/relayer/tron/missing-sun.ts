import { bandwidthFeeSun } from '../../../shared/domain/families/tron/bandwidth.ts'

/** Resources that transactions may take from an account: TRX for all of their energy, and bytes of bandwidth. */
export type Claim = { readonly feeLimitSun: bigint; readonly bandwidth: bigint }

/** Resources that an account has. */
export type Spendable = {
  readonly balanceSun: bigint
  /** Its energy at the price. */
  readonly energySun: bigint
  /** Bytes left in the larger of its two quotas. */
  readonly bandwidth: bigint
}

/**
 * Returns the TRX, in sun, that an account lacks for the claimed resources; 0 if it can pay for all of them. Pure.
 *
 * Energy pays for energy only: an account with a stake and no TRX cannot pay for the bytes that no quota covers, and
 * nodes refuse its transactions (`BANDWITH_ERROR`). Of several transactions some might fit into the quota; their order
 * is unknown, so all of them count as burning TRX.
 */
export function missingSun(account: Spendable, claim: Claim): bigint {
  const energyFeeSun = atLeastZero(claim.feeLimitSun - account.energySun)
  const neededSun = energyFeeSun + bandwidthFeeSun(claim.bandwidth, account.bandwidth)
  return atLeastZero(neededSun - account.balanceSun)
}

/** Returns the resources that two claims take together. */
export function addClaims(left: Claim, right: Claim): Claim {
  return {
    feeLimitSun: left.feeLimitSun + right.feeLimitSun,
    bandwidth: left.bandwidth + right.bandwidth,
  }
}

function atLeastZero(sun: bigint): bigint {
  return sun > 0n ? sun : 0n
}
