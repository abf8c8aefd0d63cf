import { isPublicHost } from '../../shared/domain/public-host.ts'
import { parseWebUrl } from '../../shared/domain/web-url.ts'

/** One thing that is paid for; `imageUrl` is an `https:` address that the payer's browser alone asks, or `null`. */
export type Product = {
  readonly name: string
  readonly quantity: number | null
  readonly imageUrl: string | null
}

/** The specification's limit of `metadata.service.products`. */
const MAX_PRODUCTS = 20

/**
 * Characters of all origins of pictures together, which stand in a header: proxies take headers of 4 kB in all, and a
 * merchant's pictures come from one or two.
 */
const MAX_ORIGINS_LENGTH = 1000

/**
 * Answers the products of a charge's metadata, nothing else of which payers are shown; what was checked at creation is not
 * trusted again.
 *
 * @param show.hasImages - `false`: all are without a picture
 */
export function productsOf(metadata: unknown, show: { readonly hasImages: boolean }): readonly Product[] {
  const products = memberOf(memberOf(metadata, 'service'), 'products')
  if (!Array.isArray(products)) return []
  const read = products.slice(0, MAX_PRODUCTS).flatMap((product: unknown) => {
    const name = memberOf(product, 'name')
    const quantity = memberOf(product, 'quantity')
    if (typeof name !== 'string') return []
    const imageUrl = show.hasImages ? imageUrlOf(memberOf(product, 'imageUrl')) : null
    return [{ name, quantity: typeof quantity === 'number' ? quantity : null, imageUrl }]
  })
  const origins = imageOrigins(read)
  return read.map((product) =>
    product.imageUrl !== null && !origins.includes(new URL(product.imageUrl).origin)
      ? { ...product, imageUrl: null }
      : product,
  )
}

/** Answers where the pictures of these products come from, each once, as many as a header may name. */
export function imageOrigins(products: readonly Product[]): readonly string[] {
  const origins = new Set(products.flatMap(({ imageUrl }) => (imageUrl ? new URL(imageUrl).origin : [])))
  let length = 0
  return [...origins].filter((origin) => {
    length += origin.length + 1
    return length <= MAX_ORIGINS_LENGTH
  })
}

/** Over `https:` only: another picture could be put in its place on the way, and browsers refuse it. */
function imageUrlOf(value: unknown): string | null {
  const url = typeof value === 'string' ? parseWebUrl(value) : null
  if (url?.protocol !== 'https:' || !PLAIN_HOST.test(url.host)) return null
  return isPublicHost(url.hostname) ? url.href : null
}

/** A host may have `;`, `,` and `*` in it, with which a merchant would write the page's policy. */
const PLAIN_HOST = /^[a-z0-9.-]+(:\d+)?$/

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
