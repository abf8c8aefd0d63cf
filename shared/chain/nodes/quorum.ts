import { AppError } from '../../domain/errors.ts'
import type { NodeName } from '../../domain/node-config.ts'
import type { NodeReport, Operator, Responses, SilentNode } from './node-report.ts'

declare const agreed: unique symbol

/**
 * A quorum of operators said exactly the same. Only this module makes one; a value with a place on the chain contains
 * the block hash that they agreed on.
 */
export type Agreed<T> = {
  readonly value: T
  /** The operators that agree, each once; `trusted:NODE` where an operator's order lets one node decide. */
  readonly by: readonly string[]
  readonly [agreed]: true
}

/** Result of putting one question to a chain's nodes. */
export type Verdict<T> =
  | {
      readonly outcome: 'agreed'
      readonly agreed: Agreed<T>
      /** Reports that contradict the quorum. */
      readonly denied: readonly NodeReport<T>[]
    }
  /** At least two contradict each other, and no quorum agrees. */
  | { readonly outcome: 'disagreed'; readonly reports: readonly NodeReport<T>[] }
  /** Too few responded. */
  | { readonly outcome: 'waiting'; readonly silent: readonly SilentNode[] }

/** What a decision on one chain needs. */
export type QuorumRule = {
  /** Operators that must agree. */
  readonly quorum: number
  /** APIs of which each must be among the votes; empty where nodes have one. */
  readonly apis: readonly string[]
  /** The node that decides alone for now, by an operator's order (`npm run networks -- trust`). */
  readonly trusted: NodeName | null
}

/** The rule of a chain whose nodes have one API. */
export function quorumOf(quorum: number, trusted: NodeName | null = null): QuorumRule {
  return { quorum, apis: [], trusted }
}

/**
 * Decides what the responses of a chain's nodes are worth. Pure.
 *
 * Votes are counted by operator. Silence is never an answer, and never lowers the quorum. If two different values
 * reach the quorum, which takes four operators or a quorum of one, nothing is agreed.
 *
 * @param toText - writes a value so that two texts are equal exactly if the two values say the same
 */
export function findVerdict<T>(
  { reports, silent }: Responses<T>,
  rule: QuorumRule,
  toText: (value: T) => string,
): Verdict<T> {
  const groups = [...groupByText(reports, toText).values()]
  const deciding = groups.flatMap((group) => {
    const by = findDeciders(group, rule)
    return by === null ? [] : [{ group, by }]
  })
  const [first, second] = deciding
  if (first !== undefined && second === undefined) {
    const [report] = first.group
    return {
      outcome: 'agreed',
      agreed: { value: (report as NodeReport<T>).value, by: first.by } as unknown as Agreed<T>,
      denied: groups.filter((group) => group !== first.group).flat(),
    }
  }
  return groups.length > 1 ? { outcome: 'disagreed', reports } : { outcome: 'waiting', silent }
}

/**
 * Returns the agreed value.
 *
 * @param subject - what the nodes were asked for, for the message
 * @throws {AppError} `rpc_unavailable` if too few nodes responded, or they contradict each other
 */
export function requireAgreed<T>(verdict: Verdict<T>, subject: string): Agreed<T> {
  if (verdict.outcome === 'agreed') return verdict.agreed
  throw new AppError('rpc_unavailable', describeFailure(verdict, subject), { cause: findCause(verdict) })
}

function groupByText<T>(
  reports: readonly NodeReport<T>[],
  toText: (value: T) => string,
): ReadonlyMap<string, readonly NodeReport<T>[]> {
  const groups = new Map<string, NodeReport<T>[]>()
  for (const report of reports) {
    const text = toText(report.value)
    groups.set(text, [...(groups.get(text) ?? []), report])
  }
  return groups
}

/** The votes that make a group decide; `null` if they do not. */
function findDeciders<T>(
  group: readonly NodeReport<T>[],
  { quorum, apis, trusted }: QuorumRule,
): readonly Operator[] | null {
  const operators = [...new Set(group.map(({ operator }) => operator))]
  const hasApis = apis.every((api) => group.some((report) => report.api === api))
  if (operators.length >= quorum && hasApis) return operators
  const isTrusted = trusted !== null && group.some(({ node }) => node === trusted)
  return isTrusted ? [`trusted:${trusted}`] : null
}

/** Without the nodes' names: API responses show messages, and a node's host is of no use to a caller. */
function describeFailure<T>(verdict: Exclude<Verdict<T>, { outcome: 'agreed' }>, subject: string): string {
  return verdict.outcome === 'disagreed'
    ? `nodes contradict each other on ${subject}`
    : `too few nodes responded for ${subject}`
}

/** Names the nodes, for logs. */
function findCause<T>(verdict: Exclude<Verdict<T>, { outcome: 'agreed' }>): Error {
  if (verdict.outcome === 'disagreed')
    return new Error(`contradicting reports of ${verdict.reports.map(({ node }) => node).join(', ')}`)
  const names = verdict.silent.map(({ node }) => node).join(', ')
  return new Error(`no response of ${names || 'none'}`, { cause: verdict.silent[0]?.error })
}
