import { createHmac, timingSafeEqual } from 'node:crypto'

/** The ids of frames. Clients learn nothing from them. */
export type StreamIds = {
  /** Returns the id of the event with this number. A client can resume its stream from this id. */
  readonly ofEvent: (seq: number) => string
  /** Returns the event number of an id created by `ofEvent`; `null` for any other text. */
  readonly findEvent: (id: string) => number | null
  /** Returns the id of a state. Equal states have equal ids, different states different ids. */
  readonly ofState: (data: string) => string
}

/** Length of an id's authenticator: 96 bits, which cannot be guessed. */
const MAC_BYTES = 12

/** Length of an event number, an unsigned 64-bit integer. */
const NUMBER_BYTES = 8

/**
 * Creates the functions for ids. New ids use the first secret; `findEvent` accepts ids of all secrets.
 *
 * Event numbers count the events of all organizations, so a readable number would reveal the activity of others. The
 * number is encrypted with a pad derived by a keyed hash from the number's authenticator (a synthetic IV, as in RFC
 * 5297). So two events never share a pad, and an event has the same id in every process.
 */
export function createStreamIds(secrets: readonly string[]): StreamIds {
  const [first = ''] = secrets

  function ofEvent(seq: number): string {
    const number = Buffer.alloc(NUMBER_BYTES)
    number.writeBigUInt64BE(BigInt(seq))
    const mac = createMac(first, number)
    return Buffer.concat([mac, pad(first, { mac, number })]).toString('base64url')
  }

  function findEvent(id: string): number | null {
    const bytes = Buffer.from(id, 'base64url')
    // Node's decoder skips invalid characters, so the bytes must encode to the same text.
    if (bytes.length !== MAC_BYTES + NUMBER_BYTES || bytes.toString('base64url') !== id) return null
    const mac = bytes.subarray(0, MAC_BYTES)
    for (const secret of secrets) {
      const number = pad(secret, { mac, number: bytes.subarray(MAC_BYTES) })
      if (timingSafeEqual(mac, createMac(secret, number))) return Number(number.readBigUInt64BE())
    }
    return null
  }

  return {
    ofEvent,
    findEvent,
    ofState: (data) => deriveBytes(first, { use: 'state', data }).toString('base64url'),
  }
}

function createMac(secret: string, number: Buffer): Buffer {
  return deriveBytes(secret, { use: 'mac', data: number })
}

/** Encrypts or decrypts a number. */
function pad(secret: string, { mac, number }: { mac: Buffer; number: Buffer }): Buffer {
  const stream = deriveBytes(secret, { use: 'pad', data: mac })
  return number.map((byte, index) => byte ^ (stream[index] ?? 0)) as Buffer
}

/**
 * Separates the uses of a secret, which also signs cursors. The bytes for one use reveal nothing about the bytes for
 * another use.
 */
function deriveBytes(secret: string, { use, data }: { use: string; data: string | Buffer }): Buffer {
  const mac = createHmac('sha256', secret).update(`stream ${use}\0`).update(data).digest()
  return mac.subarray(0, MAC_BYTES)
}
