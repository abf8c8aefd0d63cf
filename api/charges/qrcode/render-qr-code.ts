import encodeQR from 'qr'

/** Width of the quiet zone in modules, as ISO/IEC 18004 requires. */
const BORDER = 4

/**
 * Renders a text as a QR code in SVG, dark on white even on dark pages.
 *
 * Each run of dark modules in a row is one stroke. One square per module would make the SVG three times as large.
 *
 * @param ecc - level of error correction; `low` suffices for a code that is shown only on screens
 */
export function renderQrCode(text: string, ecc: 'low' | 'medium' = 'medium'): string {
  const rows = encodeQR(text, 'raw', { border: BORDER, ecc })
  const size = rows.length
  const path = rows.map(drawRow).join('')
  return `<svg viewBox="0 0 ${size} ${size}" xmlns="http://www.w3.org/2000/svg"><rect width="100%" height="100%" fill="#fff"/><path stroke="#000" shape-rendering="crispEdges" d="${path}"/></svg>`
}

/** Draws the runs of dark modules of a row. Each run after the first is relative to the end of the previous run. */
function drawRow(row: readonly (boolean | undefined)[], y: number): string {
  const text = row.map((isDark) => (isDark ? '1' : '0')).join('')
  let end = 0
  return Array.from(text.matchAll(/1+/g), ({ 0: run, index }) => {
    const move = end === 0 ? `M${index} ${y}.5` : `m${index - end} 0`
    end = index + run.length
    return `${move}h${run.length}`
  }).join('')
}
