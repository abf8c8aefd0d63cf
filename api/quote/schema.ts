import { Type } from '@sinclair/typebox'
import { SWAP_TOKENS } from '../../shared/domain/networks.ts'
import { NetworkName, nullable, oneOf, strictObject, Timestamp } from '../schema.ts'

/** The body of `POST /v1/charges/{id}/quote`. */
export const QuoteBody = strictObject(
  { inputToken: oneOf(SWAP_TOKENS), inputNetwork: NetworkName, takerAddress: Type.String() },
  {
    title: 'RequestQuote',
    examples: [
      {
        inputToken: 'ETH',
        inputNetwork: 'base',
        takerAddress: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      },
    ],
  },
)

const ExactFee = Type.Optional(nullable(Type.String()))

/** What `POST /v1/charges/{id}/quote` answers once a swap provider is configured. */
export const SwapQuote = strictObject(
  {
    inputAmount: Type.Number({ exclusiveMinimum: 0 }),
    inputAmountExact: Type.Optional(Type.String()),
    outputAmount: Type.Number({ exclusiveMinimum: 0 }),
    outputAmountExact: Type.Optional(Type.String()),
    fees: strictObject({
      serviceFee: Type.Number({ minimum: 0 }),
      providerFee: nullable(Type.Number({ minimum: 0 })),
      serviceFeeExact: ExactFee,
      providerFeeExact: ExactFee,
    }),
    transaction: Type.Object({}),
    permit2: nullable(Type.Object({})),
    expiresAt: Timestamp,
    allowanceTarget: nullable(
      Type.String({ description: 'Whom the payer allows to spend the input token.' }),
    ),
  },
  { title: 'SwapQuote' },
)
