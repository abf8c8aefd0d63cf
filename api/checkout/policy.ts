import { createHash } from 'node:crypto'
import { imageOrigins } from './products.ts'
import type { Checkout } from './project.ts'
import { RELOAD } from './reload.ts'
import { accentStyle, STYLE } from './style.ts'

/** What a page has of its own, beside what all have. */
type Own = Pick<Checkout, 'brand' | 'products' | 'howToPay'>

const NOTHING: Own = { brand: null, products: [], howToPay: null }

/**
 * Answers the headers of every page: it loads and runs nothing but its own script, from here, and stands in a frame of
 * none but these origins. Pictures come from here or stand in the page itself, as the icons that wallets announce do, and
 * those of products from the origins that the page names and no others. Wallets that make their transactions within the
 * page, as those of TRON do, may ask the public node of the chain that it asks to be paid on.
 *
 * Its address is the secret: it is kept by nobody, told to no other site, and in no index.
 *
 * @param own - of a page that shows a charge
 */
export function pageHeaders(
  frameOrigins: readonly string[],
  own: Own = NOTHING,
): Readonly<Record<string, string>> {
  return { ...HEADERS, 'Content-Security-Policy': policyOf(frameOrigins, own) }
}

function policyOf(frameOrigins: readonly string[], { brand, products, howToPay }: Own): string {
  const styles = brand?.accent ? [STYLE_HASH, hashOf(accentStyle(brand.accent))] : [STYLE_HASH]
  const ancestors = frameOrigins.length === 0 ? "'none'" : frameOrigins.join(' ')
  return [
    `default-src 'none'`,
    `script-src 'self' ${hashOf(RELOAD)}`,
    ['connect-src', `'self'`, ...nodeOrigins(howToPay)].join(' '),
    ['img-src', `'self'`, 'data:', ...imageOrigins(products)].join(' '),
    `style-src ${styles.join(' ')}`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors ${ancestors}`,
  ].join('; ')
}

/**
 * Of chains in our registry, whose wallets take no prepared call: their tronweb is a part of the page and bound by its
 * policy, while other wallets ask from outside it. Without this it could not make, and not send, a transfer. They ask the
 * network's own node, the first of the registry; the policy stays closed to the others.
 */
function nodeOrigins(howToPay: Own['howToPay']): readonly string[] {
  const urls = (howToPay?.payments ?? []).flatMap(({ transfer, chain }) =>
    transfer === null ? (chain?.rpcUrls.slice(0, 1) ?? []) : [],
  )
  return [...new Set(urls.map((url) => new URL(url).origin))]
}

/** Of what stands in the page as it is. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

const STYLE_HASH = hashOf(STYLE)

const HEADERS = {
  'Cache-Control': 'no-store',
  // Some wallets open a window of their own, and must be able to answer.
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
} as const
