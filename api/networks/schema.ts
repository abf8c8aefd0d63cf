import { Type } from '@sinclair/typebox'
import { AcceptedPayment, strictObject } from '../schema.ts'

/** What `GET /v1/networks` answers. */
export const Capabilities = strictObject(
  { acceptedPayments: Type.Array(AcceptedPayment) },
  { title: 'Capabilities', description: "What can be accepted now in the key's environment." },
)
