import decodeQR from 'qr/decode.js'

/** Pixels per module: enough for the decoder to distinguish modules from noise. */
const SCALE = 4

/** Reads the QR code that an SVG draws, as a camera would: from its pixels. */
export function readQrCode(svg: string): string {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]) * SCALE
  const data = new Uint8ClampedArray(size * size * 4).fill(255)
  for (const [x, y] of darkModules(svg)) {
    for (let row = y * SCALE; row < (y + 1) * SCALE; row += 1) {
      const from = row * size + x * SCALE
      for (let pixel = from; pixel < from + SCALE; pixel += 1) data.set([0, 0, 0], 4 * pixel)
    }
  }
  return decodeQR({ width: size, height: size, data })
}

/** The path moves to each dark module, relatively except for the first, and draws around it. */
function darkModules(svg: string): readonly (readonly [x: number, y: number])[] {
  const path = /<path d="([^"]+)"/.exec(svg)?.[1] ?? ''
  let [x, y] = [0, 0]
  return Array.from(path.matchAll(/([Mm])(\d+|-\d+)[ ,]?(-?\d+)h1v1/g), ([, command, dx, dy]) => {
    const isRelative = command === 'm'
    x = (isRelative ? x : 0) + Number(dx)
    y = (isRelative ? y : 0) + Number(dy)
    return [x, y] as const
  })
}
