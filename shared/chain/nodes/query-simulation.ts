import { BaseError } from 'viem'
import { revertOf, type SimulatedCall } from '../simulate.ts'
import { NoQuorumError } from './errors.ts'
import type { NodeReport, Responses, Voter } from './node-report.ts'
import { queryUntil, ruleOf, type VoterGroup } from './query-nodes.ts'
import { findVerdict, type QuorumRule } from './quorum.ts'

/** What one node's simulation of a call came to. */
export type Simulation<Call extends SimulatedCall> =
  | { readonly type: 'works'; readonly call: Call }
  | { readonly type: 'reverts'; readonly error: BaseError }

/** What a simulation is decided by. */
export type SimulationTerms = {
  /** A call that one node alone gives more gas (on TRON: energy) than this is not taken from that node. */
  readonly maxGas: bigint
  /** Whether a broadcast for the same purpose has reverted before: then a quorum must say that the call works. */
  readonly isDoubted: boolean
}

/**
 * Simulates a call on a chain's nodes.
 *
 * @param simulate - throws the revert (see `revertOf`), or another error if the node gives no usable response
 * @returns the call, with the highest gas among the nodes that decide
 * @throws {BaseError} the revert, if a quorum says that the call reverts with the same error
 * @throws {NoQuorumError} if nothing is known: too few nodes responded, or they contradict each other
 */
export async function querySimulation<Node extends Voter, Call extends SimulatedCall>(
  group: VoterGroup<Node>,
  { simulate, ...terms }: SimulationTerms & { readonly simulate: (node: Node) => Promise<Call> },
): Promise<Call> {
  const rule = ruleOf(group)
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
    if (error instanceof BaseError && revertOf(error) !== null) return { type: 'reverts', error }
    throw error
  }
}

/**
 * Decides what simulations of one call are worth; `null` if nothing is known yet. Pure.
 *
 * That a call works needs one node, because its gas is bounded, unless a broadcast has reverted before. That it reverts,
 * or takes more gas than we allow, would end an attempt, and needs a quorum that says the same.
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

/** Two nodes may estimate a few units apart. */
function describe(simulation: Simulation<SimulatedCall>, maxGas: bigint): string {
  if (simulation.type === 'works') return simulation.call.gas <= maxGas ? 'works' : 'works for too much gas'
  return `reverts: ${revertOf(simulation.error)?.name ?? 'with no error of ours'}`
}

/** Too little gas would revert, and gas that is not used costs nothing. */
function withMostGas<Call extends SimulatedCall>(
  reports: readonly NodeReport<Simulation<Call>>[],
): Simulation<Call> | null {
  const calls = reports.flatMap(({ value }) => (value.type === 'works' ? [value.call] : []))
  const [most] = calls.toSorted((a, b) => (a.gas > b.gas ? -1 : a.gas < b.gas ? 1 : 0))
  return most === undefined ? null : { type: 'works', call: most }
}
