import { isPublicHost } from '../../shared/domain/public-host.ts'
import { parseWebUrl } from '../../shared/domain/web-url.ts'

/** One purchased item. Only the payer's browser requests `imageUrl`, which is an `https:` URL or `null`. */
export type Product = {
  readonly name: string
  readonly quantity: number | null
  readonly imageUrl: string | null
}

/** The specification's limit for `metadata.service.products`. */
const MAX_PRODUCTS = 20

/**
 * Maximum total length of the picture origins, which are part of the content security policy header. Common proxies
 * accept at least 4 kB of headers in total, and a merchant's pictures usually come from one or two origins.
 */
const MAX_ORIGINS_LENGTH = 1000

/**
 * Returns the products in a charge's metadata, the only part of the metadata that payers see. Does not rely on the
 * validation at creation.
 *
 * @param show.hasImages - `false`: omit all pictures
 */
export function listProducts(metadata: unknown, show: { readonly hasImages: boolean }): readonly Product[] {
  const products = getMember(getMember(metadata, 'service'), 'products')
  if (!Array.isArray(products)) return []
  const parsed = products.slice(0, MAX_PRODUCTS).flatMap((product: unknown) => {
    const name = getMember(product, 'name')
    const quantity = getMember(product, 'quantity')
    if (typeof name !== 'string') return []
    const imageUrl = show.hasImages ? parseImageUrl(getMember(product, 'imageUrl')) : null
    return [{ name, quantity: typeof quantity === 'number' ? quantity : null, imageUrl }]
  })
  const origins = imageOrigins(parsed)
  return parsed.map((product) =>
    product.imageUrl !== null && !origins.includes(new URL(product.imageUrl).origin)
      ? { ...product, imageUrl: null }
      : product,
  )
}

/** Returns the distinct origins of these products' pictures, up to `MAX_ORIGINS_LENGTH` characters. */
export function imageOrigins(products: readonly Product[]): readonly string[] {
  const origins = new Set(products.flatMap(({ imageUrl }) => (imageUrl ? new URL(imageUrl).origin : [])))
  let length = 0
  return [...origins].filter((origin) => {
    length += origin.length + 1
    return length <= MAX_ORIGINS_LENGTH
  })
}

/**
 * Returns the URL of a picture, or `null`. Accepts only public hosts and `https:`: a picture over `http:` could be
 * replaced in transit, and browsers block it.
 */
function parseImageUrl(value: unknown): string | null {
  const url = typeof value === 'string' ? parseWebUrl(value) : null
  if (url?.protocol !== 'https:' || !PLAIN_HOST.test(url.host)) return null
  return isPublicHost(url.hostname) ? url.href : null
}

/**
 * A host without special characters. With `;`, `,` or `*`, which other hosts may contain, a merchant could change the
 * page's content security policy.
 */
const PLAIN_HOST = /^[a-z0-9.-]+(:\d+)?$/

function getMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
