import { Type } from '@sinclair/typebox'
import { CHAIN_FAMILY_NAMES } from '../../shared/domain/address.ts'
import { CHARGE_STATUSES, FEE_PAYERS, SETTLEMENT_STATUSES } from '../../shared/domain/charge.ts'
import { PUBLIC_AUTHORIZATION_STATUSES } from '../../shared/domain/eip3009/authorization-status.ts'
import { ESCROW_ACTIONS } from '../../shared/domain/escrow-action.ts'
import { SWAP_TOKENS } from '../../shared/domain/networks.ts'
import { REFUND_STATUSES } from '../../shared/domain/refund/refund.ts'
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
  TokenName,
} from '../http/schema.ts'

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

/** All values needed to recompute the charge's address (decisions 3.1). */
export const AddressTerms = strictObject(
  {
    // Optional, because events still contain charges that were created before families existed.
    family: Type.Optional(
      stringEnum(CHAIN_FAMILY_NAMES, {
        description: 'Determines the format of the addresses and how they are computed.',
      }),
    ),
    factory: PresentedAddress,
    salt: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'keccak256 of the id of the charge.' }),
    recipients: Type.Array(
      strictObject({
        address: PresentedAddress,
        allocation: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          description: 'Millionths of the amount left after the incentive.',
        }),
      }),
    ),
    totalAllocation: Type.Integer({ minimum: 1_000_000, maximum: 1_000_000 }),
    distributionIncentive: Type.Integer({
      minimum: 0,
      maximum: 50_000,
      description: 'Millionths of the total, paid to the account that distributes.',
    }),
    splitAddress: PresentedAddress,
    safe: nullable(
      strictObject({
        owner: PresentedAddress,
        threshold: Type.Integer({ minimum: 1, maximum: 1 }),
        singleton: PresentedAddress,
        proxyFactory: PresentedAddress,
        fallbackHandler: PresentedAddress,
      }),
      { description: 'The custody contract of an escrow charge.' },
    ),
  },
  {
    title: 'AddressTerms',
    description:
      'All values needed to recompute `address` without trusting the service: `npm run verify-address`.',
  },
)

export const SwapAsset = stringEnum(SWAP_TOKENS, {
  title: 'SwapAsset',
  description: 'An asset that can be swapped into a stablecoin.',
})

/** An accepted pair with all that a client needs to build the transfer. */
const PaymentOptionView = strictObject(
  {
    token: TokenName,
    network: NetworkName,
    family: stringEnum(CHAIN_FAMILY_NAMES),
    chainId: Type.Integer({ minimum: 1 }),
    contract: PresentedAddress,
    decimals: Type.Integer({
      minimum: 0,
      maximum: 18,
      description: 'Decimals of the token on this network. They differ: USDT has 6, and 18 on bnb.',
    }),
    dueAtomic: nullable(Type.String({ pattern: '^[1-9][0-9]*$' }), {
      description:
        'Amount to send now in the smallest unit of the token, rounded up. Null if no payment may be requested on this pair.',
    }),
    dueExact: nullable(ExactAmount, { description: '`dueAtomic` as an exact decimal.' }),
  },
  { title: 'PaymentOption' },
)

/** Progress of a refund. */
export const RefundStatusName = stringEnum(REFUND_STATUSES, {
  title: 'RefundStatus',
  description:
    '`awaiting_destination`: the payer has not given an address; `awaiting_approval`: the payer has given an address, and you must approve it; `awaiting_payment`: waits for the transfer from your wallet; `seen`: the transfer is in a block; `confirmed`: it has the required confirmations, final; `canceled`, `expired`: ended, but `confirmed` later if you pay nevertheless.',
})

const RefundSummary = strictObject(
  {
    id: Type.String(),
    status: RefundStatusName,
    token: TokenName,
    network: NetworkName,
    amount: Type.Number({ minimum: 0 }),
    amountExact: ExactAmount,
    destination: nullable(PresentedAddress, {
      description: 'Null until you have approved the payer’s address.',
    }),
    txHash: nullable(Type.String()),
  },
  { title: 'RefundSummary', description: 'A refund of a charge.' },
)

const RefundableAmount = strictObject(
  {
    token: TokenName,
    network: NetworkName,
    amount: Type.Number({ exclusiveMinimum: 0 }),
    amountExact: ExactAmount,
  },
  { title: 'RefundableAmount' },
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
      description: '`amount - feeAmount`: the amount that you net.',
    }),
    amountReceived: nullable(Type.Number({ minimum: 0 }), {
      description: 'Sum of all credited transfers; null before the first. May exceed `amount`.',
    }),
    amountReceivedExact: Type.Optional(nullable(ExactAmount)),
    paymentUnavailable: Type.Optional(
      Type.Boolean({
        description:
          'Payments cannot be monitored at the moment on any accepted pair. Do not request payment. Omitted in webhooks and streams.',
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
          'Each accepted pair with the amount to send on it now, less what was received or is seen on its way; null while none may be requested, for example while a payment by signature is in flight. Omitted in webhooks and streams.',
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
    // Optional like all fields that were added later, because events still contain older charges.
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
    escrow: nullable(
      strictObject({
        releaserAddress: PresentedAddress,
        releasedAt: nullable(Timestamp),
        refundedAt: nullable(Timestamp),
        pendingAction: nullable(stringEnum(ESCROW_ACTIONS), {
          description:
            'The action that the releaser ordered through the service, until the chain shows it with the required confirmations. Null again after that, or when the order ended without effect.',
        }),
      }),
      { description: 'Null without escrow. An escrow is released or refunded once.' },
    ),
    authorization: Type.Optional(
      nullable(
        strictObject({
          state: stringEnum(PUBLIC_AUTHORIZATION_STATUSES, {
            description:
              '`signed`: in progress, so no one may sign another; `mined`: in a block, and credited after the required confirmations like every payment; `canceled`, `reverted`, `lapsed`: ended without payment.',
          }),
          txHash: nullable(Type.String(), {
            description:
              'The transaction that currently executes the payment. Another transaction might replace it.',
          }),
          network: NetworkName,
          token: TokenName,
          payer: PresentedAddress,
        }),
        {
          description: 'The last authorization that was accepted for the charge; null without authorization.',
        },
      ),
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
          'The maximum of the next refund of each pair, without pairs on which nothing is left. Only in responses of `GET /v1/charges/{id}`, once the charge no longer waits for its payment.',
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
