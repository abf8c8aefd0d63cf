import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'

type Fields = readonly { readonly name: string; readonly type: string }[]
type Values = Readonly<Record<string, unknown>>

/** Typed data to sign, as in JSON. `types` may omit `EIP712Domain`. */
export type RawTypedData = {
  readonly types: Readonly<Record<string, Fields>>
  readonly primaryType: string
  readonly domain: Values
  readonly message: Values
}

/** The fields of a domain in the order that EIP-712 requires. A domain may lack some of them. */
const DOMAIN_FIELDS: Fields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

/**
 * Hashes typed data without nested structs as EIP-712 specifies, without the libraries that wallets use.
 *
 * Supports uints, addresses, bytes and strings, which include all types of a Safe's transaction.
 *
 * @throws {Error} if a field has another type
 * @see https://eips.ethereum.org/EIPS/eip-712
 */
export function hashRawTypedData({ types, primaryType, domain, message }: RawTypedData): `0x${string}` {
  const domainFields = types['EIP712Domain'] ?? DOMAIN_FIELDS.filter(({ name }) => name in domain)
  const separator = hashStruct('EIP712Domain', domainFields, domain)
  const struct = hashStruct(primaryType, types[primaryType] ?? [], message)
  return `0x${bytesToHex(keccak_256(Uint8Array.from([0x19, 0x01, ...separator, ...struct])))}`
}

function hashStruct(name: string, fields: Fields, values: Values): Uint8Array {
  const type = `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`
  const words = fields.map((field) => encodeWord(field.type, values[field.name]))
  return keccak_256(Uint8Array.from([keccak_256(utf8(type)), ...words].flatMap((word) => [...word])))
}

function encodeWord(type: string, value: unknown): Uint8Array {
  if (type.startsWith('uint')) return hexToBytes(BigInt(String(value)).toString(16).padStart(64, '0'))
  if (type === 'address') return hexToBytes(String(value).slice(2).toLowerCase().padStart(64, '0'))
  if (type === 'bytes') return keccak_256(hexToBytes(String(value).slice(2)))
  if (type === 'string') return keccak_256(utf8(String(value)))
  throw new Error(`EIP-712 type ${type} is not supported`)
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
