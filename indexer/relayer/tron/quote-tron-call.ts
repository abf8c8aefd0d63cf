import { NoQuorumError } from '../../../shared/chain/nodes/errors.ts'
import { queryResponsive } from '../../../shared/chain/nodes/query-nodes.ts'
import type { SimulatedCall } from '../../../shared/chain/nodes/simulate.ts'
import {
  readEnergyPrice,
  readSolidifiedHead,
  readTronFunds,
  readTronHead,
  type TronFunds,
  type TronHead,
} from '../../../shared/chain/tron/read-tron.ts'
import type { TronNode } from '../../../shared/chain/tron/tron-node.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { bandwidthOfCall } from '../../../shared/domain/chain-families/tron/bandwidth.ts'
import { lowerMedian } from '../lower-median.ts'
import type { SendBlocker } from '../relayer.ts'
import { findFrame, type TronBlocks } from './find-frame.ts'
import { addClaims, type Claim, missingSun, type Spendable } from './missing-sun.ts'
import { readReserved } from './read-reserved.ts'
import type { TronContext, TronTerms } from './tron-context.ts'

/** Current state of the chain, as one node reports it. */
export type TronState = TronBlocks & {
  readonly energyPriceSun: bigint
  /** Funds of our account. */
  readonly funds: TronFunds
}

/** Data needed to sign a transaction now. */
export type TronQuote = {
  readonly obstacle: SendBlocker | null
  readonly feeLimitSun: bigint
  /** Maximum size of the signed transaction, in bytes. */
  readonly bandwidth: bigint
  /**
   * A solidified block. If the reference block were orphaned later, the transaction would be invalid on the canonical
   * branch.
   */
  readonly reference: TronHead
  /** The chain's clock, in Unix milliseconds. */
  readonly nowMs: number
  /** Resources of our account; each is the lower median of the nodes' responses. */
  readonly spendable: Spendable
}

/**
 * Maximum lead of a node's clock over ours. A node with a larger lead is ignored, because a transaction that is dated
 * by its clock would expire later by that lead.
 */
const MAX_AHEAD_MS = 3_600_000

/**
 * Reads the chain's clock, a reference block, the energy price and our account's funds from each node.
 *
 * @throws {NoQuorumError} if too few nodes respond with a plausible clock
 */
export async function quoteTronCall(
  { sql, nodes, key, terms, clock }: TronContext,
  { to, data, gas: energy }: SimulatedCall,
): Promise<TronQuote> {
  // Read before the funds: if a transaction is mined in between, its cost then counts twice rather than not at all.
  const reserved = await readReserved(sql, key)
  const { reports, silent } = await queryResponsive(nodes, (node) => readState(node, key.relayer))
  const mostMs = clock().getTime() + MAX_AHEAD_MS
  const plausible = { reports: reports.filter(({ value }) => value.head.timestampMs <= mostMs), silent }
  const frame = findFrame(nodes, plausible)
  if (frame === null) throw new NoQuorumError('the newest block', plausible)
  const states = plausible.reports.map(({ value }) => value)
  const bandwidth = bandwidthOfCall({ owner: key.relayer, to, data })
  return chooseQuote(states, { energy, bandwidth, terms, reserved, frame })
}

async function readState(node: TronNode, relayer: Address): Promise<TronState> {
  const [head, solid, energyPriceSun, funds] = await Promise.all([
    readTronHead(node),
    readSolidifiedHead(node),
    readEnergyPrice(node),
    readTronFunds(node, relayer),
  ])
  return { head, solid, energyPriceSun, funds }
}

type Wanted = {
  readonly energy: bigint
  /** In bytes. */
  readonly bandwidth: bigint
  readonly terms: Pick<TronTerms, 'maxFeeLimitSun'>
  /** Resources that our unresolved transactions may still take from the account. */
  readonly reserved: Claim
  readonly frame: TronBlocks
}

/**
 * Chooses a quote from the reports of several nodes. Each node might lie, lag or stall. Pure.
 *
 * The price is the highest within the bound, or the lowest if none is within it. If the price is too low, the
 * transaction runs out of energy. A price that is too high costs nothing, because it only limits the payment.
 *
 * @param states - not empty
 */
export function chooseQuote(
  states: readonly TronState[],
  { energy, bandwidth, terms, reserved, frame: { head, solid } }: Wanted,
): TronQuote {
  const limits = states.map(({ energyPriceSun }) => energy * energyPriceSun)
  const feeLimitSun = highest(limits.filter((limit) => limit <= terms.maxFeeLimitSun)) ?? lowest(limits)
  const medianOf = (amountOf: (funds: TronFunds) => bigint) =>
    lowerMedian(
      states.map(({ funds }) => amountOf(funds)),
      (amount) => amount,
    )
  const spendable = {
    balanceSun: medianOf(({ balanceSun }) => balanceSun),
    energySun: (medianOf((funds) => funds.energy) * feeLimitSun) / energy,
    bandwidth: medianOf((funds) => funds.bandwidth),
  }
  return {
    obstacle: findObstacle({ feeLimitSun, bandwidth, spendable }, { terms, reserved }),
    ...{ feeLimitSun, bandwidth, spendable, reference: solid, nowMs: head.timestampMs },
  }
}

/**
 * Every obstacle is temporary: the energy penalty of a busy contract and the price fall again, and the account can be
 * funded.
 */
function findObstacle(
  { feeLimitSun, bandwidth, spendable }: Pick<TronQuote, 'feeLimitSun' | 'bandwidth' | 'spendable'>,
  { terms: { maxFeeLimitSun }, reserved }: Pick<Wanted, 'terms' | 'reserved'>,
): SendBlocker | null {
  if (feeLimitSun > maxFeeLimitSun)
    return {
      type: 'dear',
      error: `the fee limit of ${feeLimitSun} sun is above the bound of ${maxFeeLimitSun}`,
    }
  const claim = addClaims({ feeLimitSun, bandwidth }, reserved)
  const missing = missingSun(spendable, claim)
  if (missing === 0n) return null
  const has = `the relayer has ${spendable.balanceSun} sun, energy worth ${spendable.energySun} sun and ${spendable.bandwidth} bytes of bandwidth`
  const needs = `its transactions may take energy worth ${claim.feeLimitSun} sun and ${claim.bandwidth} bytes`
  return {
    type: 'unfunded',
    error: `${has}; ${needs}: send it ${missing} sun, or stake or rent energy and bandwidth for it`,
  }
}

function highest(values: readonly bigint[]): bigint | undefined {
  return values.toSorted((left, right) => (left > right ? -1 : 1))[0]
}

function lowest(values: readonly bigint[]): bigint {
  return values.toSorted((left, right) => (left < right ? -1 : 1))[0] as bigint
}
