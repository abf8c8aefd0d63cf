import { Type } from '@sinclair/typebox'
import { ADDRESS_FAMILIES } from '../../shared/domain/address.ts'
import { AUTHORIZATION_STATES } from '../../shared/domain/authorization-status.ts'
import { CHARGE_STATUSES, FEE_PAYERS, SETTLEMENT_STATUSES } from '../../shared/domain/charge.ts'
import { ESCROW_ACTIONS } from '../../shared/domain/escrow-action.ts'
import { ALL_PAIRS, SWAP_TOKENS } from '../../shared/domain/networks.ts'
import {
  AcceptedPayment,
  EnvironmentName,
  ExactAmount,
  LOWERCASE_ADDRESS,
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
  imageUrl: Type.Optional(
    Type.String({
      pattern: '^[hH][tT][tT][pP][sS]?://',
      maxLength: 2048,
      description: "Fetched by the payer's browser only. Its host must be public.",
    }),
  ),
})

/** Anything, but for the reserved key `service`. */
const Metadata = Type.Object(
  {
    service: Type.Optional(
      strictObject(
        { products: Type.Optional(Type.Array(CheckoutProduct, { maxItems: 20 })) },
        { description: 'Reserved: what the hosted checkout shows. Never compared with `amount`.' },
      ),
    ),
  },
  {
    additionalProperties: true,
    description:
      'Your own keys and values, returned as the text they were: at most 16 KiB of it besides `service`.',
  },
)

const SplitRecipientInput = strictObject(
  {
    recipientId: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'A recipient registered before, `rc_…`.',
    }),
    percent: Type.Number({
      exclusiveMinimum: 0,
      maximum: 100,
      description: "Of the merchant's net share, not of `amount`; up to 20 fractional digits.",
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
        'Dollars; digits after the sixth are cut off. The service may have a minimum for live charges: below it `400 validation_error`, whose message names it.',
    }),
    feePayer: Type.Optional(
      oneOf(FEE_PAYERS, {
        default: 'merchant',
        description: 'With `payer` the charge is grossed up, so that you net `amount`.',
      }),
    ),
    currency: Type.Optional(oneOf(['USD'], { default: 'USD' })),
    acceptedPayments: Type.Array(AcceptedPayment, {
      minItems: 1,
      maxItems: ALL_PAIRS.length,
      uniqueItems: true,
      description:
        'Pairs that `GET /v1/networks` lists, all of one family: TRON does not mix with EVM networks.',
    }),
    expiresIn: Type.Integer({
      minimum: 60,
      maximum: 3600,
      description: 'Seconds until it stops accepting payment.',
    }),
    idempotencyKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'The same key with the same body answers the charge there is; with another body `409`. The header `Idempotency-Key` means the same.',
      }),
    ),
    externalRef: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Yours, such as an order number; echoed.' }),
    ),
    source: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'A label of yours; echoed.' }),
    ),
    metadata: Type.Optional(Metadata),
    redirectUrl: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'http or https, without credentials; where the checkout sends the payer.',
      }),
    ),
    splitRecipients: Type.Optional(
      Type.Array(SplitRecipientInput, {
        maxItems: 5,
        description: 'Whom to pay besides; the percents add up to at most `100 - feePercent`.',
      }),
    ),
    escrow: Type.Optional(
      strictObject(
        {
          releaserAddress: Type.Optional(
            Type.String({
              pattern: LOWERCASE_ADDRESS,
              description:
                "Who may release or refund; otherwise the API key's payout address. Cannot be changed.",
            }),
          ),
        },
        {
          description:
            'Holds the money in a Safe of the releaser until he releases or refunds it; EVM networks only.',
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

const StatusName = oneOf(CHARGE_STATUSES, {
  title: 'ChargeStatus',
  description:
    '`pending`: nothing credited; `partially_paid`; `confirmed`: paid in full; `expired`: nothing came in time; `underpaid`: too little did.',
})

/** The query of `GET /v1/charges`. */
export const ListChargesQuery = strictObject({
  status: Type.Optional(StatusName),
  token: Type.Optional(TokenName),
  network: Type.Optional(NetworkName),
  environment: Type.Optional(EnvironmentName),
  since: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'A timestamp: charges created at or after it.',
      examples: ['2026-11-01T00:00:00Z'],
    }),
  ),
  until: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'A timestamp: charges created before it.',
      examples: ['2026-12-01T00:00:00Z'],
    }),
  ),
  externalRef: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Exactly this `externalRef`.' }),
  ),
  isOverpaid: Type.Optional(oneOf(['true', 'false'])),
  ...Paging,
})

const SplitRecipientView = strictObject(
  {
    address: PresentedAddress,
    percent: Type.Number({
      exclusiveMinimum: 0,
      maximum: 100,
      description: "Of the merchant's net share, as it was given.",
    }),
    label: Type.Optional(Type.String()),
  },
  { title: 'SplitRecipientView' },
)

/** Everything needed to compute the charge's address again (decisions 3.1). */
const AddressTerms = strictObject(
  {
    // Optional, for events tell of charges that were made before there were families.
    family: Type.Optional(
      oneOf(ADDRESS_FAMILIES, { description: 'Of its addresses, and of how they are computed.' }),
    ),
    factory: PresentedAddress,
    salt: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: "keccak256 of the charge's id." }),
    recipients: Type.Array(
      strictObject({
        address: PresentedAddress,
        allocation: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          description: 'Millionths of what the incentive leaves.',
        }),
      }),
    ),
    totalAllocation: Type.Integer({ minimum: 1_000_000, maximum: 1_000_000 }),
    distributionIncentive: Type.Integer({
      minimum: 0,
      maximum: 50_000,
      description: 'Millionths of the whole, for whoever distributes.',
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
      'Everything needed to compute `address` again, without trusting us: `npm run verify-address`.',
  },
)

/** A charge as every read, stream and webhook shows it. */
export const Charge = strictObject(
  {
    id: Type.String({ pattern: '^ch_[0-9a-z]+$' }),
    amount: Type.Number({
      exclusiveMinimum: 0,
      description: 'What the payer must send, in dollars; never changes.',
    }),
    amountExact: Type.Optional(ExactAmount),
    feePayer: oneOf(FEE_PAYERS),
    feePercent: Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Of `amount`, escrow surcharge included.',
    }),
    feeAmount: Type.Number({ minimum: 0 }),
    merchantAmount: Type.Number({ minimum: 0, description: '`amount - feeAmount`: what you net.' }),
    amountReceived: nullable(Type.Number({ minimum: 0 }), {
      description: 'All credited transfers together; null until the first. May exceed `amount`.',
    }),
    amountReceivedExact: Type.Optional(nullable(ExactAmount)),
    paymentUnavailable: Type.Optional(
      Type.Boolean({ description: 'Payments cannot be watched now: do not ask anybody to pay.' }),
    ),
    isOverpaid: Type.Boolean({ description: 'More than `amount` came; it is never refunded by itself.' }),
    currency: oneOf(['USD']),
    acceptedPayments: Type.Array(AcceptedPayment, { minItems: 1 }),
    paidWith: Type.Array(AcceptedPayment, { description: 'Pairs of credited transfers.' }),
    swapAlternatives: Type.Array(
      strictObject({ token: oneOf(SWAP_TOKENS), network: NetworkName }, { title: 'SwapAlternative' }),
      { description: 'What else it can be paid with, through a swap.' },
    ),
    // Optional, as all that came later: events tell of charges that were made before.
    payBySignature: Type.Optional(
      Type.Array(AcceptedPayment, {
        description:
          'Pairs that a payer can sign for instead of sending it (EIP-3009), without a coin for gas. Left out in events.',
      }),
    ),
    address: PresentedAddress,
    addressTerms: AddressTerms,
    status: StatusName,
    settlementStatus: nullable(
      oneOf(SETTLEMENT_STATUSES, {
        title: 'SettlementStatus',
        description: 'Whether the merchant has his money.',
      }),
      { description: 'Null while no payout was queued.' },
    ),
    environment: EnvironmentName,
    apiKeyId: nullable(Type.String()),
    txHash: nullable(Type.String(), { description: 'The most recent detected transfer.' }),
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
        pendingAction: nullable(oneOf(ESCROW_ACTIONS), {
          description:
            'What the releaser has ordered here and the chain does not show at its depth yet. Null again once it does, or when the order ended without effect.',
        }),
      }),
      { description: 'Null without escrow; released or refunded once.' },
    ),
    authorization: Type.Optional(
      nullable(
        strictObject({
          state: oneOf(AUTHORIZATION_STATES, {
            description:
              '`signed`: under way, nobody is to sign another; `mined`: in a block, credited at its depth like every payment; `canceled`, `reverted`, `lapsed`: it never will be.',
          }),
          txHash: nullable(Type.String(), { description: 'Of what carries it out now; another may yet.' }),
          network: NetworkName,
          token: TokenName,
          payer: PresentedAddress,
        }),
        { description: 'What a payer signed for it last and was taken; null if nothing was.' },
      ),
    ),
  },
  { title: 'Charge', description: 'A payment that is asked for, and how far it is.' },
)

/** One page of `GET /v1/charges`. */
export const ChargePage = pageOf(Charge)

/** The data of a stream's `confirmation_progress` event. */
export const ConfirmationProgress = strictObject(
  {
    network: NetworkName,
    blocksSeen: Type.Integer({ minimum: 0 }),
    blocksRequired: Type.Integer({ minimum: 1 }),
    percent: Type.Integer({ minimum: 0, maximum: 99 }),
  },
  { title: 'ConfirmationProgress', description: 'How deep a transfer that was seen lies already.' },
)
