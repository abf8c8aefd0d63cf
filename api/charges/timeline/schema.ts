import { type TProperties, Type } from '@sinclair/typebox'
import { REFUND_TIMELINE_EVENTS } from '../../../shared/db/charges/api/timeline.ts'
import { TRANSACTION_SOURCES } from '../../../shared/domain/charge.ts'
import { TRANSFER_REJECTION_REASONS } from '../../../shared/domain/transfer.ts'
import {
  ExactAmount,
  NetworkName,
  nullable,
  PresentedAddress,
  strictObject,
  stringEnum,
  Timestamp,
  TokenName,
} from '../../http/schema.ts'

function entry<Properties extends TProperties>(types: readonly string[], properties: Properties) {
  return strictObject({ type: stringEnum(types), at: Timestamp, ...properties })
}

const Doubt = {
  doubt: nullable(
    stringEnum(['denied', 'struck'], {
      description:
        'Set if the transfer or distribution is not on its chain after all. `denied`: a quorum of nodes shows the block without it; if it was counted before, it still counts. `struck`: it was counted, but an operator has removed it, and it no longer counts. In neither case does the charge return to an earlier status.',
    }),
  ),
  struckAt: nullable(Timestamp),
}

const Amount = { amount: Type.Number({ minimum: 0 }), amountExact: ExactAmount }

/** One event in the history of a charge. */
const TimelineEvent = Type.Union(
  [
    entry(['charge.created', 'charge.expired'], {}),
    entry(['transaction.detected'], {
      token: TokenName,
      network: NetworkName,
      txHash: nullable(Type.String()),
      ...Amount,
      source: stringEnum(TRANSACTION_SOURCES),
      causedTransition: Type.Boolean(),
      creditedAt: nullable(Timestamp),
      refusal: nullable(
        stringEnum(TRANSFER_REJECTION_REASONS, {
          description:
            "Why the transfer never counts: the charge does not accept its pair; or it is the charge's own money, returned from its split or its escrow.",
        }),
      ),
      ...Doubt,
    }),
    entry(['split.distributed'], {
      token: TokenName,
      network: NetworkName,
      txHash: Type.String(),
      ...Amount,
      held: Type.Array(
        strictObject({ address: PresentedAddress, ...Amount, releasedAt: nullable(Timestamp) }),
      ),
      ...Doubt,
    }),
    entry(
      REFUND_TIMELINE_EVENTS.map((event) => `refund.${event}`),
      {
        refundId: Type.String(),
        token: TokenName,
        network: NetworkName,
        txHash: nullable(Type.String()),
        ...Amount,
      },
    ),
    entry(['webhook.dispatched', 'webhook.delivered', 'webhook.failed'], {
      webhookId: Type.String(),
      deliveryId: Type.String(),
    }),
  ],
  { title: 'TimelineEvent', description: 'One thing that happened to a charge.' },
)

/** The response of `GET /v1/charges/{id}/timeline`, oldest first. */
export const Timeline = Type.Array(TimelineEvent, { title: 'Timeline' })
