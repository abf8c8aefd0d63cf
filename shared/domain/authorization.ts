import {
  concatHex,
  domainSeparator,
  encodeFunctionData,
  hashTypedData,
  keccak256,
  numberToHex,
  parseAbi,
  recoverAddress,
  size,
  sliceHex,
} from 'viem'
import { type Address, checksum, type Hex, parseEvmAddress } from './address.ts'

/** The name and version that a token signs with, which often are not what it is called. */
export type AuthorizationDomain = { readonly name: string; readonly version: string }

/** What a payer allows by his signature: one transfer, to one address, of one amount, once, in a window of time. */
export type Authorization = {
  readonly from: Address
  readonly to: Address
  /** In the token's atomic units. */
  readonly value: bigint
  /** Unix seconds; the token wants a block later than this one. */
  readonly validAfter: bigint
  /** Unix seconds; the token wants a block earlier than this one. */
  readonly validBefore: bigint
  /** 32 bytes of the payer's choice; spent once per token and payer, for ever. */
  readonly nonce: Hex
}

export type SignedAuthorization = Authorization & {
  /** Of a key 65 bytes (r, s, v); of a contract whatever its `isValidSignature` reads. */
  readonly signature: Hex
}

/** An authorization, and the token that it is for: all that is hashed. */
export type AuthorizationTerms = {
  readonly chainId: number
  readonly token: Address
  readonly domain: AuthorizationDomain
  readonly authorization: Authorization
}

/** Of a key's signature. */
const KEY_SIGNATURE_BYTES = 65

/** Of secp256k1. Of the two signatures that ECDSA allows, the token refuses the one whose s is above half of it. */
const ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n
const MAX_S = ORDER / 2n

const FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

const BY_KEY = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const BY_BYTES = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/**
 * Writes what the payer signs, as plain JSON of EIP-712.
 *
 * The domain's `chainId` is a number and the numbers of the message are decimal strings, for the reasons that
 * `escrowTypedData` gives.
 *
 * @see https://eips.ethereum.org/EIPS/eip-3009
 */
export function authorizationTypedData({ chainId, token, domain, authorization }: AuthorizationTerms) {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return {
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      TransferWithAuthorization: FIELDS,
    },
    primaryType: 'TransferWithAuthorization',
    domain: { name: domain.name, version: domain.version, chainId, verifyingContract: checksum(token) },
    message: {
      from: checksum(from),
      to: checksum(to),
      value: String(value),
      validAfter: String(validAfter),
      validBefore: String(validBefore),
      nonce,
    },
  } as const
}

/** Answers the hash that is signed. */
export function authorizationHash({ chainId, token, domain, authorization }: AuthorizationTerms): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return hashTypedData({
    types: { TransferWithAuthorization: FIELDS },
    primaryType: 'TransferWithAuthorization',
    domain: { ...domain, chainId, verifyingContract: token },
    message: { from, to, value, validAfter, validBefore, nonce },
  })
}

/** Answers what the token's `DOMAIN_SEPARATOR()` is, if it signs with this name and version. */
export function authorizationSeparator({
  chainId,
  token,
  domain,
}: Pick<AuthorizationTerms, 'chainId' | 'token' | 'domain'>): Hex {
  return domainSeparator({ domain: { ...domain, chainId, verifyingContract: token } })
}

/**
 * Answers the call that carries an authorization out, which anybody may send.
 *
 * A signature of 65 bytes goes as (v, r, s), which every token with EIP-3009 knows; any other as bytes, which tokens that
 * ask contracts know (FiatTokenV2_2: both forms ask them, so that a contract's 65 bytes are checked in either).
 */
export function authorizationCall(
  token: Address,
  signed: SignedAuthorization,
): { readonly to: Address; readonly data: Hex } {
  const { from, to, value, validAfter, validBefore, nonce, signature } = signed
  const args = [from, to, value, validAfter, validBefore, nonce] as const
  if (size(signature) !== KEY_SIGNATURE_BYTES)
    return { to: token, data: encodeFunctionData({ abi: BY_BYTES, args: [...args, signature] }) }
  const [r, s] = [sliceHex(signature, 0, 32), sliceHex(signature, 32, 64)]
  const v = Number(sliceHex(signature, 64))
  return { to: token, data: encodeFunctionData({ abi: BY_KEY, args: [...args, v, r, s] }) }
}

/**
 * Answers whose key signed these very terms, or `null` if none can have, as the token reads it: 65 bytes, v 27 or 28, s low.
 *
 * It says nothing of a payer with code (EIP-7702 included): of him the token asks `isValidSignature` alone.
 */
export async function recoverAuthorizer(terms: AuthorizationTerms, signature: Hex): Promise<Address | null> {
  if (size(signature) !== KEY_SIGNATURE_BYTES) return null
  const [s, v] = [BigInt(sliceHex(signature, 32, 64)), Number(sliceHex(signature, 64))]
  if (s > MAX_S || (v !== 27 && v !== 28)) return null
  try {
    return parseEvmAddress(await recoverAddress({ hash: authorizationHash(terms), signature }))
  } catch {
    return null // r is on no point of the curve
  }
}

/**
 * Answers what is wrong with a signature as far as that is known without a chain: it is of the payer's own key, in a form that
 * the token refuses of keys (a v that is not 27 or 28, or the higher s). `null` of all others.
 *
 * **That it is somebody else's says nothing here**: of a payer with code the token asks the code, which may have any key sign in
 * any form, and which address has code a node alone knows. Nor is one refused whose length is no key's.
 */
export async function findKeyProblem(terms: AuthorizationTerms, signature: Hex): Promise<string | null> {
  if (size(signature) !== KEY_SIGNATURE_BYTES) return null
  const { from } = terms.authorization
  if ((await recoverAuthorizer(terms, signature)) === from) return null
  const signers = await Promise.all(takenForms(signature).map((form) => recoverAuthorizer(terms, form)))
  return signers.includes(from) ? 'must have a v of 27 or 28, and the lower of two s' : null
}

/** The same point of the curve in both forms that the token takes of keys; of a key's signature one is the right one. */
function takenForms(signature: Hex): readonly Hex[] {
  const s = BigInt(sliceHex(signature, 32, 64))
  const low = numberToHex(s > MAX_S && s < ORDER ? ORDER - s : s, { size: 32 })
  return [27, 28].map((v) => concatHex([sliceHex(signature, 0, 32), low, numberToHex(v, { size: 1 })]))
}

/**
 * Answers other bytes in a signature's place, which carry nothing out: as many, and as hard to compress, so that what it
 * costs to post them is the same.
 */
export function veilSignature(signature: Hex): Hex {
  return stretch(keccak256(signature), size(signature))
}

function stretch(bytes: Hex, length: number): Hex {
  return size(bytes) < length
    ? stretch(concatHex([bytes, keccak256(bytes)]), length)
    : sliceHex(bytes, 0, length)
}
