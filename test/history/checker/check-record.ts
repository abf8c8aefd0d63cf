import type { Entry } from './entry.ts'
import { buildHistory } from './history.ts'
import type { Rule } from './rule.ts'
import { CONSTANTS } from './rules/constants.ts'
import { CREDITS } from './rules/credits.ts'
import { DISTRIBUTIONS } from './rules/distributions.ts'
import { ENDINGS } from './rules/endings.ts'
import { ENOUGH } from './rules/enough.ts'
import { EVENTS } from './rules/events.ts'
import { FOUND_AGAIN } from './rules/found-again.ts'
import { IDEMPOTENCY } from './rules/idempotency.ts'
import { OUTAGES } from './rules/outages.ts'
import { TENANCY } from './rules/tenancy.ts'
import { TRANSITIONS } from './rules/transitions.ts'

export const RULES: readonly Rule[] = [
  ...[FOUND_AGAIN, IDEMPOTENCY, TRANSITIONS, CONSTANTS, EVENTS],
  ...[CREDITS, DISTRIBUTIONS, TENANCY, ENDINGS, OUTAGES, ENOUGH],
]

/** A rule, and one sentence for each place where the record breaks it. */
export type Verdict = { readonly rule: string; readonly findings: readonly string[] }

/** Checks a record against every rule. The record must contain the logs of its chains. */
export function checkRecord(entries: readonly Entry[]): readonly Verdict[] {
  const history = buildHistory(entries)
  return RULES.map(({ name, find }) => ({ rule: name, findings: find(history) }))
}
