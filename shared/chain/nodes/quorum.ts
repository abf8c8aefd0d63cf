import { AppError } from '../../domain/errors.ts'
import { groupBy } from '../../domain/group-by.ts'
import type { NodeName } from '../../domain/node-config.ts'
import type { NodeReport, Operator, Responses, SilentNode } from './node-report.ts'

declare const agreed: unique symbol

/**
 * A value that a quorum of operators reported identically. Only this module creates such a value. The value of a row
 * includes the block hash, so the operators agree on the block too.
 */
export type Agreed<T> = {
  readonly value: T
  /** The operators that agree, without duplicates; only `trusted:NODE` if the trusted node decided alone. */
  readonly by: readonly string[]
  readonly [agreed]: true
}

export type Verdict<T> =
  | {
      readonly outcome: 'agreed'
      readonly agreed: Agreed<T>
      /** Reports that contradict the quorum. */
      readonly denied: readonly NodeReport<T>[]
    }
  /** Reports contradict each other, and no value is agreed. */
  | { readonly outcome: 'disagreed'; readonly reports: readonly NodeReport<T>[] }
  /** The reports do not contradict each other, but too few operators responded. */
  | { readonly outcome: 'waiting'; readonly silent: readonly SilentNode[] }

export type QuorumRule = {
  /** Number of operators that must agree. */
  readonly quorum: number
  /** Each of these APIs must have at least one vote; empty if nodes have only one API. */
  readonly apis: readonly string[]
  /** The node that currently decides alone (`npm run networks -- trust`); `null` if there is none. */
  readonly trusted: NodeName | null
}

export function createQuorumRule(quorum: number, trusted: NodeName | null = null): QuorumRule {
  return { quorum, apis: [], trusted }
}

/**
 * Decides the result of one query from the responses of a chain's nodes. Pure.
 *
 * Votes are counted by operator. A silent node has no vote and never lowers the quorum. If two different values reach
 * the quorum, neither is agreed. Reports that contradict the agreed value are in `denied`; a row that appears only in
 * such a report does not count (`indexer/corroboration/record-agreed.ts`).
 *
 * @param toText - converts a value to text; two texts must be equal if and only if the values are equivalent
 */
export function findVerdict<T>(
  { reports, silent }: Responses<T>,
  rule: QuorumRule,
  toText: (value: T) => string,
): Verdict<T> {
  const groups = [...groupBy(reports, ({ value }) => toText(value)).values()]
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
 * @throws {AppError} `rpc_unavailable` if too few nodes responded, or they contradict each other
 */
export function requireAgreed<T>(verdict: Verdict<T>, subject: string): Agreed<T> {
  if (verdict.outcome === 'agreed') return verdict.agreed
  throw new AppError('rpc_unavailable', describeFailure(verdict, subject), { cause: findCause(verdict) })
}

/** Returns the operators of equal reports, or the trusted node, if they may decide; otherwise `null`. */
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

/** Omits the nodes' names, because the API returns this message to its clients. */
function describeFailure<T>(verdict: Exclude<Verdict<T>, { outcome: 'agreed' }>, subject: string): string {
  return verdict.outcome === 'disagreed'
    ? `nodes contradict each other on ${subject}`
    : `too few nodes responded for ${subject}`
}

/** Names the nodes, for the logs. */
function findCause<T>(verdict: Exclude<Verdict<T>, { outcome: 'agreed' }>): Error {
  if (verdict.outcome === 'disagreed')
    return new Error(`contradicting reports of ${verdict.reports.map(({ node }) => node).join(', ')}`)
  const names = verdict.silent.map(({ node }) => node).join(', ')
  return new Error(`silent nodes: ${names || 'none'}`, { cause: verdict.silent[0]?.error })
}
