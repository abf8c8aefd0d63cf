import encodeQR from 'qr'

/**
 * Draws a text as a QR code: an SVG, always dark on white.
 *
 * Four modules of quiet zone, as ISO/IEC 18004 asks; white behind, or a dark page would swallow it.
 */
export function drawQrCode(text: string): string {
  const svg = encodeQR(text, 'svg', { border: 4 })
  return svg.replace('>', '><rect width="100%" height="100%" fill="#fff"/>')
}
