import { Type } from '@sinclair/typebox'
import { type Address, parseEvmAddress } from '../../../../shared/domain/address.ts'
import { createFieldError } from '../../../http/field-error.ts'
import { compileBody } from '../../../http/middleware/validate.ts'
import type { Submission } from '../submit-authorization.ts'
import { decodeHeaderJson } from './header-codec.ts'

const text = Type.String({ maxLength: 5_000 })

/** The members that the service reads. Other members, such as `extensions` and `resource`, are ignored. */
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
      ? {
          param: 'accepted.asset',
          reason: 'must be 0x and 40 hex digits, all lowercase, all uppercase or with a checksum',
        }
      : null,
})

/**
 * Decodes `PAYMENT-SIGNATURE` into the authorization that the payer signed.
 *
 * Checks that the value and the recipient of the authorization match `accepted`, but neither who signed nor whether
 * `accepted` was requested.
 *
 * @throws {AppError} `validation_error`, naming the member
 * @see x402 specification v2, "PaymentPayload"
 */
export function readPaymentSignature(header: string): Submission['payment'] {
  const { accepted, payload } = validate(decodeHeaderJson('PAYMENT-SIGNATURE', header))
  const { authorization, signature } = payload
  if (accepted.amount !== authorization.value)
    throw createFieldError('payload.authorization.value', 'does not match accepted.amount')
  if (accepted.payTo.toLowerCase() !== authorization.to.toLowerCase())
    throw createFieldError('payload.authorization.to', 'does not match accepted.payTo')
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return {
    chainId: Number(accepted.network.slice('eip155:'.length)),
    token: accepted.asset.toLowerCase() as Address,
    written: { from, to, value, validAfter, validBefore, nonce, signature },
  }
}
