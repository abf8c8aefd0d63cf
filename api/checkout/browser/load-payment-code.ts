import type { ScriptPhrase } from '../page-data.ts'
import type { PAYMENT_CODE } from './payment.ts'

/** The code that sends requests to wallets (`payment.ts`). */
export type PaymentCode = typeof PAYMENT_CODE

type PaymentScript = {
  readonly PAYMENT_CODE: PaymentCode
  readonly TEXTS: Readonly<Partial<Record<ScriptPhrase, string>>>
}

let loading: Promise<PaymentCode> | null = null
let failedCount = 0

/**
 * Loads the payment code once, from the directory of this script, and adds its texts to `texts`. After a failure, the
 * next call tries again.
 */
export function loadPaymentCode({
  language,
  texts,
}: {
  readonly language: string
  readonly texts: object
}): Promise<PaymentCode> {
  loading ??= load(language).then(
    (script) => {
      Object.assign(texts, script.TEXTS)
      return script.PAYMENT_CODE
    },
    (error: unknown) => {
      loading = null
      failedCount += 1
      throw error
    },
  )
  return loading
}

/** Imports the payment code. Browsers remember the addresses of failed imports, so each retry uses a new address. */
async function load(language: string): Promise<PaymentScript> {
  const path = `./payment-${language}.js${failedCount === 0 ? '' : `?${failedCount}`}`
  return (await import(path)) as PaymentScript
}
