import { BaseError } from 'viem'
import { NoQuorumError } from './errors.ts'
import type { NodeReport, Responses, Voter } from './node-report.ts'
import { getQuorumRule, queryUntil, type VoterGroup } from './query-nodes.ts'
import { findVerdict, type QuorumRule } from './quorum.ts'
import { findRevert, type SimulatedCall } from './simulate.ts'

export type Simulation<Call extends SimulatedCall> =
  | { readonly type: 'works'; readonly call: Call }
  | { readonly type: 'reverts'; readonly error: BaseError }

export type SimulationTerms = {
  /** Maximum gas (on TRON: energy) at which one node's report that the call works is enough. */
  readonly maxGas: bigint
  /** Whether an earlier transaction for the same purpose reverted. If so, a quorum must report that the call works. */
  readonly isDoubted: boolean
}

/**
 * Simulates a call on a chain's nodes.
 *
 * @param simulate - throws the revert (see `findRevert`), or another error if the node gives no usable response
 * @returns the call, with the highest gas among the deciding nodes
 * @throws {BaseError} the revert, if a quorum reports the same revert
 * @throws {NoQuorumError} if too few nodes responded, or they contradict each other
 */
export async function querySimulation<Node extends Voter, Call extends SimulatedCall>(
  group: VoterGroup<Node>,
  { simulate, ...terms }: SimulationTerms & { readonly simulate: (node: Node) => Promise<Call> },
): Promise<Call> {
  const rule = getQuorumRule(group)
  const responses = await queryUntil(group, {
    read: (node) => trySimulation(() => simulate(node)),
    isEnough: (sofar: Responses<Simulation<Call>>) => decideSimulation(sofar, rule, terms) !== null,
  })
  const decided = decideSimulation(responses, rule, terms)
  if (decided === null) throw new NoQuorumError('a simulation', responses)
  if (decided.type === 'reverts') throw decided.error
  return decided.call
}

async function trySimulation<Call extends SimulatedCall>(
  simulate: () => Promise<Call>,
): Promise<Simulation<Call>> {
  try {
    return { type: 'works', call: await simulate() }
  } catch (error) {
    if (error instanceof BaseError && findRevert(error) !== null) return { type: 'reverts', error }
    throw error
  }
}

/**
 * Decides the result of a call that several nodes simulated; `null` if it is still unknown. Pure.
 *
 * One node is enough for the result "works", because the gas is bounded. A quorum is required if an earlier transaction
 * reverted, and for the results "reverts" and "works, but takes too much gas", because they stop the
 * caller from sending the transaction.
 */
function decideSimulation<Call extends SimulatedCall>(
  responses: Responses<Simulation<Call>>,
  rule: QuorumRule,
  { maxGas, isDoubted }: SimulationTerms,
): Simulation<Call> | null {
  const toText = (simulation: Simulation<Call>) => describe(simulation, maxGas)
  const verdict = findVerdict(responses, rule, toText)
  const working = responses.reports.filter(({ value }) => toText(value) === 'works')
  if (verdict.outcome !== 'agreed') return isDoubted ? null : withMostGas(working)
  const { value } = verdict.agreed
  if (value.type === 'reverts') return value
  return withMostGas(responses.reports.filter((report) => toText(report.value) === toText(value)))
}

/** Describes a simulation without its exact gas, because nodes may estimate slightly different amounts. */
function describe(simulation: Simulation<SimulatedCall>, maxGas: bigint): string {
  if (simulation.type === 'works')
    return simulation.call.gas <= maxGas ? 'works' : 'works, but takes too much gas'
  return `reverts: ${findRevert(simulation.error)?.name ?? 'with an unknown error'}`
}

/**
 * Returns the call with the most gas, because a call with too little gas would revert, and unused gas costs nothing.
 */
function withMostGas<Call extends SimulatedCall>(
  reports: readonly NodeReport<Simulation<Call>>[],
): Simulation<Call> | null {
  const calls = reports.flatMap(({ value }) => (value.type === 'works' ? [value.call] : []))
  const [most] = calls.toSorted((a, b) => (a.gas > b.gas ? -1 : a.gas < b.gas ? 1 : 0))
  return most === undefined ? null : { type: 'works', call: most }
}
