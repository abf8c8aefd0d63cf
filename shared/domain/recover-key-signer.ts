import { recoverAddress, size, sliceHex } from 'viem'
import { type Address, type Hex, parseEvmAddress } from './address.ts'

/** Size of a key's signature. */
export const KEY_SIGNATURE_BYTES = 65

/**
 * Order of secp256k1. A signature is also valid if its s is replaced by the order minus s. Signatures whose s exceeds
 * half the order are therefore rejected.
 */
export const SECP256K1_ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n
export const MAX_S = SECP256K1_ORDER / 2n

/**
 * Returns the address whose key signed a hash, or `null` for an invalid signature. A signature must have 65 bytes, v 27
 * or 28, and an s of at most `MAX_S`.
 */
export async function recoverKeySigner(hash: Hex, signature: Hex): Promise<Address | null> {
  if (size(signature) !== KEY_SIGNATURE_BYTES) return null
  const [s, v] = [BigInt(sliceHex(signature, 32, 64)), Number(sliceHex(signature, 64))]
  if (s > MAX_S || (v !== 27 && v !== 28)) return null
  try {
    return parseEvmAddress(await recoverAddress({ hash, signature }))
  } catch {
    return null // r is not a point of the curve
  }
}
