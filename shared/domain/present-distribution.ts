import type { Address, AddressFamily } from './address.ts'
import { distribute } from './allocation.ts'
import type { SplitTerms } from './charge.ts'
import { toNumber } from './decimal.ts'
import { DISTRIBUTOR_OFFSET, encodeDistribution, NOBODY } from './distribution-call.ts'
import { FAMILIES, presentAddress } from './families/families.ts'
import type { AtomicUnits } from './money.ts'
import type { Network, Token } from './networks.ts'
import { chargeSalt } from './split-address.ts'

/** What one pair of one charge has to be distributed: all a keeper needs to do it alone. */
export type PendingDistribution = {
  readonly chargeId: string
  readonly family: AddressFamily
  readonly network: Network
  readonly token: Token
  readonly chainId: number
  readonly tokenAddress: Address
  /** The token's. */
  readonly decimals: number
  readonly splitAddress: Address
  readonly splitTerms: SplitTerms
  /** The split is known to be on this chain; false says nothing, since anyone may deploy it. */
  readonly isDeployed: boolean
  /** Credited and not yet distributed. */
  readonly owedAtomic: AtomicUnits
  readonly availableSince: Date
  /** When our own worker may act. */
  readonly graceEndsAt: Date
}

/** Millionths as a percentage have four fractional digits: 990991 is 99.0991 %. */
const PERCENT_SCALE_OF_MILLIONTHS = 4

/**
 * Makes the one PendingDistribution JSON, for the list and the stream.
 *
 * Beyond the specification's fields it carries what deploying the split takes, or only the service could do it; `call`
 * is the whole transaction but for the keeper's own address, whose 20 bytes belong at byte `distributorOffset`; on TRON with
 * a fee limit in sun.
 *
 * @see specification, "PendingDistribution"; contracts/src/PaymentSplitFactory.sol, `createAndDistribute`
 */
export function presentDistribution(distribution: PendingDistribution) {
  const { chargeId, family, splitTerms } = distribution
  return {
    splitAddress: presentAddress(distribution.splitAddress, family),
    network: distribution.network,
    token: distribution.token,
    recipients: splitTerms.recipients.map((recipient, index) => ({
      address: presentAddress(recipient, family),
      percentAllocation: millionthsToPercent(splitTerms.allocations[index] ?? 0),
    })),
    distributorFeePercent: millionthsToPercent(splitTerms.distributionIncentive),
    estimatedRewardAmount: estimateReward(distribution),
    availableSince: distribution.availableSince,
    graceEndsAt: distribution.graceEndsAt,
    chainId: distribution.chainId,
    tokenAddress: presentAddress(distribution.tokenAddress, family),
    factoryAddress: presentAddress(splitTerms.factory, family),
    salt: chargeSalt(chargeId),
    deployed: distribution.isDeployed,
    call: {
      to: presentAddress(splitTerms.factory, family),
      data: encodeDistribution({
        split: splitTerms,
        salt: chargeSalt(chargeId),
        token: distribution.tokenAddress,
        distributor: NOBODY,
      }),
      distributorOffset: DISTRIBUTOR_OFFSET,
      ...FAMILIES[family].callLimits({ recipients: splitTerms.recipients.length }),
    },
  }
}

/** Makes the stream object that tells keepers of something to distribute. */
export function presentDistributionAvailable(distribution: PendingDistribution) {
  return { type: 'distribution.available', distribution: presentDistribution(distribution) } as const
}

/**
 * Makes the stream object that tells keepers that somebody is at it.
 *
 * Two pairs of one split are two distributions, hence the pair (decisions 5.4).
 */
export function presentDistributionClaimed(
  claimed: Pick<PendingDistribution, 'splitAddress' | 'family' | 'network' | 'token'>,
) {
  return {
    type: 'distribution.claimed',
    splitAddress: presentAddress(claimed.splitAddress, claimed.family),
    network: claimed.network,
    token: claimed.token,
  } as const
}

/** The incentive in dollars, from what was credited; the live balance may be another. */
function estimateReward({ owedAtomic, splitTerms, decimals }: PendingDistribution): number {
  return toNumber(distribute({ amount: owedAtomic, split: splitTerms }).incentive, decimals)
}

function millionthsToPercent(millionths: number): number {
  return toNumber(BigInt(millionths), PERCENT_SCALE_OF_MILLIONTHS)
}
