import { Type } from '@sinclair/typebox'
import { AcceptedPayment, strictObject } from '../http/schema.ts'

/** The response of `GET /v1/networks`. */
export const Capabilities = strictObject(
  { acceptedPayments: Type.Array(AcceptedPayment) },
  { title: 'Capabilities', description: "The pairs available in the key's environment." },
)
