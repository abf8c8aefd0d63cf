import { type Hex, parseEvmAddress } from './address.ts'
import type { SignedAuthorization } from './authorization.ts'

/** An authorization as it comes from outside: numbers as decimal strings, bytes as hex. */
export type WrittenAuthorization = Readonly<Record<keyof SignedAuthorization, string>>

/** What of an authorization can be wrong in itself. */
export type AuthorizationProblem = {
  readonly param: keyof SignedAuthorization
  /** Follows the value's name: `must be …`. */
  readonly problem: string
}

export type ParsedAuthorization =
  | { readonly ok: true; readonly signed: SignedAuthorization }
  | ({ readonly ok: false } & AuthorizationProblem)

/** Of a contract's signature; a Safe of 20 owners takes 1,300. Every byte is paid for with our gas. */
const MAX_SIGNATURE_BYTES = 2_048

/**
 * How a signature of a contract that is not deployed yet ends. To believe one, we would have to call the factory that it
 * names, which is whatever its author likes.
 *
 * @see https://eips.ethereum.org/EIPS/eip-6492
 */
const UNDEPLOYED_SUFFIX = '6492'.repeat(16)

const MAX_UINT256 = 2n ** 256n - 1n

/**
 * Reads an authorization that was written down, if each of its parts has its form.
 *
 * Hex comes out in lower case. Whose signature it is, what it is for and when it is valid is not looked at.
 *
 * @returns the first part that is wrong, otherwise
 */
export function parseAuthorization(written: WrittenAuthorization): ParsedAuthorization {
  const from = parseEvmAddress(written.from)
  if (from === null) return refuse('from', 'must be an address: 0x and 40 hex digits')
  const to = parseEvmAddress(written.to)
  if (to === null) return refuse('to', 'must be an address: 0x and 40 hex digits')
  const [value, validAfter, validBefore] = [
    parseUint(written.value),
    parseUint(written.validAfter),
    parseUint(written.validBefore),
  ]
  if (value === null) return refuse('value', UINT)
  if (validAfter === null) return refuse('validAfter', UINT)
  if (validBefore === null) return refuse('validBefore', UINT)
  if (!/^0x[0-9a-fA-F]{64}$/.test(written.nonce)) return refuse('nonce', 'must be 0x and 64 hex digits')
  const problem = findSignatureProblem(written.signature)
  if (problem !== null) return refuse('signature', problem)
  const [nonce, signature] = [written.nonce.toLowerCase() as Hex, written.signature.toLowerCase() as Hex]
  return { ok: true, signed: { from, to, value, validAfter, validBefore, nonce, signature } }
}

const UINT = 'must be a decimal number without leading zeros, at most 2^256 - 1'

/** Digits are counted first: reading a number takes time that grows with its square. */
function parseUint(text: string): bigint | null {
  if (!/^(0|[1-9][0-9]{0,77})$/.test(text)) return null
  const number = BigInt(text)
  return number > MAX_UINT256 ? null : number
}

function findSignatureProblem(text: string): string | null {
  if (text.length > 2 + 2 * MAX_SIGNATURE_BYTES)
    return `has ${text.length} characters: must have at most ${2 + 2 * MAX_SIGNATURE_BYTES}`
  if (!/^0x([0-9a-fA-F]{2})+$/.test(text)) return 'must be 0x and hex digits, two per byte'
  if (text.endsWith(UNDEPLOYED_SUFFIX))
    return 'is of a contract that is not deployed (ERC-6492): the payer’s account must be deployed first'
  return null
}

function refuse(param: keyof SignedAuthorization, problem: string): ParsedAuthorization {
  return { ok: false, param, problem }
}
