import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from './api-error.ts'
import { checkAuthorization, type SignedPayment } from './check-authorization.ts'
import { type ApiClient, answerOf } from './client.ts'
import type { Eip1193Wallet } from './pay-with-swap.ts'
import type { Schema } from './schema.ts'

/** The same signature again is never a second payment, so it is brought again where an answer did not come. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

/**
 * Pays a charge by a signature of the payer's own wallet, which needs no coin for gas, and answers the charge once the
 * payment is mined, or after half a minute with `authorization.state` `signed`: it goes on. It is credited at its depth.
 *
 * Signs once, and only what it has made itself of a checked answer (`checkAuthorization`); brings that again, with pauses
 * that grow, until it is answered or can no longer be carried out. Whatever this throws but a `SignatureMismatch` or an error
 * of the wallet, the payment may be under way: read the charge's `authorization` before anything else is signed.
 *
 * @param pause - how it waits
 * @throws {SignatureMismatch} before the wallet is asked
 * @throws {ApiError} `payment_in_progress`, `charge_not_payable`, `signature_payment_unavailable`, `authorization_invalid`,
 * `authorization_used`, `insufficient_balance`; and whatever the wallet throws, a refusal of its owner among it
 */
export async function payBySignature(
  api: ApiClient,
  wallet: Eip1193Wallet,
  payment: SignedPayment & { readonly pause?: (ms: number) => Promise<unknown> },
): Promise<Schema<'Charge'>> {
  const { charge, payer, pair, pause = delay } = payment
  const path = { id: charge.id }
  const call = api.GET('/v1/charges/{id}/authorization', { params: { path, query: { payer } } })
  const typedData = checkAuthorization(payment, (await answerOf(call)).authorizations)
  const signature = await wallet.request({
    method: 'eth_signTypedData_v4',
    params: [payer, JSON.stringify(typedData)],
  })
  const { from, value, validAfter, validBefore, nonce } = typedData.message
  const body = {
    ...{ ...pair, from, value, validAfter, validBefore, nonce },
    signature: String(signature),
  }
  const bring = () => answerOf(api.POST('/v1/charges/{id}/authorization', { params: { path }, body }))
  return submit(bring, { untilMs: Number(validBefore) * 1000, pause })
}

async function submit(
  bring: () => Promise<Schema<'Charge'>>,
  { untilMs, pause }: { readonly untilMs: number; readonly pause: (ms: number) => Promise<unknown> },
): Promise<Schema<'Charge'>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await bring()
    } catch (error) {
      if (!mayHaveCome(error)) throw error
      const pauseMs = pauseAfter(error, attempt)
      if (Date.now() + pauseMs >= untilMs) throw error
      await pause(pauseMs)
    }
  }
}

/** Without an answer of the service; of `signature_payment_unavailable` it keeps nothing, and would say it again. */
function mayHaveCome(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true
  return error.isTransient && error.code !== 'signature_payment_unavailable'
}

function pauseAfter(error: unknown, attempt: number): number {
  const grown = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
  return (error instanceof ApiError ? error.retryAfterMs : null) ?? grown
}
