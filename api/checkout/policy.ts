import { createHash } from 'node:crypto'
import { STYLE } from './style.ts'

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/**
 * The headers of every page: it loads and runs nothing but its own script, from here, and stands in no frame. Pictures may
 * stand in the page itself, as the icons that wallets announce do.
 *
 * Its address is the secret: it is kept by nobody, told to no other site, and in no index.
 */
export const PAGE_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  // Some wallets open a window of their own, and must be able to answer.
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
} as const
