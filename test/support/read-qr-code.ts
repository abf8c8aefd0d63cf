import decodeQR from 'qr/decode.js'

/** Pixels per module: enough for the decoder to distinguish modules from noise. */
const SCALE = 4

/**
 * Reads the QR code that an SVG draws, as a camera would: from its pixels. Accepts the SVG as the service writes it and
 * as a browser serializes it.
 */
export function readQrCode(svg: string): string {
  const [, side, path = ''] =
    /viewBox="0 0 (\d+) \1"[^>]*><rect[^>]*>(?:<\/rect>)?<path [^>]*d="([^"]+)"/.exec(svg) ?? []
  const size = Number(side) * SCALE
  const data = new Uint8ClampedArray(size * size * 4).fill(255)
  for (const [x, y] of darkModules(path)) {
    for (let row = y * SCALE; row < (y + 1) * SCALE; row += 1) {
      const from = row * size + x * SCALE
      for (let pixel = from; pixel < from + SCALE; pixel += 1) data.set([0, 0, 0], 4 * pixel)
    }
  }
  return decodeQR({ width: size, height: size, data })
}

/**
 * Lists the dark modules. The path strokes each run of them, starting at an absolute position or relative to the end of
 * the previous run.
 */
function darkModules(path: string): readonly (readonly [x: number, y: number])[] {
  let [end, y] = [0, 0]
  return Array.from(path.matchAll(/([Mm])(\d+) (\d+)(?:\.5)?h(\d+)/g), ([, command, x, row, length]) => {
    const start = command === 'm' ? end + Number(x) : Number(x)
    if (command === 'M') y = Number(row)
    end = start + Number(length)
    return Array.from({ length: Number(length) }, (_, index) => [start + index, y] as const)
  }).flat()
}
