import { BaseError } from 'viem'
import { CREATE_AND_DISTRIBUTE } from '../../shared/chain/abi/create-and-distribute.ts'
import { findRevert, type SimulatedCall } from '../../shared/chain/nodes/simulate.ts'
import type { Address } from '../../shared/domain/address.ts'
import { ANY_DISTRIBUTOR, encodeDistribution } from '../../shared/domain/distribution-call.ts'
import type { PendingDistribution } from '../../shared/domain/present-distribution.ts'
import { chargeSalt } from '../../shared/domain/split-address.ts'
import type { Relayer } from '../relayer/relayer.ts'

export type DistributionSimulation =
  | { readonly type: 'ready'; readonly call: SimulatedCall }
  /** The split has nothing to distribute, usually because another account has distributed. This is not a failure. */
  | { readonly type: 'nothing' }
  /**
   * No recipient can be paid, for example because the token is paused or its issuer restricts the split (decisions
   * 5.3).
   */
  | { readonly type: 'restricted'; readonly error: string }
  /** No quorum returned a result, so the outcome is unknown. */
  | { readonly type: 'unreachable'; readonly error: string }
  | { readonly type: 'failed'; readonly error: string }

type Simulator = Pick<Relayer, 'address' | 'simulate'>

export type UncorroboratedDistribution = PendingDistribution & {
  /**
   * Whether one of our transactions for this payout has reverted. If so, one node's report that the distribution would
   * succeed is not enough.
   */
  readonly hasReverted: boolean
}

type Probe = {
  readonly distribution: UncorroboratedDistribution
  /** Receiver of the incentive. If it is the zero address, the recipients share the incentive. */
  readonly distributor: Address
}

/**
 * Simulates, against the newest block, the transaction that deploys the split if needed and distributes its balance.
 *
 * The outcomes `nothing`, `restricted` and `failed` need a quorum. If too few nodes of the right chain respond, or
 * nodes contradict each other, the outcome is `unreachable`. If the incentive cannot be paid, a second simulation
 * without the incentive decides. If it succeeds, the issuer restricts only our own account, and the distribution is
 * sent without the incentive, because a restriction of our account must not block other people's money.
 */
export async function simulateDistribution(
  relayer: Simulator,
  distribution: UncorroboratedDistribution,
): Promise<DistributionSimulation> {
  const first = await tryProbe(relayer, { distribution, distributor: relayer.address })
  if (first.type !== 'failed' || first.error !== 'IncentiveTransferFailed') return first
  return tryProbe(relayer, { distribution, distributor: ANY_DISTRIBUTOR })
}

async function tryProbe(relayer: Simulator, probe: Probe): Promise<DistributionSimulation> {
  try {
    return await simulate(relayer, probe)
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    return explain(error)
  }
}

async function simulate(relayer: Simulator, probe: Probe): Promise<DistributionSimulation> {
  const { chargeId, splitTerms, tokenAddress, hasReverted } = probe.distribution
  const data = encodeDistribution({
    split: splitTerms,
    salt: chargeSalt(chargeId),
    token: tokenAddress,
    distributor: probe.distributor,
  })
  return {
    type: 'ready',
    call: await relayer.simulate(
      { to: splitTerms.factory, data, isDoubted: hasReverted },
      CREATE_AND_DISTRIBUTE,
    ),
  }
}

function explain(error: BaseError): DistributionSimulation {
  const revert = findRevert(error)
  if (revert === null) return { type: 'unreachable', error: error.shortMessage }
  const { name, message } = revert
  if (name === 'NothingToDistribute') return { type: 'nothing' }
  return { type: name === 'AllPayoutsFailed' ? 'restricted' : 'failed', error: name ?? message }
}
