/** As where balances and logs are compared (`read-deep-block.ts`): a node that has only lagged comes back sooner. */
const STOPPED_MS = 600_000

/**
 * Leaves out what nodes say that have stopped: whose block is ten minutes old, and as far behind another's that goes on.
 * They count like nodes that do not answer, or one of them would stop all payouts for ever. Pure.
 *
 * Never by its age alone: a chain that stands still leaves nobody out. Never by its distance alone: a node that makes up
 * a head would be the only one left.
 *
 * @param by.timeOf - of a node's block, in Unix milliseconds
 */
export function leaveOutStopped<View>(
  views: readonly View[],
  { timeOf, nowMs }: { readonly timeOf: (view: View) => number; readonly nowMs: number },
): readonly View[] {
  const isOld = (view: View) => nowMs - timeOf(view) > STOPPED_MS
  const goesOn = (other: View, view: View) => !isOld(other) && timeOf(other) - timeOf(view) > STOPPED_MS
  return views.filter((view) => !isOld(view) || !views.some((other) => goesOn(other, view)))
}
