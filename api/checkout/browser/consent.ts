/**
 * Shows content with a button to continue, and waits for a click on it. Rejects if the payer starts another payment.
 */
export type WaitForConsent = (offer: (goOn: () => void) => readonly (Node | string)[]) => Promise<void>

/** The part of the page that shows the progress of a payment through a wallet. */
export type PaymentDialog = {
  /** Replaces the shown message. */
  readonly showMessage: (...nodes: readonly (Node | string)[]) => void
  readonly untilAgreed: WaitForConsent
}

/** Creates a function that waits for the payer's consent, and a function that ends the wait with `Abandoned`. */
export function createConsent(showMessage: (...nodes: readonly (Node | string)[]) => void) {
  let abandon: (() => void) | null = null
  const until: WaitForConsent = (offer) =>
    new Promise<void>((resolve, reject) => {
      showMessage(...offer(resolve))
      abandon = () => reject(new Abandoned())
    }).finally(() => {
      abandon = null
    })
  return { until, abandon: () => abandon?.() }
}

/** Resolves after the code of an abandoned payment has handled `Abandoned`. */
export function waitForAbandoned(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve)
  })
}

/** Thrown if the payer has started another payment. */
export class Abandoned extends Error {}
