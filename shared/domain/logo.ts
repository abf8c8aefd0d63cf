/** An image that is allowed on payers' pages. */
export type Logo = {
  readonly type: 'image/png' | 'image/jpeg'
  readonly bytes: Uint8Array
}

/** Maximum size of a logo: 64 KiB. Payers wait for it in addition to the page's 12 kB. */
export const MAX_LOGO_BYTES = 65_536

/** Maximum pixels per side. A small file can have many pixels, all of which use the payer's memory. */
const MAX_LOGO_PIXELS = 1024

/** A logo, or its problem, which completes the sentence "the logo …". */
export type LogoResult =
  | { readonly ok: true; readonly logo: Logo }
  | { readonly ok: false; readonly problem: string }

/**
 * Parses a logo by its bytes, regardless of the file name. Accepts only PNG and JPEG, because they cannot contain code,
 * and rejects animations.
 *
 * A PNG must end with its last chunk, and a JPEG with its end marker, so that files that are valid in two formats are
 * rejected. The image data is not decoded.
 *
 * @see https://www.w3.org/TR/png-3/ and ITU-T T.81 annex B
 */
export function parseLogo(bytes: Uint8Array): LogoResult {
  if (bytes.length > MAX_LOGO_BYTES)
    return reject(`has ${bytes.length} bytes: must have at most ${MAX_LOGO_BYTES}`)
  if (startsWith(bytes, PNG)) return validateSize('image/png', bytes, readPng(bytes))
  if (startsWith(bytes, JPEG)) return validateSize('image/jpeg', bytes, readJpeg(bytes))
  return reject('is neither a PNG nor a JPEG by its bytes: must be one of them (SVG is not accepted)')
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const JPEG = [0xff, 0xd8, 0xff]

/** In pixels. */
type Size = readonly [width: number, height: number]

function validateSize(type: Logo['type'], bytes: Uint8Array, size: Size | string): LogoResult {
  if (typeof size === 'string') return reject(size)
  const isShown = size.every((side) => side >= 1 && side <= MAX_LOGO_PIXELS)
  if (!isShown) {
    const limit = `must have 1 to ${MAX_LOGO_PIXELS} pixels on each side`
    return reject(`has ${size[0]} × ${size[1]} pixels: ${limit}`)
  }
  return { ok: true, logo: { type, bytes } }
}

function reject(problem: string): LogoResult {
  return { ok: false, problem }
}

/**
 * Returns the size of a PNG, or its problem. A chunk consists of its length (4 bytes), name (4 bytes), data and
 * checksum (4 bytes).
 */
function readPng(bytes: Uint8Array): Size | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let size: Size | null = null
  for (let at = PNG.length; at + 12 <= bytes.length; ) {
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    const end = at + 12 + view.getUint32(at)
    if (name === 'acTL') return 'is animated: must be a still picture'
    if (name === 'IHDR' && end <= bytes.length) size = [view.getUint32(at + 8), view.getUint32(at + 12)]
    if (name === 'IEND' && size !== null) return end === bytes.length ? size : TRAILING
    at = end
  }
  return CUT_OFF
}

/** Returns the size of a JPEG, or its problem. The frame segment, which contains the size, must precede the scan. */
function readJpeg(bytes: Uint8Array): Size | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let size: Size | null = null
  for (let at = 2; at + 9 <= bytes.length; ) {
    const marker = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff || marker === 0xff) return CUT_OFF
    if (isFrame(marker)) size = [view.getUint16(at + 7), view.getUint16(at + 5)]
    if (marker === SCAN) {
      const isEnded = view.getUint16(bytes.length - 2) === END
      return size !== null && isEnded ? size : isEnded ? CUT_OFF : TRAILING
    }
    at += 2 + view.getUint16(at + 2)
  }
  return CUT_OFF
}

/** Returns whether a marker is SOF0 to SOF15. Three numbers in this range have another meaning. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

const SCAN = 0xda
const END = 0xffd9
const CUT_OFF = 'is truncated or malformed'
const TRAILING = 'does not end where its picture ends: data may be hidden behind it'

function startsWith(bytes: Uint8Array, beginning: readonly number[]): boolean {
  return beginning.every((byte, index) => bytes[index] === byte)
}
