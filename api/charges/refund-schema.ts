import { Type } from '@sinclair/typebox'
import { REFUND_STATUSES } from '../../shared/domain/refund/refund.ts'
import {
  ExactAmount,
  NetworkName,
  nullable,
  PresentedAddress,
  strictObject,
  stringEnum,
  TokenName,
} from '../http/schema.ts'

/** Status of a refund. */
export const RefundStatusName = stringEnum(REFUND_STATUSES, {
  title: 'RefundStatus',
  description:
    '`awaiting_destination`: the payer has not given an address; `awaiting_approval`: the payer has given an address, and you must approve it; `awaiting_payment`: waits for the transfer from your wallet; `seen`: the transfer is in a block; `confirmed`: it has the required confirmations, final; `canceled`, `expired`: ended, but `confirmed` later if you pay nevertheless.',
})

/** A refund as listed in its charge. */
export const RefundSummary = strictObject(
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

/** The maximum of the next refund on one pair. */
export const RefundableAmount = strictObject(
  {
    token: TokenName,
    network: NetworkName,
    amount: Type.Number({ exclusiveMinimum: 0 }),
    amountExact: ExactAmount,
  },
  { title: 'RefundableAmount' },
)
