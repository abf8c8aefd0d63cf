import { crc32, deflateSync } from 'node:zlib'

/** Makes a PNG of one colour. */
export function pngOf({
  width = 40,
  height = 40,
  chunks = [],
}: {
  readonly width?: number
  readonly height?: number
  /** Chunks before the picture. */
  readonly chunks?: readonly (readonly [name: string, data: Buffer])[]
} = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // 8 bits of each of red, green and blue.
  header.set([8, 2], 8)
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, 0x4d)])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...chunks.map(([name, data]) => chunk(name, data)),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Makes the frame of a JPEG: what stands before its pixels and behind them, and no pixels. */
export function jpegOf({ width = 40, height = 40 } = {}): Buffer {
  const frame = Buffer.alloc(19)
  frame.writeUInt32BE(0xffc0_0011, 0)
  frame[4] = 8
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  const start = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex')
  return Buffer.concat([start, frame, Buffer.from('ffda0008010100003f00', 'hex'), Buffer.from('ffd9', 'hex')])
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
