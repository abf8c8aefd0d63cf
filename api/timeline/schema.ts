import { type TProperties, Type } from '@sinclair/typebox'
import { TRANSACTION_SOURCES } from '../../shared/domain/charge.ts'
import { TRANSFER_REFUSALS } from '../../shared/domain/transfer.ts'
import {
  ExactAmount,
  NetworkName,
  nullable,
  oneOf,
  PresentedAddress,
  strictObject,
  Timestamp,
  TokenName,
} from '../schema.ts'

function entry<Properties extends TProperties>(types: readonly string[], properties: Properties) {
  return strictObject({ type: oneOf(types), at: Timestamp, ...properties })
}

const Doubt = {
  doubt: nullable(
    oneOf(['denied', 'struck'], {
      description:
        'Set if it is not on its chain after all. `denied`: a quorum of nodes shows its block without it; if it had counted, it still does. `struck`: it had counted, and counts no more. No status moves back.',
    }),
  ),
  struckAt: nullable(Timestamp),
}

const Amount = { amount: Type.Number({ minimum: 0 }), amountExact: ExactAmount }

/** One thing that happened to a charge. */
const TimelineEvent = Type.Union(
  [
    entry(['charge.created', 'charge.expired'], {}),
    entry(['transaction.detected'], {
      token: TokenName,
      network: NetworkName,
      txHash: nullable(Type.String()),
      ...Amount,
      source: oneOf(TRANSACTION_SOURCES),
      causedTransition: Type.Boolean(),
      creditedAt: nullable(Timestamp),
      refusal: nullable(
        oneOf(TRANSFER_REFUSALS, {
          description:
            "Why it never counts: the charge does not accept its pair; or it is the charge's own money, come back from its split or its escrow.",
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
    entry(['webhook.dispatched', 'webhook.delivered', 'webhook.failed'], {
      webhookId: Type.String(),
      deliveryId: Type.String(),
    }),
  ],
  { title: 'TimelineEvent', description: 'One thing that happened to a charge.' },
)

/** The answer of `GET /v1/charges/{id}/timeline`, oldest first. */
export const Timeline = Type.Array(TimelineEvent, { title: 'Timeline' })
