import { type Static, Type } from '@sinclair/typebox'
import { FEE_PAYERS } from '../../shared/domain/charge.ts'
import { ALL_PAIRS } from '../../shared/domain/networks.ts'
import type { Request } from '../http/route.ts'
import {
  AcceptedPayment,
  EnvironmentName,
  LOWERCASE_ADDRESS,
  Paging,
  PairQuery,
  strictObject,
  stringEnum,
} from '../http/schema.ts'
import { StatusName } from './schema.ts'

/** A product for display on the hosted checkout. */
const CheckoutProduct = strictObject({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 9999 })),
  imageUrl: Type.Optional(
    Type.String({
      pattern: '^[hH][tT][tT][pP][sS]?://',
      maxLength: 2048,
      description: "Fetched by the payer's browser only. Its host must be public.",
    }),
  ),
})

/** Any object, except that the key `service` is reserved. */
const Metadata = Type.Object(
  {
    service: Type.Optional(
      strictObject(
        { products: Type.Optional(Type.Array(CheckoutProduct, { maxItems: 20 })) },
        { description: 'Reserved for products shown on the hosted checkout. Never compared with `amount`.' },
      ),
    ),
  },
  {
    additionalProperties: true,
    description: 'Your own keys and values, returned unchanged: at most 16 KiB of text without `service`.',
  },
)

const SplitRecipientInput = strictObject(
  {
    recipientId: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Id of a registered recipient, `rc_…`.',
    }),
    percent: Type.Number({
      exclusiveMinimum: 0,
      maximum: 100,
      description: "Share of the merchant's net amount, not of `amount`. Up to 20 fractional digits.",
    }),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  },
  { title: 'SplitRecipientInput' },
)

/** The body of `POST /v1/charges`, in the order of the specification's table. */
export const CreateChargeBody = strictObject(
  {
    amount: Type.Number({
      exclusiveMinimum: 0,
      maximum: 999_999_999_999,
      description:
        'Dollars. Digits after the sixth decimal place are cut off. The service may have a minimum for live charges. An amount below it returns `400 validation_error` with the minimum in the message.',
    }),
    feePayer: Type.Optional(
      stringEnum(FEE_PAYERS, {
        default: 'merchant',
        description: 'With `payer` the fee is added on top, so that you net `amount`.',
      }),
    ),
    currency: Type.Optional(stringEnum(['USD'], { default: 'USD' })),
    acceptedPayments: Type.Array(AcceptedPayment, {
      minItems: 1,
      maxItems: ALL_PAIRS.length,
      uniqueItems: true,
      description:
        'Pairs from `GET /v1/networks`, all of one family: TRON cannot be combined with EVM networks.',
    }),
    expiresIn: Type.Integer({
      minimum: 60,
      maximum: 3600,
      description: 'Seconds until the charge stops accepting payments.',
    }),
    idempotencyKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'Repeating the key with the same body returns the existing charge; with a different body or payout address, `409`. The header `Idempotency-Key` is an alternative.',
      }),
    ),
    externalRef: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Your reference, such as an order number. Returned unchanged.',
      }),
    ),
    source: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Your own label. Returned unchanged.' }),
    ),
    metadata: Type.Optional(Metadata),
    redirectUrl: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'URL to which the checkout sends the payer: http or https, without credentials.',
      }),
    ),
    splitRecipients: Type.Optional(
      Type.Array(SplitRecipientInput, {
        maxItems: 5,
        description: 'Further payees. Their percentages may add up to at most `100 - feePercent`.',
      }),
    ),
    escrow: Type.Optional(
      strictObject(
        {
          releaserAddress: Type.Optional(
            Type.String({
              pattern: LOWERCASE_ADDRESS,
              description:
                "Account that may release or refund; by default the API key's payout address. Cannot be changed later.",
            }),
          ),
        },
        {
          description:
            'Holds the payments in a Safe owned by the releaser until they release or refund them. EVM networks only.',
        },
      ),
    ),
  },
  {
    title: 'CreateCharge',
    examples: [
      { amount: 10, expiresIn: 3600, acceptedPayments: [{ token: 'USDC', network: 'base' }] },
      { amount: 25, expiresIn: 3600, acceptedPayments: [{ token: 'USDT', network: 'tron' }] },
    ],
  },
)

/** A valid request for a new charge. */
export type CreateChargeRequest = Request<unknown, Static<typeof CreateChargeBody>>

/** The query of `GET /v1/charges`. */
export const ListChargesQuery = strictObject({
  status: Type.Optional(StatusName),
  ...PairQuery,
  environment: Type.Optional(EnvironmentName),
  since: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'Only charges created at or after this timestamp.',
      examples: ['2026-11-01T00:00:00Z'],
    }),
  ),
  until: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'Only charges created before this timestamp.',
      examples: ['2026-12-01T00:00:00Z'],
    }),
  ),
  externalRef: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Only charges with exactly this `externalRef`.',
    }),
  ),
  isOverpaid: Type.Optional(stringEnum(['true', 'false'])),
  ...Paging,
})
