/** Shows something with a way to go on, and waits for that; it fails when the payer begins anew instead. */
export type UntilAgreed = (offer: (goOn: () => void) => readonly (Node | string)[]) => Promise<void>

/** Makes what waits for the payer's word; whoever begins anew abandons it. */
export function createAgreement(tell: (...nodes: readonly (Node | string)[]) => void) {
  let abandon: (() => void) | null = null
  const until: UntilAgreed = (offer) =>
    new Promise<void>((resolve, reject) => {
      tell(...offer(resolve))
      abandon = () => reject(new Abandoned())
    }).finally(() => {
      abandon = null
    })
  return { until, abandon: () => abandon?.() }
}

/** What was abandoned ends before this. */
export function untilAbandonedHasEnded(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve)
  })
}

/** Something else was begun. */
export class Abandoned extends Error {}
