import { Type } from '@sinclair/typebox'
import { REFUND_REASONS } from '../../shared/domain/refund/refund.ts'
import { REFUND_AMOUNT } from '../../shared/domain/refund/refund-limits.ts'
import { RefundStatusName } from '../charges/refund-schema.ts'
import {
  describe,
  ExactAmount,
  extendObject,
  HexData,
  IntegerText,
  NetworkName,
  nullable,
  PresentedAddress,
  strictObject,
  stringEnum,
  Timestamp,
  TokenName,
} from '../http/schema.ts'

const ReasonName = stringEnum(REFUND_REASONS, {
  title: 'RefundReason',
  description: 'Your reason, for your own records.',
})

/** The body of `POST /v1/charges/{id}/refunds`. */
export const CreateRefundBody = strictObject(
  {
    amount: Type.String({
      pattern: REFUND_AMOUNT.source,
      description:
        'An exact decimal, as text, in the token that was paid; `all` for everything that is left; `overpayment` for the part above the charge’s `amount`. More fractional digits than the token has are rejected.',
    }),
    token: Type.Optional(TokenName),
    network: Type.Optional(NetworkName),
    from: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'The wallet that will pay, a recipient with `payout`. Default: the payout address of the charge. A transfer from any other wallet does not count.',
      }),
    ),
    destination: strictObject(
      {
        address: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 100,
            description:
              'The address that the payer gave you. The sender of the payment may be an exchange, which cannot credit a refund to the payer.',
          }),
        ),
        claim: Type.Optional(
          Type.Literal(true, {
            description:
              'The payer names the address, on the page at `claimUrl` in the response. You approve the address.',
          }),
        ),
      },
      { minProperties: 1, maxProperties: 1, description: 'Either `address` or `claim`.' },
    ),
    reason: Type.Optional(ReasonName),
    idempotencyKey: Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        'Repeating the key with the same body returns the existing refund; with a different body, `409`.',
    }),
  },
  {
    title: 'CreateRefund',
    examples: [
      {
        amount: '5.25',
        destination: { address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
        reason: 'requested_by_customer',
        idempotencyKey: 'refund-of-order-1001',
      },
    ],
  },
)

/** The body of `POST /v1/refunds/{id}/approve`. */
export const ApproveRefundBody = strictObject(
  {
    address: Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'The payer’s address again. Copy it from the payer’s own message if you have one, and otherwise from `claim.address`, after a person has checked it.',
    }),
  },
  { title: 'ApproveRefund', examples: [{ address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }] },
)

/** The body of `POST /v1/refunds/{id}/check`. */
export const CheckRefundBody = strictObject(
  {
    txHash: Type.Optional(
      Type.String({
        pattern: '^(0x)?[0-9a-fA-F]{64}$',
        description:
          'Hash of the transaction that contains the transfer. The service reads the transaction from the chain.',
      }),
    ),
  },
  { title: 'CheckRefund' },
)

const RefundPayment = strictObject(
  {
    chainId: Type.Integer({ minimum: 1 }),
    to: describe(PresentedAddress, 'The contract of the token.'),
    data: HexData,
    value: IntegerText,
    uri: describe(Type.String(), 'The same transfer as a payment URI, for a QR code.'),
  },
  {
    title: 'RefundPayment',
    description:
      'The transfer for your wallet to send. Before you sign, compare destination and amount with your own values.',
  },
)

const RefundClaim = strictObject(
  {
    address: PresentedAddress,
    signer: nullable(PresentedAddress, {
      description:
        'An account that had sent at least the amount on this pair before the declaration, if it signed the claim. Compare it with the sender of the payment that you return. Null: anyone with the link may have given the address.',
    }),
    claimedAt: Timestamp,
  },
  { title: 'RefundClaim', description: 'The address that the payer gave. You must approve it.' },
)

/** A refund that a merchant pays from their own wallet. */
export const Refund = strictObject(
  {
    id: Type.String(),
    chargeId: Type.String(),
    status: RefundStatusName,
    amount: Type.Number({ minimum: 0 }),
    amountExact: ExactAmount,
    amountAtomic: describe(IntegerText, 'The amount in the token’s smallest unit (see `decimals`).'),
    decimals: Type.Integer({ description: 'Decimals of the token; 18 for a simulated payment.' }),
    amountCountedExact: nullable(ExactAmount, {
      description:
        'The part that counts as refunded; null until the refund is confirmed. Less than the amount if the charge had less left to refund: you paid a refund that had ended, or a counted payment was removed.',
    }),
    token: TokenName,
    network: NetworkName,
    simulated: Type.Boolean({
      description: 'Whether the payment was simulated by the sandbox and is on no chain.',
    }),
    from: describe(PresentedAddress, 'The wallet that must send the transfer.'),
    destination: nullable(PresentedAddress, {
      description: 'Null until you have approved the payer’s address.',
    }),
    claim: nullable(RefundClaim, {
      description:
        'Null until the payer gives an address, after you reject it, and if you named the address.',
    }),
    reason: ReasonName,
    payment: nullable(RefundPayment, {
      description: 'Null unless the refund awaits its payment, and for a simulated payment.',
    }),
    txHash: nullable(Type.String()),
    createdAt: Timestamp,
    expiresAt: Timestamp,
    confirmedAt: nullable(Timestamp),
  },
  {
    title: 'Refund',
    description:
      'Money that you return to a payer from your own wallet. The service prepares the transfer and recognizes it on the chain.',
  },
)

/** The response to a request that creates a link for the payer. */
export const RefundWithLink = extendObject(
  Refund,
  {
    claimUrl: nullable(Type.String(), {
      description:
        'The page on which the payer gives an address. Send it to the payer only: it is a secret, and it is shown only in this response. Null without a link and for a repeated request; `claim-link` creates a new link.',
    }),
  },
  { title: 'RefundWithLink' },
)

/** The response of `GET /v1/charges/{id}/refunds`, newest first. */
export const RefundList = Type.Array(Refund, { title: 'RefundList' })
