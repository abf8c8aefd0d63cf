import { Type } from '@sinclair/typebox'
import {
  Bytes32,
  Eip712Fields,
  HexData,
  IntegerText,
  nullable,
  PresentedAddress,
  strictObject,
  stringEnum,
  Timestamp,
} from '../../http/schema.ts'

/** The body of `POST /v1/charges/{id}/release` and `/refund`. */
export const EscrowOrderBody = strictObject(
  {
    signature: Type.String({
      pattern: '^0x[0-9a-fA-F]+$',
      maxLength: 1000,
      description: "The releaser's signature of the prepared `typedData`.",
    }),
    amount: Type.Optional(
      Type.String({
        pattern: '^[1-9][0-9]{0,77}$',
        description:
          'The prepared and signed `amount` in the token’s units; by default the live balance. Accepted if it is at most ' +
          'the balance and the difference is below 1 % of the charge’s `amount`, so that a cent that arrives after the ' +
          'signing does not void the signature.',
      }),
    ),
  },
  { title: 'EscrowOrder', examples: [{ signature: `0x${'5a'.repeat(65)}`, amount: '10000000' }] },
)

/** The Safe transaction for the releaser to sign, as plain JSON of EIP-712. */
const SafeTypedData = strictObject({
  types: strictObject({ EIP712Domain: Eip712Fields, SafeTx: Eip712Fields }),
  primaryType: stringEnum(['SafeTx']),
  domain: strictObject({
    chainId: Type.Integer({
      minimum: 1,
      description: 'A number, because viem omits a string if `types` has no `EIP712Domain`.',
    }),
    verifyingContract: PresentedAddress,
  }),
  message: strictObject({
    to: PresentedAddress,
    value: IntegerText,
    data: HexData,
    operation: IntegerText,
    safeTxGas: IntegerText,
    baseGas: IntegerText,
    gasPrice: IntegerText,
    gasToken: PresentedAddress,
    refundReceiver: PresentedAddress,
    nonce: IntegerText,
  }),
})

const DestinationFrom = strictObject(
  {
    txHash: nullable(Type.String(), { description: 'Null for a sandbox payment, which has no transaction.' }),
    amount: IntegerText,
    at: Timestamp,
  },
  {
    title: 'EscrowDestinationFrom',
    description:
      'The credited transfer whose sender receives a refund: its transaction, its amount in the token’s units and the time ' +
      'of its block.',
  },
)

/** The response of the prepare endpoints. */
export const EscrowSigningTransaction = strictObject(
  {
    destination: PresentedAddress,
    destinationFrom: nullable(DestinationFrom, {
      description:
        'Null for a release, whose destination is the `splitAddress` in the charge’s `addressTerms`.',
    }),
    tokenAddress: PresentedAddress,
    amount: IntegerText,
    chainId: Type.Integer({ minimum: 1 }),
    safeAddress: PresentedAddress,
    nonce: IntegerText,
    typedData: SafeTypedData,
    safeTxHash: Bytes32,
  },
  {
    title: 'EscrowSigningTransaction',
    description: 'The transaction for the releaser to sign, valid for one amount and one nonce.',
  },
)
