import { type TString, Type } from '@sinclair/typebox'
import {
  describe,
  NetworkName,
  nullable,
  PresentedAddress,
  strictObject,
  stringEnum,
  Timestamp,
  TokenName,
} from '../../http/schema.ts'

const SignedAmount = Type.String({
  title: 'SignedAmount',
  description: 'A decimal without exponent or trailing zeros, and with a sign if it is negative.',
  pattern: '^(0|-?[1-9]\\d*|-?(0|[1-9]\\d*)\\.\\d*[1-9])$',
  examples: ['54.450001'],
})

const AtomicAmount = Type.String({
  title: 'AtomicAmount',
  description: 'An integer in units of 10^-`decimals` of the token, with a sign if it is negative.',
  pattern: '^(0|-?[1-9]\\d*)$',
  examples: ['54450001'],
})

const FIGURES = {
  received:
    'Counted payments. With `uncredited`, it is the sum of all other figures except `walletRefunded`.',
  net: "Paid to the merchant's own address.",
  fee: 'Paid to the service.',
  incentive:
    "Paid to the distributors. If the merchant's own wallet distributed, that wallet received the incentive.",
  otherShares: 'Paid to split recipients.',
  held: 'In the split, because a recipient cannot be paid: shares of the merchant and of other recipients.',
  escrowRefunded: 'Moved out of the escrow to an address other than the split.',
  walletRefunded: 'Refunded by the merchant out of their own wallet. Not deducted from `net`.',
  pending: 'In the split or the escrow, not distributed yet.',
  rounding: 'Less than one unit of the token, which no split can pay out. Occurs on arc only.',
  uncredited:
    'Paid out by the split, or moved out of the escrow, although no counted payment covers it: someone sent it directly to the split of an escrow charge, or its payment is found later.',
} as const

/** Names of the amounts in a charge's accounting. */
export const FIGURE_NAMES = Object.keys(FIGURES) as readonly (keyof typeof FIGURES)[]

const Share = strictObject(
  {
    address: PresentedAddress,
    kind: stringEnum(['merchant', 'recipient', 'treasury']),
    recipientId: nullable(Type.String()),
    label: nullable(Type.String()),
    amountAtomic: describe(AtomicAmount, 'Paid out.'),
    heldAtomic: describe(AtomicAmount, 'Held by the split for this address.'),
  },
  { title: 'AccountingShare', description: 'The amounts paid to and held for one address of the split.' },
)

const Payment = strictObject(
  {
    txHash: nullable(Type.String()),
    amountAtomic: describe(AtomicAmount, 'The counted amount.'),
    sender: nullable(PresentedAddress),
    block: nullable(Type.Integer()),
    blockTime: Timestamp,
    creditedAt: Timestamp,
    onTime: Type.Boolean(),
  },
  { title: 'AccountingPayment', description: 'A counted payment.' },
)

const Payout = strictObject(
  {
    txHash: nullable(Type.String()),
    amountAtomic: describe(AtomicAmount, 'The distributed amount, including the incentive.'),
    distributor: nullable(PresentedAddress),
    incentiveToDistributor: Type.Boolean(),
    block: nullable(Type.Integer()),
    blockTime: Timestamp,
  },
  { title: 'AccountingPayout', description: 'A distribution of the split.' },
)

const PairAccounting = strictObject(
  {
    network: NetworkName,
    token: TokenName,
    decimals: Type.Integer({
      description:
        "Decimals of the atomic amounts here: the token's, or 18 if an amount on arc is not a whole number of units.",
    }),
    tokenAddress: nullable(PresentedAddress),
    simulated: Type.Boolean({
      description: 'Whether the payments were simulated by the sandbox and are on no chain.',
    }),
    ...describeFigures('Atomic', AtomicAmount),
    distributedAtomic: describe(
      AtomicAmount,
      'Distributed by the split, including incentives and held shares.',
    ),
    shares: Type.Array(Share),
    payers: Type.Array(PresentedAddress, {
      description: 'Senders of the listed payments. Not identities: an exchange sends for many customers.',
    }),
    payments: Type.Array(Payment),
    payouts: Type.Array(Payout),
  },
  { title: 'PairAccounting', description: 'The books of a charge in one token on one network.' },
)

/** The response of `GET /v1/charges/{id}/accounting`. */
export const ChargeAccounting = strictObject(
  {
    ...describeFigures('Exact', SignedAmount),
    refundedExact: describe(
      SignedAmount,
      'Returned to payers: the sum of `escrowRefundedExact` and `walletRefundedExact`.',
    ),
    pairs: Type.Array(PairAccounting),
  },
  {
    title: 'ChargeAccounting',
    description:
      'The exact amounts that a charge received and paid out. `amount`, `feeAmount` and `merchantAmount` of the charge are computed from the requested amount instead.',
  },
)

function describeFigures(suffix: 'Atomic' | 'Exact', amount: TString) {
  return Object.fromEntries(FIGURE_NAMES.map((name) => [`${name}${suffix}`, describe(amount, FIGURES[name])]))
}
