import { Type } from '@sinclair/typebox'
import { EnvironmentName, Paging, PresentedAddress, pageOf, strictObject, Timestamp } from '../schema.ts'

/** The body of `POST /v1/recipients`. */
export const RegisterRecipientBody = strictObject({
  address: Type.String(),
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
})

/** The query of `GET /v1/recipients`. */
export const ListRecipientsQuery = strictObject(Paging)

/** The body of `PATCH /v1/recipients/{id}`. */
export const ElevateRecipientBody = strictObject({ payout: Type.Boolean() })

/** An address that the organization may pay. */
export const Recipient = strictObject({
  id: Type.String({ pattern: '^rc_[0-9a-z]+$' }),
  environment: EnvironmentName,
  address: PresentedAddress,
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  payout: Type.Boolean(),
  createdAt: Timestamp,
})

/** One page of `GET /v1/recipients`. */
export const RecipientPage = pageOf(Recipient)
