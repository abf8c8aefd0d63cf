import { Type } from '@sinclair/typebox'
import { CHARGE_STATUSES, FEE_PAYERS, SETTLEMENT_STATUSES } from '../../shared/domain/charge.ts'
import { SWAP_TOKENS } from '../../shared/domain/networks.ts'
import {
  AcceptedPayment,
  EnvironmentName,
  NetworkName,
  nullable,
  oneOf,
  Paging,
  PresentedAddress,
  pageOf,
  strictObject,
  Timestamp,
  TokenName,
} from '../schema.ts'

/** Shown on the hosted checkout, and used by nothing else. */
const CheckoutProduct = strictObject({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 9999 })),
  imageUrl: Type.Optional(Type.String({ pattern: '^[hH][tT][tT][pP][sS]?://', maxLength: 2048 })),
})

/** Anything, but for the reserved key `service`. */
const Metadata = Type.Object({
  service: Type.Optional(
    strictObject({ products: Type.Optional(Type.Array(CheckoutProduct, { maxItems: 20 })) }),
  ),
})

const SplitRecipientInput = strictObject({
  recipientId: Type.String({ minLength: 1, maxLength: 100 }),
  percent: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
})

/** The body of `POST /v1/charges`, in the order of the specification's table. */
export const CreateChargeBody = strictObject({
  amount: Type.Number({ exclusiveMinimum: 0, maximum: 999_999_999_999 }),
  feePayer: Type.Optional(oneOf(FEE_PAYERS)),
  currency: Type.Optional(oneOf(['USD'])),
  acceptedPayments: Type.Array(AcceptedPayment, { minItems: 1, maxItems: 18, uniqueItems: true }),
  expiresIn: Type.Integer({ minimum: 60, maximum: 3600 }),
  idempotencyKey: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  externalRef: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  source: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  metadata: Type.Optional(Metadata),
  redirectUrl: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
  splitRecipients: Type.Optional(Type.Array(SplitRecipientInput, { maxItems: 5 })),
  escrow: Type.Optional(
    strictObject({ releaserAddress: Type.Optional(Type.String({ pattern: '^0x[0-9a-f]{40}$' })) }),
  ),
})

/** The query of `GET /v1/charges`. */
export const ListChargesQuery = strictObject({
  status: Type.Optional(oneOf(CHARGE_STATUSES)),
  token: Type.Optional(TokenName),
  network: Type.Optional(NetworkName),
  environment: Type.Optional(EnvironmentName),
  since: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
  isOverpaid: Type.Optional(oneOf(['true', 'false'])),
  ...Paging,
})

const SplitRecipientView = strictObject({
  address: PresentedAddress,
  percent: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
  label: Type.Optional(Type.String()),
})

/** A decimal without exponent, sign or trailing zeros. */
export const ExactAmount = Type.String({ pattern: '^(0|[1-9]\\d*)(\\.\\d*[1-9])?$' })

/** Everything needed to compute the charge's address again (decisions 3.1). */
const AddressTerms = strictObject({
  factory: PresentedAddress,
  salt: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
  recipients: Type.Array(
    strictObject({ address: PresentedAddress, allocation: Type.Integer({ minimum: 1, maximum: 1_000_000 }) }),
  ),
  totalAllocation: Type.Integer({ minimum: 1_000_000, maximum: 1_000_000 }),
  distributionIncentive: Type.Integer({ minimum: 0, maximum: 50_000 }),
  splitAddress: PresentedAddress,
  safe: nullable(
    strictObject({
      owner: PresentedAddress,
      threshold: Type.Integer({ minimum: 1, maximum: 1 }),
      singleton: PresentedAddress,
      proxyFactory: PresentedAddress,
      fallbackHandler: PresentedAddress,
    }),
  ),
})

/** A charge as every read, stream and webhook shows it. */
export const Charge = strictObject({
  id: Type.String({ pattern: '^ch_[0-9a-z]+$' }),
  amount: Type.Number({ exclusiveMinimum: 0 }),
  amountExact: Type.Optional(ExactAmount),
  feePayer: oneOf(FEE_PAYERS),
  feePercent: Type.Number({ minimum: 0, maximum: 100 }),
  feeAmount: Type.Number({ minimum: 0 }),
  merchantAmount: Type.Number({ minimum: 0 }),
  amountReceived: nullable(Type.Number({ minimum: 0 })),
  amountReceivedExact: Type.Optional(nullable(ExactAmount)),
  paymentUnavailable: Type.Optional(Type.Boolean()),
  isOverpaid: Type.Boolean(),
  currency: oneOf(['USD']),
  acceptedPayments: Type.Array(AcceptedPayment, { minItems: 1 }),
  paidWith: Type.Array(AcceptedPayment),
  swapAlternatives: Type.Array(strictObject({ token: oneOf(SWAP_TOKENS), network: NetworkName })),
  address: PresentedAddress,
  addressTerms: AddressTerms,
  status: oneOf(CHARGE_STATUSES),
  settlementStatus: nullable(oneOf(SETTLEMENT_STATUSES)),
  environment: EnvironmentName,
  apiKeyId: nullable(Type.String()),
  txHash: nullable(Type.String()),
  externalRef: nullable(Type.String()),
  source: nullable(Type.String()),
  metadata: nullable(Type.Object({})),
  redirectUrl: nullable(Type.String()),
  checkoutUrl: nullable(Type.String()),
  splitRecipients: Type.Array(SplitRecipientView),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  confirmedAt: nullable(Timestamp),
  settledAt: nullable(Timestamp),
  lastActivityAt: Timestamp,
  escrow: nullable(
    strictObject({
      releaserAddress: PresentedAddress,
      releasedAt: nullable(Timestamp),
      refundedAt: nullable(Timestamp),
    }),
  ),
})

/** One page of `GET /v1/charges`. */
export const ChargePage = pageOf(Charge)

/** The data of a stream's `confirmation_progress` event. */
export const ConfirmationProgress = strictObject({
  network: NetworkName,
  blocksSeen: Type.Integer({ minimum: 0 }),
  blocksRequired: Type.Integer({ minimum: 1 }),
  percent: Type.Integer({ minimum: 0, maximum: 99 }),
})
