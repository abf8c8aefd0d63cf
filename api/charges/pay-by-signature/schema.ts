import { Type } from '@sinclair/typebox'
import {
  Bytes32,
  Eip712Fields,
  IntegerText,
  NetworkName,
  PresentedAddress,
  strictObject,
  stringEnum,
  TokenName,
} from '../../http/schema.ts'

/** The query of `GET /v1/charges/{id}/authorization`. */
export const PrepareAuthorizationQuery = strictObject({
  payer: Type.String({
    pattern: '^0x[0-9a-fA-F]{40}$',
    description: 'Address of the account that signs and pays.',
    examples: ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  }),
})

/**
 * The body of `POST /v1/charges/{id}/authorization`. `parseAuthorization` checks the formats and names the invalid
 * field.
 */
export const SubmitAuthorizationBody = strictObject(
  {
    token: TokenName,
    network: NetworkName,
    from: Type.String({ maxLength: 100, description: 'Address of the payer.' }),
    value: Type.String({
      maxLength: 100,
      description: "The whole prepared amount, in the token's smallest units.",
    }),
    validAfter: Type.String({ maxLength: 100, description: 'Unix seconds.' }),
    validBefore: Type.String({
      maxLength: 100,
      description: 'Unix seconds: at most 15 minutes from now, and not after `expiresAt`.',
    }),
    nonce: Type.String({ maxLength: 100, description: '32 bytes in hex.' }),
    signature: Type.String({
      maxLength: 5000,
      description:
        'The signature of a plain account has 65 bytes, with v 27 or 28. The signature of a contract has the form that its `isValidSignature` accepts.',
    }),
  },
  {
    title: 'SignedAuthorization',
    examples: [
      {
        ...{ token: 'USDC', network: 'base', from: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
        ...{ value: '10000000', validAfter: '0', validBefore: '1795262400' },
        ...{ nonce: `0x${'5a'.repeat(32)}`, signature: `0x${'5a'.repeat(64)}1b` },
      },
    ],
  },
)

/** The typed data for the payer to sign, as plain JSON of EIP-712. */
const AuthorizationTypedData = strictObject({
  types: strictObject({ EIP712Domain: Eip712Fields, TransferWithAuthorization: Eip712Fields }),
  primaryType: stringEnum(['TransferWithAuthorization']),
  domain: strictObject({
    name: Type.String(),
    version: Type.String(),
    chainId: Type.Integer({ minimum: 1 }),
    verifyingContract: PresentedAddress,
  }),
  message: strictObject({
    from: PresentedAddress,
    to: PresentedAddress,
    value: IntegerText,
    validAfter: IntegerText,
    validBefore: IntegerText,
    nonce: Bytes32,
  }),
})

/** The response of `GET /v1/charges/{id}/authorization`. */
export const PreparedAuthorizations = strictObject(
  {
    authorizations: Type.Array(
      strictObject({
        token: TokenName,
        network: NetworkName,
        tokenAddress: PresentedAddress,
        typedData: AuthorizationTypedData,
      }),
      { minItems: 1 },
    ),
  },
  {
    title: 'PreparedAuthorizations',
    description: 'The authorizations for the current amount due. The payer must sign only one of them.',
  },
)
