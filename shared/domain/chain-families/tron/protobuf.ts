import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Hex } from '../../address.ts'
import { invariant } from '../../errors.ts'

/** One field of a message: its number and its value. TRON's transactions use only numbers and bytes as values. */
export type Field = readonly [number: number, value: bigint | Hex]

/**
 * Encodes a protobuf message from its values by field number. Zeros and empty bytes are omitted, as in protobuf 3.
 *
 * @see https://protobuf.dev/programming-guides/encoding
 */
export function writeMessage(values: Readonly<Record<number, Field[1]>>): Hex {
  // `Object.entries` returns numeric keys in ascending order, as protobuf writes fields.
  return writeFields(Object.entries(values).map(([number, value]) => [Number(number), value]))
}

/** Encodes fields in the given order, such as the result of `readMessage`. */
export function writeFields(fields: readonly Field[]): Hex {
  const parts = fields.map(([number, value]) => {
    if (typeof value === 'bigint') return value === 0n ? '' : tag(number, NUMBER) + varint(value)
    const bytes = (value.length - 2) / 2
    return bytes === 0 ? '' : tag(number, BYTES) + varint(BigInt(bytes)) + value.slice(2)
  })
  return `0x${parts.join('')}`
}

/**
 * Decodes the fields of a message in order.
 *
 * @throws {Error} if the bytes are not a message, or a field has an unsupported type
 */
export function readMessage(message: Hex): readonly Field[] {
  const bytes = hexToBytes(message.slice(2))
  const fields: Field[] = []
  for (let at = 0; at < bytes.length; ) {
    const key = readVarint(bytes, at)
    const value = readVarint(bytes, key.end)
    const [number, kind] = [Number(key.value >> 3n), key.value & 7n]
    invariant(kind === NUMBER || kind === BYTES, `field ${number} has the unsupported wire type ${kind}`)
    at = kind === NUMBER ? value.end : value.end + Number(value.value)
    invariant(at <= bytes.length, `field ${number} ends after the end of the message`)
    fields.push([number, kind === NUMBER ? value.value : `0x${bytesToHex(bytes.subarray(value.end, at))}`])
  }
  return fields
}

const NUMBER = 0n
const BYTES = 2n

function tag(number: number, kind: bigint): string {
  return varint((BigInt(number) << 3n) | kind)
}

/** Encodes a number with seven bits per byte, the lowest first. In all bytes but the last, the highest bit is set. */
function varint(value: bigint): string {
  invariant(value >= 0n && value < 1n << 63n, `${value} does not fit in 63 bits`)
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return bytesToHex(Uint8Array.from([...bytes, Number(rest)]))
}

function readVarint(bytes: Uint8Array, start: number): { readonly value: bigint; readonly end: number } {
  let value = 0n
  for (let at = start; at < start + 9; at += 1) {
    const byte = bytes[at]
    invariant(byte !== undefined, 'the message ends within a number')
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start))
    if (byte < 0x80) return { value, end: at + 1 }
  }
  throw new Error('a number in the message exceeds 63 bits')
}
