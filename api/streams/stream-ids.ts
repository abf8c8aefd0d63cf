import { createHmac, timingSafeEqual } from 'node:crypto'

/** The `id:` lines of streams, which tell their readers nothing. */
export type StreamIds = {
  /** The id of the event with this number, from which its stream can be resumed. */
  readonly ofEvent: (seq: number) => string
  /** The number of an event that `ofEvent` was given; `null` for any other text. */
  readonly findEvent: (id: string) => number | null
  /** The id of a frame that tells a state: another state has another one, and the same always the same. */
  readonly ofState: (data: string) => string
}

/** 96 bits: nobody guesses one. */
const MAC_BYTES = 12

/** An unsigned 64-bit integer. */
const NUMBER_BYTES = 8

/**
 * Makes the ids; the first secret makes them, and all read them.
 *
 * Events are numbered over all organizations, so a number that could be read would tell each how much the others do.
 * It is enciphered with a pad that is drawn, by a keyed hash, from its own authenticator (a synthetic IV, as in
 * RFC 5297): two events never share a pad, and the same event has the same id wherever it is sent from.
 */
export function createStreamIds(secrets: readonly string[]): StreamIds {
  const [first = ''] = secrets

  function ofEvent(seq: number): string {
    const number = Buffer.alloc(NUMBER_BYTES)
    number.writeBigUInt64BE(BigInt(seq))
    const mac = macOf(first, number)
    return Buffer.concat([mac, pad(first, { mac, number })]).toString('base64url')
  }

  function findEvent(id: string): number | null {
    const bytes = Buffer.from(id, 'base64url')
    // Reading base64url passes over what is none.
    if (bytes.length !== MAC_BYTES + NUMBER_BYTES || bytes.toString('base64url') !== id) return null
    const mac = bytes.subarray(0, MAC_BYTES)
    for (const secret of secrets) {
      const number = pad(secret, { mac, number: bytes.subarray(MAC_BYTES) })
      if (timingSafeEqual(mac, macOf(secret, number))) return Number(number.readBigUInt64BE())
    }
    return null
  }

  return {
    ofEvent,
    findEvent,
    ofState: (data) => keyed(first, { use: 'state', data }).toString('base64url'),
  }
}

function macOf(secret: string, number: Buffer): Buffer {
  return keyed(secret, { use: 'mac', data: number })
}

/** Enciphers a number, or deciphers it. */
function pad(secret: string, { mac, number }: { mac: Buffer; number: Buffer }): Buffer {
  const stream = keyed(secret, { use: 'pad', data: mac })
  return number.map((byte, index) => byte ^ (stream[index] ?? 0)) as Buffer
}

/** What is drawn for one use says nothing of another; cursors are signed with the same secrets. */
function keyed(secret: string, { use, data }: { use: string; data: string | Buffer }): Buffer {
  const mac = createHmac('sha256', secret).update(`stream ${use}\0`).update(data).digest()
  return mac.subarray(0, MAC_BYTES)
}
