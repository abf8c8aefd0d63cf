import type { SimulatedCall } from '../../../shared/chain/simulate.ts'
import { askAllTron } from '../../../shared/chain/tron/ask-tron.ts'
import {
  readEnergyPrice,
  readSolidHead,
  readTronHead,
  type TronHead,
} from '../../../shared/chain/tron/read-tron.ts'
import { type TronNode, TronNodeError } from '../../../shared/chain/tron/tron-node.ts'
import type { Obstacle } from '../relayer.ts'
import type { TronContext, TronTerms } from './tron-context.ts'

/** What one node says of the chain as it is now. */
export type TronState = {
  /** The newest block, and the newest that nothing takes back. */
  readonly head: TronHead
  readonly solid: TronHead
  readonly energyPriceSun: bigint
}

/** What a transaction needs to be signed now. */
export type TronQuote = {
  readonly obstacle: Obstacle | null
  readonly feeLimitSun: bigint
  /** A solid block: on a forked one, the transaction would be nothing on the branch that stays. */
  readonly reference: TronHead
  /** The chain's clock, in Unix milliseconds. */
  readonly nowMs: number
}

/** A clock that is further ahead is none: what it dates could not expire for as long. */
const MOST_AHEAD_MS = 3_600_000

/**
 * Reads the chain's clock, a block to build on and the price of energy, of each node.
 *
 * @throws {TronNodeError} if no node answers that can be believed
 */
export async function quoteTron(
  { nodes, terms, clock }: TronContext,
  { gas: energy }: SimulatedCall,
): Promise<TronQuote> {
  const latestMs = clock().getTime() + MOST_AHEAD_MS
  const states = (await askAllTron(nodes, readState)).filter(({ head }) => head.timestampMs <= latestMs)
  if (states.length === 0)
    throw new TronNodeError({ name: '' }, `of ${nodes.length} says what the chain is now`)
  return chooseQuote(states, { energy, terms })
}

async function readState(node: TronNode): Promise<TronState> {
  const [head, solid, energyPriceSun] = await Promise.all([
    readTronHead(node),
    readSolidHead(node),
    readEnergyPrice(node),
  ])
  return { head, solid, energyPriceSun }
}

/**
 * Chooses by what several nodes say, any of which may lie or lag. Pure.
 *
 * Reference and clock are those of the node whose head is the median, of two the lower one: they belong together. The
 * price is the highest that keeps below the bound: too low a one lets a transaction end for want of energy, too high a
 * one costs nothing, for it only bounds what is paid.
 *
 * @param states - not empty
 */
export function chooseQuote(
  states: readonly TronState[],
  { energy, terms }: { readonly energy: bigint; readonly terms: Pick<TronTerms, 'maxFeeLimitSun'> },
): TronQuote {
  const { head, solid } = lowerMedian(states, ({ head: { timestampMs } }) => BigInt(timestampMs))
  const limits = states.map(({ energyPriceSun }) => energy * energyPriceSun)
  const feeLimitSun = highest(limits.filter((limit) => limit <= terms.maxFeeLimitSun)) ?? lowest(limits)
  return {
    obstacle: findObstacle(feeLimitSun, terms),
    feeLimitSun,
    reference: solid,
    nowMs: head.timestampMs,
  }
}

/** The penalty of a busy contract passes, and so may a price. */
function findObstacle(
  feeLimitSun: bigint,
  { maxFeeLimitSun }: Pick<TronTerms, 'maxFeeLimitSun'>,
): Obstacle | null {
  if (feeLimitSun <= maxFeeLimitSun) return null
  return { type: 'dear', error: `a fee limit of ${feeLimitSun} sun is above the bound ${maxFeeLimitSun}` }
}

function highest(values: readonly bigint[]): bigint | undefined {
  return values.toSorted((left, right) => (left > right ? -1 : 1))[0]
}

function lowest(values: readonly bigint[]): bigint {
  return values.toSorted((left, right) => (left < right ? -1 : 1))[0] as bigint
}

function lowerMedian<Value>(values: readonly Value[], by: (value: Value) => bigint): Value {
  const sorted = values.toSorted((left, right) => (by(left) < by(right) ? -1 : by(left) > by(right) ? 1 : 0))
  return sorted[Math.floor((sorted.length - 1) / 2)] as Value
}
