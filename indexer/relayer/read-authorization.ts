import { concatHex, decodeFunctionData, numberToHex, parseAbi, size } from 'viem'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { authorizationCall, type SignedAuthorization } from '../../shared/domain/eip3009/authorization.ts'
import { catchToNull, toLowercase } from './read-payout-step.ts'

/** A payer's authorization, decoded from a call to the token. */
export type AuthorizationStep = {
  readonly kind: 'authorization'
  readonly token: Address
  readonly payer: Address
  readonly recipient: Address
}

// Declared separately from `authorizationCall`, which encodes the call, because the check before signing must not share
// definitions with the encoder.
const BY_KEY = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const BY_BYTES = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/**
 * Decodes the authorization that a call executes; returns `null` if the call executes none.
 *
 * Pure. Encoding the decoded values again must yield the same bytes, because another decoder might interpret surplus
 * bytes differently.
 */
export function readAuthorization(call: {
  readonly to: Address
  readonly data: Hex
}): AuthorizationStep | null {
  const signed = catchToNull(() => readByKey(call.data)) ?? catchToNull(() => readByBytes(call.data))
  if (signed === null || authorizationCall(call.to, signed).data !== call.data) return null
  return { kind: 'authorization', token: call.to, payer: signed.from, recipient: signed.to }
}

function readByKey(data: Hex): SignedAuthorization {
  const [from, to, value, validAfter, validBefore, nonce, v, r, s] = decodeFunctionData({
    abi: BY_KEY,
    data,
  }).args
  const signature = concatHex([r, s, numberToHex(v, { size: 1 })])
  return { from: toLowercase(from), to: toLowercase(to), value, validAfter, validBefore, nonce, signature }
}

/** Decodes the variant with signature bytes, which `authorizationCall` never uses for a signature of 65 bytes. */
function readByBytes(data: Hex): SignedAuthorization | null {
  const [from, to, value, validAfter, validBefore, nonce, signature] = decodeFunctionData({
    abi: BY_BYTES,
    data,
  }).args
  return size(signature) === 0
    ? null
    : { from: toLowercase(from), to: toLowercase(to), value, validAfter, validBefore, nonce, signature }
}
