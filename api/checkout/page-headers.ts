import { createHash } from 'node:crypto'
import { imageOrigins } from './products.ts'
import type { Checkout } from './project.ts'
import { RELOAD } from './reload.ts'
import { accentStyle, STYLE } from './style.ts'

/** The page's content that its content security policy must allow. */
type PageContent = Pick<Checkout, 'brand' | 'products' | 'howToPay'>

const EMPTY_CONTENT: PageContent = { brand: null, products: [], howToPay: null }

/**
 * Returns the headers of every page. They allow:
 *
 * - scripts: only from this origin, and the inline script that reloads the page;
 * - frames: only pages of `frameOrigins` may embed the page;
 * - images: from this origin, from the origins of the charge's product images, and embedded ones, such as wallet icons;
 * - connections: to this origin and, for wallets that build transactions inside the page (TRON), to a public node of
 *   the chain on which they pay.
 *
 * The page's URL is a secret. So the page must not be cached or indexed, and other sites must not receive the URL as a
 * referrer.
 *
 * @param own - the content of a page that shows a charge
 */
export function pageHeaders(
  frameOrigins: readonly string[],
  own: PageContent = EMPTY_CONTENT,
): Readonly<Record<string, string>> {
  return { ...HEADERS, 'Content-Security-Policy': buildPolicy(frameOrigins, own) }
}

function buildPolicy(frameOrigins: readonly string[], { brand, products, howToPay }: PageContent): string {
  const styles = brand?.accent ? [STYLE_HASH, toHashSource(accentStyle(brand.accent))] : [STYLE_HASH]
  const ancestors = frameOrigins.length === 0 ? "'none'" : frameOrigins.join(' ')
  return [
    `default-src 'none'`,
    `script-src 'self' ${toHashSource(RELOAD)}`,
    ['connect-src', `'self'`, ...listNodeOrigins(howToPay)].join(' '),
    ['img-src', `'self'`, 'data:', ...imageOrigins(products)].join(' '),
    `style-src ${styles.join(' ')}`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors ${ancestors}`,
  ].join('; ')
}

/**
 * Lists the node origins for pairs whose wallets take no prepared call. The tronweb of such a wallet runs inside the
 * page, so the page's policy applies to its requests; other wallets send requests from outside the page. Without this
 * origin the wallet could neither build nor send a transfer. The wallet uses the first node of the network's registry
 * entry; other nodes stay blocked.
 */
function listNodeOrigins(howToPay: PageContent['howToPay']): readonly string[] {
  const urls = (howToPay?.payments ?? []).flatMap(({ transfer, chain }) =>
    transfer === null ? (chain?.rpcUrls.slice(0, 1) ?? []) : [],
  )
  return [...new Set(urls.map((url) => new URL(url).origin))]
}

function toHashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

const STYLE_HASH = toHashSource(STYLE)

const HEADERS = {
  'Cache-Control': 'no-store',
  // Some wallets open a window, which must be able to respond to the page.
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
} as const
