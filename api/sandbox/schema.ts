import { Type } from '@sinclair/typebox'
import { SANDBOX_TRIGGERS } from '../../shared/domain/sandbox-trigger.ts'
import { LOWERCASE_ADDRESS, NetworkName, strictObject, stringEnum, TokenName } from '../http/schema.ts'

/** The body of `POST /v1/sandbox/charges/{id}/trigger`. */
export const SandboxTriggerBody = strictObject(
  {
    event: stringEnum(SANDBOX_TRIGGERS, {
      title: 'SandboxEvent',
      description:
        'The event to trigger. `charge.refund_claimed` gives an address to the oldest simulated refund that waits for one, and `charge.refunded` confirms the oldest simulated refund that waits for its transfer.',
    }),
    amount: Type.Optional(
      Type.Number({
        description:
          'Amount of the simulated payment. Default: the amount due (`charge.confirmed`), half of the charge (`charge.partially_paid`), or the rest up to one and a half times the charge (`charge.overpaid`). Not allowed for other events.',
        exclusiveMinimum: 0,
        maximum: 999_999_999_999,
      }),
    ),
    token: Type.Optional(TokenName),
    network: Type.Optional(NetworkName),
    from: Type.Optional(
      Type.String({
        pattern: LOWERCASE_ADDRESS,
        description:
          'Sender of the simulated payment, who receives a refund of the escrow. Default: the releaser of the escrow.',
        examples: ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8'],
      }),
    ),
  },
  { title: 'SandboxTrigger', examples: [{ event: 'charge.confirmed' }] },
)
