import { type Hex, parseEvmAddress } from '../address.ts'
import type { SignedAuthorization } from './authorization.ts'

/** An authorization from a request, with numbers as decimal strings and bytes as hex. */
export type RawAuthorization = Readonly<Record<keyof SignedAuthorization, string>>

export type AuthorizationProblem = {
  readonly param: keyof SignedAuthorization
  /** Completes a sentence that starts with the field's name, such as `must be …`. */
  readonly problem: string
}

export type ParsedAuthorization =
  | { readonly ok: true; readonly signed: SignedAuthorization }
  | ({ readonly ok: false } & AuthorizationProblem)

/** Maximum size of a contract's signature, in bytes. A Safe with 20 owners needs 1,300. We pay gas for every byte. */
const MAX_SIGNATURE_BYTES = 2_048

/**
 * Suffix of a signature by a contract that is not deployed yet. To verify such a signature, the factory named in it
 * must be called, and the signature's author can name any factory.
 *
 * @see https://eips.ethereum.org/EIPS/eip-6492
 */
const UNDEPLOYED_SUFFIX = '6492'.repeat(16)

const MAX_UINT256 = 2n ** 256n - 1n

/**
 * Parses an authorization whose fields are all well-formed. Hex is converted to lower case. The signer, the purpose and
 * the validity window are not checked.
 *
 * @returns the parsed authorization, or the first malformed field
 */
export function parseAuthorization(written: RawAuthorization): ParsedAuthorization {
  const from = parseEvmAddress(written.from)
  if (from === null) return reject('from', ADDRESS)
  const to = parseEvmAddress(written.to)
  if (to === null) return reject('to', ADDRESS)
  const [value, validAfter, validBefore] = [
    parseUint(written.value),
    parseUint(written.validAfter),
    parseUint(written.validBefore),
  ]
  if (value === null) return reject('value', UINT)
  if (validAfter === null) return reject('validAfter', UINT)
  if (validBefore === null) return reject('validBefore', UINT)
  if (!/^0x[0-9a-fA-F]{64}$/.test(written.nonce)) return reject('nonce', 'must be 0x and 64 hex digits')
  const problem = findSignatureProblem(written.signature)
  if (problem !== null) return reject('signature', problem)
  const [nonce, signature] = [written.nonce.toLowerCase() as Hex, written.signature.toLowerCase() as Hex]
  return { ok: true, signed: { from, to, value, validAfter, validBefore, nonce, signature } }
}

const ADDRESS =
  'must be an address: 0x and 40 hex digits, all lowercase, all uppercase or with a correct checksum'
const UINT = 'must be a decimal number without leading zeros, at most 2^256 - 1'

/** The number of digits is limited first, because the parsing time grows with the square of the length. */
function parseUint(text: string): bigint | null {
  if (!/^(0|[1-9][0-9]{0,77})$/.test(text)) return null
  const number = BigInt(text)
  return number > MAX_UINT256 ? null : number
}

/** Returns why a text cannot be the signature of a key or a deployed contract; `null` if it can. */
export function findSignatureProblem(text: string): string | null {
  if (text.length > 2 + 2 * MAX_SIGNATURE_BYTES)
    return `has ${text.length} characters: must have at most ${2 + 2 * MAX_SIGNATURE_BYTES}`
  if (!/^0x([0-9a-fA-F]{2})+$/.test(text)) return 'must be 0x and hex digits, two per byte'
  if (text.endsWith(UNDEPLOYED_SUFFIX))
    return 'is from a contract that is not deployed (ERC-6492): the payer’s account must be deployed first'
  return null
}

function reject(param: keyof SignedAuthorization, problem: string): ParsedAuthorization {
  return { ok: false, param, problem }
}
