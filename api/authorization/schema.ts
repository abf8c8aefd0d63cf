import { Type } from '@sinclair/typebox'
import { NetworkName, oneOf, PresentedAddress, strictObject, TokenName } from '../schema.ts'

const Decimal = Type.String({ pattern: '^(0|[1-9]\\d*)$', description: 'A whole number, as text.' })
const Bytes32 = Type.String({ pattern: '^0x[0-9a-f]{64}$' })

/** The query of `GET /v1/charges/{id}/authorization`. */
export const PrepareAuthorizationQuery = strictObject({
  payer: Type.String({
    pattern: '^0x[0-9a-fA-F]{40}$',
    description: 'Who will sign, and pays.',
    examples: ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  }),
})

/** The body of `POST /v1/charges/{id}/authorization`; forms are read by one reader, whose answer names the field. */
export const SubmitAuthorizationBody = strictObject(
  {
    token: TokenName,
    network: NetworkName,
    from: Type.String({ maxLength: 100, description: 'The payer.' }),
    value: Type.String({ maxLength: 100, description: "The token's smallest units: all that was asked." }),
    validAfter: Type.String({ maxLength: 100, description: 'Unix seconds.' }),
    validBefore: Type.String({
      maxLength: 100,
      description: 'Unix seconds: at most 15 minutes from now, and not after `expiresAt`.',
    }),
    nonce: Type.String({ maxLength: 100, description: '32 bytes in hex.' }),
    signature: Type.String({
      maxLength: 5000,
      description: 'Of a key 65 bytes, v 27 or 28; of a contract what its `isValidSignature` reads.',
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

const Eip712Fields = Type.Array(strictObject({ name: Type.String(), type: Type.String() }))

/** What the payer signs, as plain JSON of EIP-712. */
const AuthorizationTypedData = strictObject({
  types: strictObject({ EIP712Domain: Eip712Fields, TransferWithAuthorization: Eip712Fields }),
  primaryType: oneOf(['TransferWithAuthorization']),
  domain: strictObject({
    name: Type.String(),
    version: Type.String(),
    chainId: Type.Integer({ minimum: 1 }),
    verifyingContract: PresentedAddress,
  }),
  message: strictObject({
    from: PresentedAddress,
    to: PresentedAddress,
    value: Decimal,
    validAfter: Decimal,
    validBefore: Decimal,
    nonce: Bytes32,
  }),
})

/** The answer of `GET /v1/charges/{id}/authorization`. */
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
    description: 'What a payer signs: one of them, for what is asked at this moment.',
  },
)
