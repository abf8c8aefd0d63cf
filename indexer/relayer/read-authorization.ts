import { concatHex, decodeFunctionData, numberToHex, parseAbi, size } from 'viem'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { authorizationCall, type SignedAuthorization } from '../../shared/domain/authorization.ts'
import { lower, orNull } from './read-payout-step.ts'

/** What a payer has signed, carried out by a token: what he pays, to whom. */
export type AuthorizationStep = {
  readonly kind: 'authorization'
  readonly token: Address
  readonly payer: Address
  readonly recipient: Address
}

// Of its own, beside `authorizationCall`, which wrote the call: who reads what the key signs copies nothing from the writer.
const BY_KEY = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const BY_BYTES = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/**
 * Reads which authorization a call carries out, or answers `null` if it carries out none.
 *
 * Pure. Written again from what was read, the bytes must be the same: nothing is left over that another reader could
 * take for something else.
 */
export function readAuthorization(call: {
  readonly to: Address
  readonly data: Hex
}): AuthorizationStep | null {
  const signed = orNull(() => readByKey(call.data)) ?? orNull(() => readByBytes(call.data))
  if (signed === null || authorizationCall(call.to, signed).data !== call.data) return null
  return { kind: 'authorization', token: call.to, payer: signed.from, recipient: signed.to }
}

function readByKey(data: Hex): SignedAuthorization {
  const [from, to, value, validAfter, validBefore, nonce, v, r, s] = decodeFunctionData({
    abi: BY_KEY,
    data,
  }).args
  const signature = concatHex([r, s, numberToHex(v, { size: 1 })])
  return { from: lower(from), to: lower(to), value, validAfter, validBefore, nonce, signature }
}

/** A signature of 65 bytes is never written so. */
function readByBytes(data: Hex): SignedAuthorization | null {
  const [from, to, value, validAfter, validBefore, nonce, signature] = decodeFunctionData({
    abi: BY_BYTES,
    data,
  }).args
  return size(signature) === 0
    ? null
    : { from: lower(from), to: lower(to), value, validAfter, validBefore, nonce, signature }
}
