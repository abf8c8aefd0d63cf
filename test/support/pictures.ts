import { crc32, deflateSync } from 'node:zlib'

type Pixel = readonly [red: number, green: number, blue: number]

/** Creates a PNG, of one colour by default. */
export function createPng({
  width = 40,
  height = 40,
  chunks = [],
  pixelAt = () => [0x4d, 0x7a, 0x4d],
}: {
  readonly width?: number
  readonly height?: number
  readonly pixelAt?: (x: number, y: number) => Pixel
  /** Chunks to insert before the pixel data. */
  readonly chunks?: readonly (readonly [name: string, data: Buffer])[]
} = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // 8 bits per channel, colour type RGB.
  header.set([8, 2], 8)
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (__, x) => pixelAt(x, y)).flat()]),
  )
  const pixels = deflateSync(Buffer.concat(rows))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...chunks.map(([name, data]) => chunk(name, data)),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Creates the logo of a tea merchant: a leaf, the intersection of two circles. */
export function createLogo(): Buffer {
  const isIn = (x: number, y: number, at: number) => (x - at) ** 2 + (y - at) ** 2 < 62 ** 2
  const pixelAt = (x: number, y: number): Pixel =>
    isIn(x, y, 22) && isIn(x, y, 74)
      ? Math.abs(x + y - 96) < 3
        ? [255, 255, 255]
        : [31, 122, 77]
      : [255, 255, 255]
  return createPng({ width: 96, height: 96, pixelAt })
}

/** Creates a JPEG that has headers and no pixel data. */
export function createJpeg({ width = 40, height = 40 } = {}): Buffer {
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
