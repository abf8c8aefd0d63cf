import { createHash } from 'node:crypto'
import { STYLE } from './style.ts'

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/**
 * Answers the headers of every page: it loads and runs nothing but its own script, from here, and stands in a frame of
 * none but these origins. Pictures may stand in the page itself, as the icons that wallets announce do.
 *
 * Its address is the secret: it is kept by nobody, told to no other site, and in no index.
 */
export function pageHeaders(frameOrigins: readonly string[]): Readonly<Record<string, string>> {
  const ancestors = frameOrigins.length === 0 ? "'none'" : frameOrigins.join(' ')
  return { ...HEADERS, 'Content-Security-Policy': `${POLICY}; frame-ancestors ${ancestors}` }
}

const POLICY = `default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self'`

const HEADERS = {
  'Cache-Control': 'no-store',
  // Some wallets open a window of their own, and must be able to answer.
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
} as const
