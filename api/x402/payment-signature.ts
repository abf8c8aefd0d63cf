import { Type } from '@sinclair/typebox'
import { type Address, parseEvmAddress } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { WrittenAuthorization } from '../../shared/domain/parse-authorization.ts'
import { compileBody } from '../middleware/validate.ts'
import { readHeaderJson } from './header-json.ts'

/** A payment by signature as a client of x402 sends it; of the authorization only that it is text is known. */
export type SignedPayment = {
  readonly chainId: number
  readonly token: Address
  readonly written: WrittenAuthorization
}

const text = Type.String({ maxLength: 5_000 })

/** What it says of itself besides, `extensions` and `resource` above all, is nothing to us. */
const PaymentSignature = Type.Object({
  x402Version: Type.Literal(2),
  accepted: Type.Object({
    scheme: Type.Literal('exact'),
    network: Type.String({ pattern: '^eip155:[1-9][0-9]{0,14}$' }),
    amount: text,
    asset: text,
    payTo: text,
  }),
  payload: Type.Object({
    signature: text,
    authorization: Type.Object({
      ...{ from: text, to: text, value: text },
      ...{ validAfter: text, validBefore: text, nonce: text },
    }),
  }),
})

const validate = compileBody(PaymentSignature, {
  accepted: ({ accepted }) =>
    parseEvmAddress(accepted.asset) === null
      ? { param: 'accepted.asset', reason: 'must be an address: 0x and 40 hex digits' }
      : null,
})

/**
 * Reads `PAYMENT-SIGNATURE`.
 *
 * What was signed must be what `accepted` says was asked; whether that was asked, and whose signature it is, is not looked at.
 *
 * @throws {AppError} `validation_error`, naming the member
 * @see x402 specification v2, "PaymentPayload"
 */
export function readPaymentSignature(header: string): SignedPayment {
  const { accepted, payload } = validate(readHeaderJson('PAYMENT-SIGNATURE', header))
  const { authorization, signature } = payload
  if (accepted.amount !== authorization.value) throw refuse('value', 'accepted.amount')
  if (accepted.payTo.toLowerCase() !== authorization.to.toLowerCase()) throw refuse('to', 'accepted.payTo')
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return {
    chainId: Number(accepted.network.slice('eip155:'.length)),
    token: accepted.asset.toLowerCase() as Address,
    written: { from, to, value, validAfter, validBefore, nonce, signature },
  }
}

function refuse(member: string, asked: string): AppError {
  const param = `payload.authorization.${member}`
  return new AppError('validation_error', `${param} is not ${asked}, which the payment is to be for`, {
    param,
  })
}
