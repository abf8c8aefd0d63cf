import { Type } from '@sinclair/typebox'
import { CHARGE_STATUSES, FEE_PAYERS, SETTLEMENT_STATUSES } from '../../shared/domain/charge.ts'
import {
  AcceptedPayment,
  buildPageSchema,
  describe,
  EnvironmentName,
  ExactAmount,
  NetworkName,
  nullable,
  PresentedAddress,
  strictObject,
  stringEnum,
  Timestamp,
} from '../http/schema.ts'
import { AddressTerms } from './address-terms-schema.ts'
import { EscrowView } from './escrow-schema.ts'
import { AuthorizationView, PaymentOptionView, SwapAsset } from './payment-schema.ts'
import { RefundableAmount, RefundSummary } from './refund-schema.ts'

/** Statuses of charges, as the API shows them. */
export const StatusName = stringEnum(CHARGE_STATUSES, {
  title: 'ChargeStatus',
  description:
    '`pending`: no payment credited; `partially_paid`: less than `amount` credited; `confirmed`: paid in full; `expired`: no payment in time; `underpaid`: less than `amount` in time.',
})

const SplitRecipientView = strictObject(
  {
    address: PresentedAddress,
    percent: Type.Number({
      exclusiveMinimum: 0,
      maximum: 100,
      description: "Share of the merchant's net amount, as given in the request.",
    }),
    label: Type.Optional(Type.String()),
  },
  { title: 'SplitRecipientView' },
)

/** A charge as shown by every endpoint, stream and webhook. */
export const Charge = strictObject(
  {
    id: Type.String({ pattern: '^ch_[0-9a-z]+$' }),
    amount: Type.Number({
      exclusiveMinimum: 0,
      description: 'Amount that the payer must send, in dollars. Never changes.',
    }),
    amountExact: Type.Optional(ExactAmount),
    feePayer: stringEnum(FEE_PAYERS),
    feePercent: Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Percentage of `amount`, including the escrow surcharge.',
    }),
    feeAmount: Type.Number({ minimum: 0 }),
    merchantAmount: Type.Number({
      minimum: 0,
      description: '`amount - feeAmount`: the amount for you and your split recipients.',
    }),
    amountReceived: nullable(Type.Number({ minimum: 0 }), {
      description: 'Sum of all credited transfers; null before the first. May exceed `amount`.',
    }),
    amountReceivedExact: Type.Optional(nullable(ExactAmount)),
    paymentUnavailable: Type.Optional(
      Type.Boolean({
        description:
          'Whether all accepted pairs are in `unavailablePayments` while a payment or the settlement is expected. If so, do not request payment. Omitted in webhooks and streams.',
      }),
    ),
    unavailablePayments: Type.Optional(
      Type.Array(AcceptedPayment, {
        description:
          'Accepted pairs that are paused, or whose network cannot be monitored, at the moment. Do not request payment on them. Omitted in webhooks and streams.',
      }),
    ),
    paymentOptions: Type.Optional(
      Type.Array(PaymentOptionView, {
        description:
          'Each accepted pair with the amount to send on it now: `amount`, less payments that were received or seen. The amount to send is null while no payment may be requested, for example while a payment by signature is in flight. Omitted in webhooks and streams.',
      }),
    ),
    isOverpaid: Type.Boolean({
      description: 'The received total exceeds `amount`. The surplus is not refunded automatically.',
    }),
    currency: stringEnum(['USD']),
    acceptedPayments: Type.Array(AcceptedPayment, { minItems: 1 }),
    paidWith: Type.Array(AcceptedPayment, { description: 'Pairs of credited transfers.' }),
    swapAlternatives: Type.Array(
      strictObject({ token: SwapAsset, network: NetworkName }, { title: 'SwapAlternative' }),
      { description: 'Further assets with which the charge can be paid through a swap.' },
    ),
    // Optional, as all fields that were added later, because stored events contain older charges.
    payBySignature: Type.Optional(
      Type.Array(AcceptedPayment, {
        description:
          'Pairs for which a payer can sign an authorization (EIP-3009) instead of sending a transaction, without a coin for gas. Omitted in webhooks and streams.',
      }),
    ),
    address: PresentedAddress,
    addressTerms: AddressTerms,
    status: StatusName,
    settlementStatus: nullable(
      stringEnum(SETTLEMENT_STATUSES, {
        title: 'SettlementStatus',
        description: 'Whether the merchant has been paid out.',
      }),
      { description: 'Null until a payout is queued.' },
    ),
    environment: EnvironmentName,
    apiKeyId: nullable(Type.String()),
    txHash: nullable(Type.String(), { description: 'Transaction of the most recently detected transfer.' }),
    externalRef: nullable(Type.String()),
    source: nullable(Type.String()),
    metadata: nullable(Type.Object({}, { additionalProperties: true })),
    redirectUrl: nullable(Type.String()),
    checkoutUrl: nullable(Type.String()),
    splitRecipients: Type.Array(SplitRecipientView),
    createdAt: Timestamp,
    expiresAt: Timestamp,
    confirmedAt: nullable(Timestamp),
    settledAt: nullable(Timestamp),
    lastActivityAt: Timestamp,
    escrow: nullable(EscrowView, {
      description: 'Null without escrow. An escrow is released or refunded once.',
    }),
    authorization: Type.Optional(
      nullable(AuthorizationView, {
        description: 'The last authorization that was accepted for the charge; null without authorization.',
      }),
    ),
    amountRefunded: Type.Optional(Type.Number({ minimum: 0 })),
    amountRefundedExact: Type.Optional(
      describe(
        ExactAmount,
        'The sum of the confirmed refunds, never more than `amountReceivedExact`, unless a counted payment was removed later.',
      ),
    ),
    refunds: Type.Optional(
      Type.Array(RefundSummary, {
        description:
          'Open and confirmed refunds that you pay from your own wallet, oldest first. A refund of an escrow is in `escrow` instead.',
      }),
    ),
    refundable: Type.Optional(
      Type.Array(RefundableAmount, {
        description:
          'The maximum of the next refund on each pair, without pairs on which nothing is left. Only in responses of `GET /v1/charges/{id}`, once the charge no longer waits for its payment.',
      }),
    ),
  },
  { title: 'Charge', description: 'A requested payment and its current state.' },
)

/** One page of `GET /v1/charges`. */
export const ChargePage = buildPageSchema(Charge)

/** The data of a stream's `confirmation_progress` event. */
export const ConfirmationProgress = strictObject(
  {
    network: NetworkName,
    blocksSeen: Type.Integer({ minimum: 0 }),
    blocksRequired: Type.Integer({ minimum: 1 }),
    percent: Type.Integer({ minimum: 0, maximum: 99 }),
  },
  { title: 'ConfirmationProgress', description: 'Confirmations of a detected transfer.' },
)
