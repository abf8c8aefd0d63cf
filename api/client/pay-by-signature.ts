import { ApiError } from './api-error.ts'
import { checkAuthorization, type SignedPayment } from './check-authorization.ts'
import { type ApiClient, requireData } from './client.ts'
import { delay } from './delay.ts'
import type { Eip1193Wallet } from './pay-with-swap.ts'
import type { Schema } from './schema.ts'

/** First delay before the signature is submitted again. The same signature never pays twice. */
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 15_000

/**
 * Pays a charge with a signature from the payer's wallet. The payer needs no native coin for gas. Returns the charge
 * once the payment is mined. If the payment is still pending after 30 s, returns the charge with `authorization.state`
 * `signed`. The payment is credited after the required confirmations.
 *
 * Asks the wallet for one signature, of data that `checkAuthorization` has rebuilt from the service's response. If the
 * outcome of a submission is unknown, submits the signature again until shortly before it expires, after the delay that
 * the service demands, otherwise with growing delays.
 *
 * After any error except a `SignatureMismatch` or an error of the wallet, the payment might be pending, so read the
 * charge's `authorization` before you sign again.
 *
 * @param payment.pause - waits before a retry
 * @throws {SignatureMismatch} before the wallet is asked to sign
 * @throws {ApiError} for example `payment_in_progress`, `charge_not_payable`, `signature_payment_unavailable`,
 * `authorization_invalid`, `authorization_used`, `insufficient_balance`
 * @throws errors of the wallet, such as a declined signature
 */
export async function payBySignature(
  api: ApiClient,
  wallet: Eip1193Wallet,
  payment: SignedPayment & { readonly pause?: (ms: number) => Promise<unknown> },
): Promise<Schema<'Charge'>> {
  const { charge, payer, pair, pause = delay } = payment
  const path = { id: charge.id }
  const call = api.GET('/v1/charges/{id}/authorization', { params: { path, query: { payer } } })
  const typedData = checkAuthorization(payment, (await requireData(call)).authorizations)
  const signature = await wallet.request({
    method: 'eth_signTypedData_v4',
    params: [payer, JSON.stringify(typedData)],
  })
  const { from, value, validAfter, validBefore, nonce } = typedData.message
  const body = {
    ...{ ...pair, from, value, validAfter, validBefore, nonce },
    signature: String(signature),
  }
  const post = () => requireData(api.POST('/v1/charges/{id}/authorization', { params: { path }, body }))
  return submit(post, { untilMs: Number(validBefore) * 1000, pause })
}

async function submit(
  post: () => Promise<Schema<'Charge'>>,
  { untilMs, pause }: { readonly untilMs: number; readonly pause: (ms: number) => Promise<unknown> },
): Promise<Schema<'Charge'>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await post()
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error
      const pauseMs = getPauseMs(error, attempt)
      if (Date.now() + pauseMs >= untilMs) throw error
      await pause(pauseMs)
    }
  }
}

/**
 * Returns whether a retry might succeed, because the service has perhaps stored the signature, or is only temporarily
 * unavailable. After `signature_payment_unavailable` a retry would return the same error.
 */
function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true
  return error.isTransient && error.code !== 'signature_payment_unavailable'
}

function getPauseMs(error: unknown, attempt: number): number {
  const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS)
  return (error instanceof ApiError ? error.retryAfterMs : null) ?? backoffMs
}
