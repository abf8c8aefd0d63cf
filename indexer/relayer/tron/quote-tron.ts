import { NoQuorumError } from '../../../shared/chain/nodes/errors.ts'
import { queryResponsive } from '../../../shared/chain/nodes/query-nodes.ts'
import type { SimulatedCall } from '../../../shared/chain/simulate.ts'
import {
  readEnergyPrice,
  readSolidHead,
  readTronFunds,
  readTronHead,
  type TronFunds,
  type TronHead,
} from '../../../shared/chain/tron/read-tron.ts'
import type { TronNode } from '../../../shared/chain/tron/tron-node.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { bandwidthOfCall } from '../../../shared/domain/families/tron/bandwidth.ts'
import { lowerMedian } from '../lower-median.ts'
import type { Obstacle } from '../relayer.ts'
import { findFrame, type TronBlocks } from './find-frame.ts'
import { addClaims, type Claim, missingSun, type Spendable } from './missing-sun.ts'
import { readReserved } from './read-reserved.ts'
import type { TronContext, TronTerms } from './tron-context.ts'

/** What one node says of the chain as it is now. */
export type TronState = TronBlocks & {
  readonly energyPriceSun: bigint
  /** Of our account. */
  readonly funds: TronFunds
}

/** What a transaction needs to be signed now. */
export type TronQuote = {
  readonly obstacle: Obstacle | null
  readonly feeLimitSun: bigint
  /** Bytes that the signed transaction takes at most. */
  readonly bandwidth: bigint
  /** A solid block: on a forked one, the transaction would be nothing on the branch that stays. */
  readonly reference: TronHead
  /** The chain's clock, in Unix milliseconds. */
  readonly nowMs: number
  /** Resources of our account, of each the median of the nodes' responses. */
  readonly spendable: Spendable
}

/** A clock that is further ahead is none: what it dates could not expire for as long. */
const MOST_AHEAD_MS = 3_600_000

/**
 * Reads the chain's clock, a block to build on, the price of energy and what our account can pay with, of each node.
 *
 * @throws {NoQuorumError} if too few nodes respond with a plausible clock
 */
export async function quoteTron(
  { sql, nodes, key, terms, clock }: TronContext,
  { to, data, gas: energy }: SimulatedCall,
): Promise<TronQuote> {
  // Before the funds: what is mined in between then counts twice, and never not at all.
  const reserved = await readReserved(sql, key)
  const { reports, silent } = await queryResponsive(nodes, (node) => readState(node, key.relayer))
  const mostMs = clock().getTime() + MOST_AHEAD_MS
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
    readSolidHead(node),
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
  /** Resources that our unresolved transactions may still take. */
  readonly reserved: Claim
  /** Clock and reference block. */
  readonly frame: TronBlocks
}

/**
 * Chooses by what several nodes say, any of which may lie, lag or stand still. Pure.
 *
 * The price is the highest that keeps below the bound: too low a one lets a transaction end for want of energy, too high a
 * one costs nothing, for it only bounds what is paid. Funds are the median: what we have not got, a transaction burns.
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

/** A busy contract's penalty passes, and so may a price; and an account can be filled up. */
function findObstacle(
  { feeLimitSun, bandwidth, spendable }: Pick<TronQuote, 'feeLimitSun' | 'bandwidth' | 'spendable'>,
  { terms: { maxFeeLimitSun }, reserved }: Pick<Wanted, 'terms' | 'reserved'>,
): Obstacle | null {
  if (feeLimitSun > maxFeeLimitSun)
    return { type: 'dear', error: `a fee limit of ${feeLimitSun} sun is above the bound ${maxFeeLimitSun}` }
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
