import { bytesToHex, concatHex, type Hex, hexToBytes } from 'viem'

/** A field of an encoded message. Its value is a number or bytes. */
export type Field = { readonly number: number; readonly value: bigint | Hex }

/** Decodes a protobuf message. Supports only numbers and bytes, the only kinds of field in TRON's transactions. */
export function readFields(message: Hex): readonly Field[] {
  const bytes = hexToBytes(message)
  const fields: Field[] = []
  let at = 0
  const readNumber = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at]
      if (byte === undefined || shift > 63n) throw new Error('the message ends within a number')
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const key = Number(readNumber())
    const [number, kind] = [key >> 3, key & 7]
    if (kind === 0) fields.push({ number, value: readNumber() })
    else if (kind === 2) {
      const end = Number(readNumber()) + at
      if (end > bytes.length) throw new Error('the message ends within a field')
      fields.push({ number, value: bytesToHex(bytes.subarray(at, end)) })
      at = end
    } else throw new Error(`field ${number} is of the unknown kind ${kind}`)
  }
  return fields
}

/** Encodes a protobuf message. Omits zero and empty fields, as protobuf 3 does. */
export function writeFields(fields: readonly Field[]): Hex {
  const parts = fields.flatMap(({ number, value }) => {
    if (typeof value === 'bigint') return value === 0n ? [] : [writeNumber(number << 3), writeNumber(value)]
    const length = (value.length - 2) / 2
    return length === 0 ? [] : [writeNumber((number << 3) | 2), writeNumber(length), value]
  })
  return concatHex(parts)
}

function writeNumber(value: number | bigint): Hex {
  const bytes: number[] = []
  let rest = BigInt(value)
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return bytesToHex(Uint8Array.from([...bytes, Number(rest)]))
}
