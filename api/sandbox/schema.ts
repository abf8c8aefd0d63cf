import { Type } from '@sinclair/typebox'
import { SANDBOX_EVENTS } from '../../shared/domain/sandbox-trigger.ts'
import { LOWERCASE_ADDRESS, NetworkName, oneOf, strictObject, TokenName } from '../schema.ts'

/** The body of `POST /v1/sandbox/charges/{id}/trigger`. */
export const SandboxTriggerBody = strictObject(
  {
    event: oneOf(SANDBOX_EVENTS, {
      title: 'SandboxEvent',
      description: 'What is to happen to the charge.',
    }),
    amount: Type.Optional(
      Type.Number({
        description:
          'Of the simulated payment. By default what is missing (`charge.confirmed`), half of the charge (`charge.partially_paid`), or what makes one and a half of it (`charge.overpaid`); the other events have none.',
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
          'Who makes the simulated payment, whom a refund of its escrow goes to. By default the releaser of the escrow.',
        examples: ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8'],
      }),
    ),
  },
  { title: 'SandboxTrigger', examples: [{ event: 'charge.confirmed' }] },
)
