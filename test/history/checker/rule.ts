import type { History } from './history.ts'

/** A rule of the specification. `find` returns one sentence for each place where the record breaks the rule. */
export type Rule = {
  readonly name: string
  readonly find: (history: History) => readonly string[]
}

/** Formats a time of the record as the UTC time of day with milliseconds. */
export function formatTime(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23)
}
