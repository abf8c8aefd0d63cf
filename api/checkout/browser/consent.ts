/**
 * Shows content with a button to continue and waits for the click. Rejects if the payer starts another payment instead.
 */
export type WaitForConsent = (offer: (goOn: () => void) => readonly (Node | string)[]) => Promise<void>

/** The place on the page where a payment through a wallet reports its progress. */
export type PaymentDialog = {
  /** Replaces the shown message. */
  readonly showMessage: (...nodes: readonly (Node | string)[]) => void
  readonly untilAgreed: WaitForConsent
}

/**
 * Creates a function that waits for the payer's consent, and a function that abandons the wait when the payer starts
 * another payment.
 */
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

/** Resolves after the abandoned payment has ended. */
export function waitForAbandoned(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve)
  })
}

/** Thrown if the payer has started another payment. */
export class Abandoned extends Error {}
