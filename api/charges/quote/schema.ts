import { Type } from '@sinclair/typebox'
import {
  Bytes32,
  Eip712Fields,
  ExactAmount,
  HexData,
  NetworkName,
  nullable,
  PresentedAddress,
  strictObject,
  stringEnum,
  Timestamp,
  TokenName,
} from '../../http/schema.ts'
import { SwapAsset } from '../payment-schema.ts'

/** The body of `POST /v1/charges/{id}/quote`. */
export const QuoteBody = strictObject(
  { inputToken: SwapAsset, inputNetwork: NetworkName, takerAddress: Type.String() },
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

const Wei = Type.String({ pattern: '^[0-9]{1,78}$' })

const SwapTransaction = strictObject(
  {
    to: PresentedAddress,
    data: HexData,
    value: Type.String({
      pattern: '^[0-9]{1,78}$',
      description: 'Amount of the native coin in wei, as a decimal string; "0" for an ERC-20 input.',
    }),
    gas: Type.Optional(Wei),
  },
  { title: 'SwapTransaction', description: 'The transaction that the wallet of `takerAddress` sends.' },
)

const SwapPermit = strictObject(
  {
    type: stringEnum(['Permit2']),
    hash: Bytes32,
    eip712: strictObject({
      domain: strictObject({
        name: Type.String(),
        chainId: Type.Integer(),
        verifyingContract: PresentedAddress,
      }),
      types: strictObject({
        EIP712Domain: Eip712Fields,
        PermitTransferFrom: Eip712Fields,
        TokenPermissions: Eip712Fields,
      }),
      primaryType: stringEnum(['PermitTransferFrom']),
      message: strictObject({
        permitted: strictObject({ token: PresentedAddress, amount: Wei }),
        spender: PresentedAddress,
        nonce: Wei,
        deadline: Wei,
      }),
    }),
  },
  {
    title: 'SwapPermit',
    description:
      'For an ERC-20 input: sign `eip712` as typed data. Append the length of the signature as 32 bytes to `transaction.data`, then the signature.',
  },
)

/** The response of `POST /v1/charges/{id}/quote`. */
export const SwapQuote = strictObject(
  {
    inputToken: SwapAsset,
    inputNetwork: NetworkName,
    inputAmount: Type.Number({
      exclusiveMinimum: 0,
      description: 'Maximum cost. The same transaction returns the unused part.',
    }),
    inputAmountExact: Type.Optional(ExactAmount),
    outputToken: TokenName,
    outputNetwork: NetworkName,
    outputAmount: Type.Number({
      exclusiveMinimum: 0,
      description:
        'Amount that the charge receives: the amount due, rounded up to the token’s smallest unit.',
    }),
    outputAmountExact: Type.Optional(ExactAmount),
    fees: strictObject(
      {
        serviceFee: Type.Number({ minimum: 0 }),
        providerFee: nullable(Type.Number({ minimum: 0 })),
        serviceFeeExact: Type.Optional(nullable(ExactAmount)),
        providerFeeExact: Type.Optional(nullable(ExactAmount)),
      },
      { title: 'SwapFees', description: 'In units of the output token. Already included in `inputAmount`.' },
    ),
    transaction: SwapTransaction,
    permit2: nullable(SwapPermit, { description: 'Null for the native coin.' }),
    allowanceTarget: nullable(PresentedAddress, {
      description:
        'The contract that the payer must allow to spend the input token, once for all swaps; null for the native coin.',
    }),
    expiresAt: Timestamp,
  },
  { title: 'SwapQuote' },
)
