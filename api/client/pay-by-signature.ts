import type { Hex } from 'viem'
import { formatDecimal, parseDecimal, truncateTo } from '../../shared/domain/decimal.ts'
import { atto, attoToAtomicCeil } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { ApiError } from './api-error.ts'
import { type ApiClient, answerOf } from './client.ts'
import type { Eip1193Wallet } from './pay-with-swap.ts'
import type { Schema } from './schema.ts'

/** What is to be signed is not for this charge, or for more than it asks; the message says which. Nothing was signed. */
export class SignatureMismatch extends Error {}

/** A charge, which of its pairs it is paid in, and who signs. */
export type SignedPayment = {
  readonly charge: Pick<Schema<'Charge'>, 'id' | 'address' | 'amount' | 'amountExact' | 'amountReceivedExact'>
  /** One of the charge's `payBySignature`. */
  readonly pair: Schema<'AcceptedPayment'>
  /** An account of the wallet. */
  readonly payer: Hex
}

type Prepared = Schema<'PreparedAuthorizations'>['authorizations'][number]

/** The same signature again is never a second payment, so it is brought again where an answer did not come. */
const MAX_ATTEMPTS = 3

/**
 * Pays a charge by a signature of the payer's own wallet, which needs no coin for gas, and answers the charge once the
 * payment is mined, or after half a minute with `authorization.state` `signed`: it goes on. It is credited at its depth.
 *
 * Signs once. Whatever this throws but a `SignatureMismatch` or an error of the wallet, the payment may be under way: read the
 * charge's `authorization` before anything else is signed.
 *
 * @throws {SignatureMismatch} before the wallet is asked
 * @throws {ApiError} `payment_in_progress`, `charge_not_payable`, `signature_payment_unavailable`, `authorization_invalid`,
 * `authorization_used`, `insufficient_balance`; and whatever the wallet throws, a refusal of its owner among it
 */
export async function payBySignature(
  api: ApiClient,
  wallet: Eip1193Wallet,
  payment: SignedPayment,
): Promise<Schema<'Charge'>> {
  const { charge, payer } = payment
  const path = { id: charge.id }
  const call = api.GET('/v1/charges/{id}/authorization', { params: { path, query: { payer } } })
  const prepared = requireHonest(payment, (await answerOf(call)).authorizations)
  const signature = await wallet.request({
    method: 'eth_signTypedData_v4',
    params: [payer, JSON.stringify(prepared.typedData)],
  })
  const { token, network, typedData } = prepared
  const { from, value, validAfter, validBefore, nonce } = typedData.message
  const body = {
    ...{ token, network, from, value, validAfter, validBefore, nonce },
    signature: String(signature),
  }
  return submit(() => answerOf(api.POST('/v1/charges/{id}/authorization', { params: { path }, body })))
}

async function submit(bring: () => Promise<Schema<'Charge'>>): Promise<Schema<'Charge'>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await bring()
    } catch (error) {
      const mayHaveCome = !(error instanceof ApiError) || error.status >= 500
      if (!mayHaveCome || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/** The service has made it so; whoever stands between it and the payer may not have. */
function requireHonest(
  { charge, pair: { token, network }, payer }: SignedPayment,
  prepared: readonly Prepared[],
): Prepared {
  const found = prepared.find((one) => one.token === token && one.network === network)
  if (found === undefined) throw new SignatureMismatch(`${token} on ${network} takes no signature now`)
  const { from, to, value } = found.typedData.message
  if (to.toLowerCase() !== charge.address.toLowerCase())
    throw new SignatureMismatch(`it would pay ${to}, not the charge's address ${charge.address}`)
  if (from.toLowerCase() !== payer.toLowerCase())
    throw new SignatureMismatch(`it would be paid by ${from}, not by ${payer}`)
  const most = mostOf(charge, { token, network })
  if (BigInt(value) > most.atomic)
    throw new SignatureMismatch(`it would pay ${value} units of ${token}, more than ${most.text}`)
  return found
}

/** All that is not credited yet: less may be asked, for what is seen and not deep, and never more. */
function mostOf(
  { amount, amountExact, amountReceivedExact }: SignedPayment['charge'],
  { token, network }: SignedPayment['pair'],
) {
  const attoOf = (text: string) => truncateTo(parseDecimal(text) ?? { digits: 0n, scale: 0 }, 18)
  const remaining = attoOf(amountExact ?? String(amount)) - attoOf(amountReceivedExact ?? '0')
  const decimals = REGISTRY[network].live.tokens[token]?.decimals ?? 6
  return { atomic: attoToAtomicCeil(atto(remaining), decimals), text: formatDecimal(remaining, 18) }
}
