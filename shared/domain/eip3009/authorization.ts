import {
  concatHex,
  domainSeparator,
  encodeFunctionData,
  hashTypedData,
  keccak256,
  numberToHex,
  parseAbi,
  size,
  sliceHex,
} from 'viem'
import { type Address, checksum, type Hex } from '../address.ts'
import { listDomainFields } from '../list-domain-fields.ts'
import { KEY_SIGNATURE_BYTES, MAX_S, recoverKeySigner, SECP256K1_ORDER } from '../recover-key-signer.ts'

/** The name and version in a token's EIP-712 domain. The name often differs from the token's displayed name. */
export type AuthorizationDomain = { readonly name: string; readonly version: string }

/** The payer's signed permission for a single transfer of one amount to one address within a time window. */
export type Authorization = {
  readonly from: Address
  readonly to: Address
  /** Amount in the token's atomic units. */
  readonly value: bigint
  /** Unix seconds. The token requires a block with a later timestamp. */
  readonly validAfter: bigint
  /** Unix seconds. The token requires a block with an earlier timestamp. */
  readonly validBefore: bigint
  /** 32 bytes that the payer chooses. A token accepts each nonce of a payer only once. */
  readonly nonce: Hex
}

export type SignedAuthorization = Authorization & {
  /** From a key: 65 bytes (r, s, v). From a contract: any bytes that its `isValidSignature` accepts. */
  readonly signature: Hex
}

/** An authorization, its token and the token's EIP-712 domain. The signed hash covers all of them. */
export type AuthorizationTerms = {
  readonly chainId: number
  readonly token: Address
  readonly domain: AuthorizationDomain
  readonly authorization: Authorization
}

const FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

const KEY_SIGNATURE_ABI = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const BYTES_SIGNATURE_ABI = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/**
 * Returns the EIP-712 data that the payer signs, as plain JSON.
 *
 * The domain's `chainId` is a number and the message's numbers are decimal strings, for the reasons in
 * `escrowTypedData`.
 *
 * @see https://eips.ethereum.org/EIPS/eip-3009
 */
export function authorizationTypedData({ chainId, token, domain, authorization }: AuthorizationTerms) {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const signed = { name: domain.name, version: domain.version, chainId, verifyingContract: checksum(token) }
  return {
    types: {
      EIP712Domain: listDomainFields(signed),
      TransferWithAuthorization: FIELDS,
    },
    primaryType: 'TransferWithAuthorization',
    domain: signed,
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

export function authorizationHash({ chainId, token, domain, authorization }: AuthorizationTerms): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return hashTypedData({
    types: { TransferWithAuthorization: FIELDS },
    primaryType: 'TransferWithAuthorization',
    domain: { ...domain, chainId, verifyingContract: token },
    message: { from, to, value, validAfter, validBefore, nonce },
  })
}

/** Returns the `DOMAIN_SEPARATOR()` that a token with this name and version must return. */
export function authorizationSeparator({
  chainId,
  token,
  domain,
}: Pick<AuthorizationTerms, 'chainId' | 'token' | 'domain'>): Hex {
  return domainSeparator({ domain: { ...domain, chainId, verifyingContract: token } })
}

/**
 * Returns the call that executes an authorization. Any account may send it.
 *
 * A 65-byte signature is passed as (v, r, s), which every EIP-3009 token supports. Any other signature is passed as
 * bytes, which only tokens that verify contract signatures support. FiatTokenV2_2 verifies them in both forms, so a
 * contract's 65-byte signature works as (v, r, s) too.
 */
export function authorizationCall(
  token: Address,
  signed: SignedAuthorization,
): { readonly to: Address; readonly data: Hex } {
  const { from, to, value, validAfter, validBefore, nonce, signature } = signed
  const args = [from, to, value, validAfter, validBefore, nonce] as const
  if (size(signature) !== KEY_SIGNATURE_BYTES)
    return { to: token, data: encodeFunctionData({ abi: BYTES_SIGNATURE_ABI, args: [...args, signature] }) }
  const [r, s] = [sliceHex(signature, 0, 32), sliceHex(signature, 32, 64)]
  const v = Number(sliceHex(signature, 64))
  return { to: token, data: encodeFunctionData({ abi: KEY_SIGNATURE_ABI, args: [...args, v, r, s] }) }
}

/**
 * Returns the address whose key signed exactly these terms, or `null` if no key can have made this signature. Applies
 * the token's rules: 65 bytes, v 27 or 28, low s.
 *
 * The result does not apply to a payer with code (including EIP-7702), for whom the token only calls
 * `isValidSignature`.
 */
export async function recoverAuthorizer(terms: AuthorizationTerms, signature: Hex): Promise<Address | null> {
  return recoverKeySigner(authorizationHash(terms), signature)
}

/**
 * Returns the one problem of a signature that can be found without a node, or `null`: the payer's own key made the
 * signature in a form that the token rejects for keys (v is not 27 or 28, or s is high).
 *
 * A signature by another account is **not** a problem here. For a payer with code, the token calls the code, which may
 * accept any key's signature in any form, and only a node can show which addresses have code. For the same reason, no
 * length is rejected.
 */
export async function findSignatureProblem(
  terms: AuthorizationTerms,
  signature: Hex,
): Promise<string | null> {
  if (size(signature) !== KEY_SIGNATURE_BYTES) return null
  const { from } = terms.authorization
  if ((await recoverAuthorizer(terms, signature)) === from) return null
  const signers = await Promise.all(
    listAcceptedForms(signature).map((form) => recoverAuthorizer(terms, form)),
  )
  return signers.includes(from) ? 'must have a v of 27 or 28 and a low s' : null
}

/**
 * Returns the two forms of the signature that the token accepts from keys: with a low s, and v 27 or 28. If a key made
 * the signature, one of them is valid.
 */
function listAcceptedForms(signature: Hex): readonly Hex[] {
  const s = BigInt(sliceHex(signature, 32, 64))
  const low = numberToHex(s > MAX_S && s < SECP256K1_ORDER ? SECP256K1_ORDER - s : s, { size: 32 })
  return [27, 28].map((v) => concatHex([sliceHex(signature, 0, 32), low, numberToHex(v, { size: 1 })]))
}

/**
 * Returns bytes that replace a signature in a quote of fees and authorize nothing. They have the same size and compress
 * equally badly, so that posting them costs the same.
 */
export function maskSignature(signature: Hex): Hex {
  return stretch(keccak256(signature), size(signature))
}

function stretch(bytes: Hex, length: number): Hex {
  return size(bytes) < length
    ? stretch(concatHex([bytes, keccak256(bytes)]), length)
    : sliceHex(bytes, 0, length)
}
