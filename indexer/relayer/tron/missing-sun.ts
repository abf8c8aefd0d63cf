import { bandwidthFeeSun } from '../../../shared/domain/chain-families/tron/bandwidth.ts'

/** Resources that transactions may take from an account: TRX for all their energy, and bytes of bandwidth. */
export type Claim = { readonly feeLimitSun: bigint; readonly bandwidth: bigint }

/** Resources that an account has. */
export type Spendable = {
  readonly balanceSun: bigint
  /** Value of the account's energy at the current price, in sun. */
  readonly energySun: bigint
  /** Remaining bytes of the larger of the account's two bandwidth quotas. */
  readonly bandwidth: bigint
}

/**
 * Returns the TRX, in sun, that an account lacks for the claimed resources; 0 if it can pay for all of them. Pure.
 *
 * Energy does not pay for bandwidth. An account with a stake but no TRX cannot pay for bytes beyond its quotas, and
 * nodes reject its transactions (`BANDWITH_ERROR`). If a quota does not cover all transactions, some of them might fit
 * into it, but their order is unknown, so all of them count as burning TRX.
 */
export function missingSun(account: Spendable, claim: Claim): bigint {
  const energyFeeSun = atLeastZero(claim.feeLimitSun - account.energySun)
  const neededSun = energyFeeSun + bandwidthFeeSun(claim.bandwidth, account.bandwidth)
  return atLeastZero(neededSun - account.balanceSun)
}

export function addClaims(left: Claim, right: Claim): Claim {
  return {
    feeLimitSun: left.feeLimitSun + right.feeLimitSun,
    bandwidth: left.bandwidth + right.bandwidth,
  }
}

function atLeastZero(sun: bigint): bigint {
  return sun > 0n ? sun : 0n
}
