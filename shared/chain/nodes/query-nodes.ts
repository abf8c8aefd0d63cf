import type { NodeName } from '../../domain/node-config.ts'
import { isOverBudget } from '../pacing/throttle.ts'
import type { NodeHealth } from './node-health.ts'
import type { Responses, Voter } from './node-report.ts'
import { findVerdict, type QuorumRule, requireAgreed, type Verdict } from './quorum.ts'

/** The voters of one chain, and the rules for a decision. */
export type VoterGroup<Node extends Voter = Voter> = {
  /** The voters in order of preference. */
  readonly nodes: readonly Node[]
  /** Number of operators that must agree. */
  readonly quorum: number
  /** Returns the node that currently decides alone (`npm run networks -- trust`), if any. */
  readonly getTrusted: () => NodeName | null
  readonly health: NodeHealth
}

/**
 * Time after which the other nodes are queried too, if the responses of the preferred nodes do not suffice. Also the
 * maximum wait for slower nodes once a quorum has responded.
 */
const HEDGE_MS = 1_000

/**
 * Sends the same query to every node in parallel.
 *
 * @param read - throws if the node gives no usable response; the node then counts as silent
 */
export async function queryNodes<Node extends Voter, T>(
  { nodes, health }: Pick<VoterGroup<Node>, 'nodes' | 'health'>,
  read: (node: Node) => Promise<T>,
): Promise<Responses<T>> {
  const responses: MutableResponses<T> = { reports: [], silent: [] }
  await Promise.all(nodes.map((node) => ask({ node, read, health, responses })))
  return inOrder(nodes, responses)
}

/**
 * Sends the same query to every node in parallel. After a quorum of operators has responded, waits up to 1 s for the
 * other nodes, and not at all for nodes that failed recently.
 *
 * Use it for heights and prices, which are chosen from all responses. A payout needs five such queries. When each
 * waited for the timeout of a hanging node, payouts were late during the whole outage of that node.
 */
export async function queryResponsive<Node extends Voter, T>(
  group: VoterGroup<Node>,
  read: (node: Node) => Promise<T>,
): Promise<Responses<T>> {
  const { nodes, health } = group
  const responses: MutableResponses<T> = { reports: [], silent: [] }
  const failed = nodes.filter(health.hasFailed)
  const asked = nodes.map((node) => ({ node, end: ask({ node, read, health, responses }) }))
  const rule = getQuorumRule(group)
  const endsOf = (all: typeof asked) => all.map(({ end }) => end)
  await untilDone(endsOf(asked), { isDone: () => hasQuorum(responses, rule), limitMs: null })
  const others = asked.filter(({ node }) => !failed.includes(node))
  await untilDone(endsOf(others), { isDone: () => false, limitMs: HEDGE_MS })
  return inOrder(nodes, responses)
}

/** A query, and the comparison of its responses. */
export type Question<Node extends Voter, T> = {
  /** Throws if the node gives no usable response; the node then counts as silent. */
  readonly read: (node: Node) => Promise<T>
  /** Converts a value to text. Two texts must be equal if and only if the values are equivalent. */
  readonly toText: (value: T) => string
  /** APIs of which each must have at least one vote. */
  readonly apis?: readonly string[]
  /** Time after which the other nodes are queried, if no agreement was reached; 1 s by default. */
  readonly hedgeMs?: number
}

/**
 * Queries only as many nodes as a quorum needs. Queries the others if these nodes are silent or slow, or contradict
 * each other. Nodes that failed within the last minute are queried last. Resolves as soon as a quorum agrees.
 */
export async function queryQuorum<Node extends Voter, T>(
  group: VoterGroup<Node>,
  { read, toText, apis = [], hedgeMs }: Question<Node, T>,
): Promise<Verdict<T>> {
  const rule = getQuorumRule(group, apis)
  const isEnough = (responses: Responses<T>) => findVerdict(responses, rule, toText).outcome === 'agreed'
  const responses = await collect({ group, rule, read, isEnough, hedgeMs })
  return findVerdict(responses, rule, toText)
}

/** A query that the report of a single node can decide. */
export type OneSidedQuestion<Node extends Voter, T> = Question<Node, T> & {
  /** Returns whether one report with this value is sufficient. */
  readonly decides: (value: T) => boolean
  /** The requested value, for error messages. */
  readonly subject: string
}

/**
 * Returns a value that decides on its own if a node reports one; otherwise the value that a quorum reports. Use it for
 * simulations. One node is sufficient for the report "this call works", because an incorrect report costs only a
 * limited amount of gas. The report "this call reverts" needs a quorum.
 *
 * @throws {AppError} `rpc_unavailable` if no report decides on its own, and no quorum reports the same value
 */
export async function queryFirst<Node extends Voter, T>(
  group: VoterGroup<Node>,
  { read, toText, decides, subject, apis = [], hedgeMs }: OneSidedQuestion<Node, T>,
): Promise<T> {
  const rule = getQuorumRule(group, apis)
  const findFirst = ({ reports }: Responses<T>) => reports.find(({ value }) => decides(value))
  const isEnough = (responses: Responses<T>) =>
    findFirst(responses) !== undefined || findVerdict(responses, rule, toText).outcome === 'agreed'
  const responses = await collect({ group, rule, read, isEnough, hedgeMs })
  const first = findFirst(responses)
  return first === undefined
    ? requireAgreed(findVerdict(responses, rule, toText), subject).value
    : first.value
}

/**
 * Queries as many nodes as a quorum needs, then the others, until the responses are sufficient. Use it for queries that
 * a single response can decide.
 */
export function queryUntil<Node extends Voter, T>(
  group: VoterGroup<Node>,
  { read, isEnough }: Pick<Collection<Node, T>, 'read' | 'isEnough'>,
): Promise<Responses<T>> {
  return collect({ group, rule: getQuorumRule(group), read, isEnough })
}

/**
 * Queries nodes until a quorum of operators has responded, whether or not their responses are equal. Use it for queries
 * whose responses are merged, such as lists of logs.
 *
 * @returns the responses, or `null` if too few operators responded
 */
export async function queryOperators<Node extends Voter, T>(
  group: VoterGroup<Node>,
  read: (node: Node) => Promise<T>,
): Promise<Responses<T> | null> {
  const rule = getQuorumRule(group)
  const isEnough = (responses: Responses<T>) => hasQuorum(responses, rule)
  const responses = await collect({ group, rule, read, isEnough })
  return isEnough(responses) ? responses : null
}

/**
 * Queries every node, as `queryResponsive` does. Use it if an item that one node omits must be found on another node.
 *
 * @returns the responses, or `null` if too few operators responded
 */
export async function queryEveryOperator<Node extends Voter, T>(
  group: VoterGroup<Node>,
  read: (node: Node) => Promise<T>,
): Promise<Responses<T> | null> {
  const responses = await queryResponsive(group, read)
  return hasQuorum(responses, getQuorumRule(group)) ? responses : null
}

export function getQuorumRule<Node extends Voter>(
  { quorum, getTrusted }: Pick<VoterGroup<Node>, 'quorum' | 'getTrusted'>,
  apis: readonly string[] = [],
): QuorumRule {
  return { quorum, apis, trusted: getTrusted() }
}

/** Returns whether a quorum of operators has responded, whether or not their responses are equal. */
export function hasQuorum<T>(responses: Responses<T>, rule: QuorumRule): boolean {
  return findVerdict(responses, rule, () => '').outcome === 'agreed'
}

type Collection<Node extends Voter, T> = {
  readonly group: VoterGroup<Node>
  readonly rule: QuorumRule
  readonly read: (node: Node) => Promise<T>
  readonly isEnough: (responses: Responses<T>) => boolean
  readonly hedgeMs?: number | undefined
}

async function collect<Node extends Voter, T>({
  group: { nodes, health },
  rule,
  read,
  isEnough,
  hedgeMs = HEDGE_MS,
}: Collection<Node, T>): Promise<Responses<T>> {
  const ordered = health.inOrder(nodes)
  const { first, rest } = splitByNeed(ordered, rule)
  const responses: MutableResponses<T> = { reports: [], silent: [] }
  const asked = first.map((node) => ask({ node, read, health, responses }))
  const isDone = () => isEnough(responses)
  await untilDone(asked, { isDone, limitMs: rest.length === 0 ? null : hedgeMs })
  if (!isDone() && rest.length > 0) {
    const all = [...asked, ...rest.map((node) => ask({ node, read, health, responses }))]
    await untilDone(all, { isDone, limitMs: null })
  }
  return inOrder(ordered, responses)
}

type MutableResponses<T> = {
  reports: Responses<T>['reports'][number][]
  silent: Responses<T>['silent'][number][]
}

type Asking<Node extends Voter, T> = {
  readonly node: Node
  readonly read: (node: Node) => Promise<T>
  readonly health: NodeHealth
  readonly responses: MutableResponses<T>
}

/**
 * Queries one node, and records the response or failure. Never rejects. A node that is over its budget counts as
 * silent, not as failed.
 */
async function ask<Node extends Voter, T>({ node, read, health, responses }: Asking<Node, T>): Promise<void> {
  const { name, operator, api = null } = node
  try {
    const value = await read(node)
    responses.reports.push({ node: name, operator, api, value })
    health.noteResponse(name)
  } catch (error) {
    responses.silent.push({ node: name, operator, error })
    if (!isOverBudget(error)) health.noteFailure(name)
  }
}

/** Resolves when the responses are sufficient, all queries have ended, or the limit has passed. */
function untilDone(
  asked: readonly Promise<void>[],
  { isDone, limitMs }: { readonly isDone: () => boolean; readonly limitMs: number | null },
): Promise<void> {
  return new Promise((resolve) => {
    const timer = limitMs === null ? undefined : setTimeout(resolve, limitMs)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    for (const one of asked)
      void one.then(() => {
        if (isDone()) end()
      })
    void Promise.all(asked).then(end)
  })
}

/** Divides voters into the first voters that suffice for a decision, and the others. */
function splitByNeed<Node extends Voter>(
  nodes: readonly Node[],
  { quorum, apis }: QuorumRule,
): { readonly first: readonly Node[]; readonly rest: readonly Node[] } {
  const operators = new Set<string>()
  const missing = new Set(apis)
  const first: Node[] = []
  for (const node of nodes) {
    const isNeeded = operators.size < quorum && !operators.has(node.operator)
    if (!isNeeded && !missing.has(node.api ?? '')) continue
    operators.add(node.operator)
    missing.delete(node.api ?? '')
    first.push(node)
  }
  return { first, rest: nodes.filter((node) => !first.includes(node)) }
}

/** Sorts responses by the order of the nodes, so that the order of arrival does not affect the verdict. */
function inOrder<T>(nodes: readonly Voter[], { reports, silent }: Responses<T>): Responses<T> {
  const place = (name: string) => nodes.findIndex((node) => node.name === name)
  return {
    reports: reports.toSorted((a, b) => place(a.node) - place(b.node)),
    silent: silent.toSorted((a, b) => place(a.node) - place(b.node)),
  }
}
