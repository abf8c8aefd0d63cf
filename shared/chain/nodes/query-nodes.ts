import type { NodeName } from '../../domain/node-config.ts'
import type { NodeHealth } from './node-health.ts'
import type { Responses, Voter } from './node-report.ts'
import { findVerdict, type QuorumRule, requireAgreed, type Verdict } from './quorum.ts'

/** The voters of one chain, and what a decision needs of them. */
export type VoterGroup<Node extends Voter = Voter> = {
  /** In order of preference. */
  readonly nodes: readonly Node[]
  /** Operators that must agree. */
  readonly quorum: number
  /** Returns the node that an operator lets decide alone for now, if any. */
  readonly getTrusted: () => NodeName | null
  readonly health: NodeHealth
}

/** A preferred node that takes longer than this has the others asked beside it. */
const HEDGE_MS = 1_000

/**
 * Asks every node the same, at once. This and `queryQuorum` are the only loops over a chain's nodes.
 *
 * @param read - throws if the node gives no usable response, which makes the node silent
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
 * Asks every node the same, at once; after a quorum of operators has responded it waits at most a second for the rest,
 * and not at all for nodes that failed lately.
 *
 * For heights and prices, which are chosen from all responses: a node that hangs must not hold them up. Waiting a second
 * for it in each of the five queries of a payout made payouts late for as long as the node was down.
 */
export async function queryResponsive<Node extends Voter, T>(
  group: VoterGroup<Node>,
  read: (node: Node) => Promise<T>,
): Promise<Responses<T>> {
  const { nodes, health } = group
  const responses: MutableResponses<T> = { reports: [], silent: [] }
  const failed = nodes.filter(health.hasFailed)
  const asked = nodes.map((node) => ({ node, end: ask({ node, read, health, responses }) }))
  const rule = ruleOf(group)
  const endsOf = (all: typeof asked) => all.map(({ end }) => end)
  await untilDone(endsOf(asked), { isDone: () => hasQuorum(responses, rule), limitMs: null })
  const others = asked.filter(({ node }) => !failed.includes(node))
  await untilDone(endsOf(others), { isDone: () => false, limitMs: HEDGE_MS })
  return inOrder(nodes, responses)
}

/** A question, and when two responses to it say the same. */
export type Question<Node extends Voter, T> = {
  /** Throws if the node gives no usable response, which makes the node silent. */
  readonly read: (node: Node) => Promise<T>
  /** Writes a value so that two texts are equal exactly if the two values say the same. */
  readonly toText: (value: T) => string
  /** APIs of which each must be among the votes. */
  readonly apis?: readonly string[]
  /** The other nodes are asked after this long without an agreement. */
  readonly hedgeMs?: number
}

/**
 * Asks as few nodes as a quorum takes, and the others if those are silent, slow or contradict each other.
 *
 * Nodes that responded last are asked first. Resolves as soon as a quorum agrees, without waiting for the rest.
 */
export async function queryQuorum<Node extends Voter, T>(
  group: VoterGroup<Node>,
  { read, toText, apis = [], hedgeMs }: Question<Node, T>,
): Promise<Verdict<T>> {
  const rule = ruleOf(group, apis)
  const isEnough = (responses: Responses<T>) => findVerdict(responses, rule, toText).outcome === 'agreed'
  const responses = await collect({ group, rule, read, isEnough, hedgeMs })
  return findVerdict(responses, rule, toText)
}

/** A question to which one report can be enough. */
export type OneSidedQuestion<Node extends Voter, T> = Question<Node, T> & {
  /** Whether one report with this value is enough. */
  readonly decides: (value: T) => boolean
  /** What the nodes are asked for, for the message of an error. */
  readonly subject: string
}

/**
 * Returns the first value that decides alone, or another one that a quorum reports. For simulations: "this call works"
 * costs bounded gas at worst, so one node is enough; "it reverts" needs a quorum.
 *
 * @throws {AppError} `rpc_unavailable` if no report decides alone, and no quorum reports the same
 */
export async function queryFirst<Node extends Voter, T>(
  group: VoterGroup<Node>,
  { read, toText, decides, subject, apis = [], hedgeMs }: OneSidedQuestion<Node, T>,
): Promise<T> {
  const rule = ruleOf(group, apis)
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
 * Asks as few nodes as a quorum takes, and then the others, until the responses are enough; for questions of which one
 * response may be enough.
 */
export function queryUntil<Node extends Voter, T>(
  group: VoterGroup<Node>,
  {
    read,
    isEnough,
  }: {
    readonly read: (node: Node) => Promise<T>
    readonly isEnough: (responses: Responses<T>) => boolean
  },
): Promise<Responses<T>> {
  return collect({ group, rule: ruleOf(group), read, isEnough })
}

/**
 * Asks until a quorum of operators has responded, whatever they say; for questions whose responses are put together,
 * such as lists of logs.
 *
 * @returns `null` if too few responded
 */
export async function queryOperators<Node extends Voter, T>(
  group: VoterGroup<Node>,
  read: (node: Node) => Promise<T>,
): Promise<Responses<T> | null> {
  const rule = ruleOf(group)
  const isEnough = (responses: Responses<T>) => hasQuorum(responses, rule)
  const responses = await collect({ group, rule, read, isEnough })
  return isEnough(responses) ? responses : null
}

/** Returns the rule of a chain's voters, as it stands now. */
export function ruleOf<Node extends Voter>(
  { quorum, getTrusted }: Pick<VoterGroup<Node>, 'quorum' | 'getTrusted'>,
  apis: readonly string[] = [],
): QuorumRule {
  return { quorum, apis, trusted: getTrusted() }
}

function hasQuorum<T>(responses: Responses<T>, rule: QuorumRule): boolean {
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

/** Never rejects. */
async function ask<Node extends Voter, T>({ node, read, health, responses }: Asking<Node, T>): Promise<void> {
  const { name, operator, api = null } = node
  try {
    const value = await read(node)
    responses.reports.push({ node: name, operator, api, value })
    health.noteResponse(name)
  } catch (error) {
    responses.silent.push({ node: name, operator, error })
    health.noteFailure(name)
  }
}

/** Resolves when there are responses enough, all have responded, or the limit is over. */
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

/** Splits voters into those that can decide among them, and the others. */
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

/** Whatever order they came in: reports by the nodes' order, so that the same responses give the same verdict. */
function inOrder<T>(nodes: readonly Voter[], { reports, silent }: Responses<T>): Responses<T> {
  const place = (name: string) => nodes.findIndex((node) => node.name === name)
  return {
    reports: reports.toSorted((a, b) => place(a.node) - place(b.node)),
    silent: silent.toSorted((a, b) => place(a.node) - place(b.node)),
  }
}
