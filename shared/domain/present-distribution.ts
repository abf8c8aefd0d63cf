import type { Address, ChainFamilyName } from './address.ts'
import { distribute } from './allocation.ts'
import { CHAIN_FAMILIES, presentAddress } from './chain-families/chain-families.ts'
import type { SplitTerms } from './charge.ts'
import { toNumber } from './decimal.ts'
import { ANY_DISTRIBUTOR, DISTRIBUTOR_BYTE_OFFSET, encodeDistribution } from './distribution-call.ts'
import type { AtomicUnits } from './money.ts'
import type { Network, Token } from './networks.ts'
import { chargeSalt } from './split-address.ts'

/** The pending distribution of one pair of one charge, with all data that a keeper needs to execute it. */
export type PendingDistribution = {
  readonly chargeId: string
  readonly family: ChainFamilyName
  readonly network: Network
  readonly token: Token
  readonly chainId: number
  readonly tokenAddress: Address
  readonly decimals: number
  readonly splitAddress: Address
  readonly splitTerms: SplitTerms
  /**
   * Whether the service knows that the split is deployed on this chain. If `false`, another account might have deployed
   * the split.
   */
  readonly isDeployed: boolean
  /** Amount that is credited and not yet distributed. */
  readonly owedAtomic: AtomicUnits
  readonly availableSince: Date
  /** Time from which our own worker may execute the distribution. */
  readonly graceEndsAt: Date
}

/** Fractional digits of a number of millionths as a percentage: 990991 is 99.0991 %. */
const PERCENT_SCALE_OF_MILLIONTHS = 4

/**
 * Builds the PendingDistribution JSON for the list and the stream.
 *
 * In addition to the specification's fields, the JSON contains the inputs for deploying the split, so that keepers can
 * deploy it. `call` is the complete transaction, except that the keeper must write their own address over the 20 bytes
 * at `distributorOffset`. On TRON, `call` also has a fee limit in sun.
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
        distributor: ANY_DISTRIBUTOR,
      }),
      distributorOffset: DISTRIBUTOR_BYTE_OFFSET,
      ...CHAIN_FAMILIES[family].callLimits({ recipients: splitTerms.recipients.length }),
    },
  }
}

/** Builds the stream object that notifies keepers of a pending distribution. */
export function presentDistributionAvailable(distribution: PendingDistribution) {
  return { type: 'distribution.available', distribution: presentDistribution(distribution) } as const
}

/**
 * Builds the stream object that notifies keepers that a distribution was claimed.
 *
 * The object names the pair, because two pairs of one split are two distributions (decisions 5.4).
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

/** Returns the incentive in dollars, computed from the owed amount. The split's current balance may differ. */
function estimateReward({ owedAtomic, splitTerms, decimals }: PendingDistribution): number {
  return toNumber(distribute({ amount: owedAtomic, split: splitTerms }).incentive, decimals)
}

function millionthsToPercent(millionths: number): number {
  return toNumber(BigInt(millionths), PERCENT_SCALE_OF_MILLIONTHS)
}
