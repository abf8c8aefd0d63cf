import encodeQR from 'qr'

/**
 * Renders a text as a QR code: an SVG, always dark on white.
 *
 * It has a quiet zone of four modules, as ISO/IEC 18004 requires, and a white background for dark pages.
 */
export function renderQrCode(text: string): string {
  const svg = encodeQR(text, 'svg', { border: 4 })
  return svg.replace('>', '><rect width="100%" height="100%" fill="#fff"/>')
}
