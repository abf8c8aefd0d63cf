import { Type } from '@sinclair/typebox'
import { TRANSFERABILITIES } from '../../shared/chain/tokens/restrictions.ts'
import {
  buildPageSchema,
  EnvironmentName,
  NetworkName,
  Paging,
  PresentedAddress,
  strictObject,
  stringEnum,
  Timestamp,
  TokenName,
} from '../http/schema.ts'

/** The body of `POST /v1/recipients`. */
export const RegisterRecipientBody = strictObject(
  {
    address: Type.String({ description: 'An EVM (0x…) or TRON (T…) wallet.' }),
    label: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Label for your own use.' }),
    ),
  },
  {
    title: 'RegisterRecipient',
    examples: [{ address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', label: 'Partner' }],
  },
)

/** The query of `GET /v1/recipients`. */
export const ListRecipientsQuery = strictObject(Paging)

/** The body of `PATCH /v1/recipients/{id}`. */
export const ElevateRecipientBody = strictObject(
  { payout: Type.Boolean() },
  { title: 'SetRecipientPayout', examples: [{ payout: true }] },
)

/** An address that the organization may pay. */
export const Recipient = strictObject(
  {
    id: Type.String({ pattern: '^rc_[0-9a-z]+$' }),
    environment: EnvironmentName,
    address: PresentedAddress,
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    payout: Type.Boolean({ description: "Whether it may be an API key's payout address." }),
    createdAt: Timestamp,
  },
  { title: 'Recipient', description: 'A wallet that charges may pay in addition to the merchant.' },
)

/** One page of `GET /v1/recipients`. */
export const RecipientPage = buildPageSchema(Recipient)

const Status = stringEnum(TRANSFERABILITIES, {
  title: 'TransferStatus',
  description:
    "The token issuer's restriction, as reported by a quorum of nodes. `unknown`: too few responses, or no agreement.",
})

/** The response of `GET /v1/recipients/{id}/transferability`. */
export const RecipientTransferability = strictObject(
  {
    recipientId: Recipient.properties.id,
    address: PresentedAddress,
    pairs: Type.Array(
      strictObject({ token: TokenName, network: NetworkName, receive: Status, send: Status }),
    ),
  },
  { title: 'RecipientTransferability', description: 'Every available EVM pair; empty for a TRON address.' },
)
