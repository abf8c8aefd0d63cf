import type { Context } from 'koa'
import { X402_CORS } from '../charges/pay-by-signature/x402/cors.ts'
import { addressBucket } from '../http/middleware/rate-limit.ts'
import { checkCheckout } from './check-checkout.ts'
import { findClaimResource } from './claim/serve-claim.ts'
import { serveEscrow } from './escrow/serve-escrow.ts'
import { pageHeaders } from './page-headers.ts'
import { getPageLocale } from './page-locale.ts'
import { payByX402 } from './pay-by-x402.ts'
import { payCheckoutBySignature } from './pay-checkout-by-signature.ts'
import { quoteCheckout } from './quote-checkout.ts'
import { buildPageState } from './read-pages.ts'
import { renderCheckout } from './render-checkout.ts'
import { renderCheckoutQrCode } from './render-checkout-qr-code.ts'
import type { ReadAt, Resource, ResourceDeps } from './resource.ts'

const READ = ['GET', 'HEAD']

const RESOURCES: readonly Resource[] = [
  {
    ...{ path: '', methods: READ, page: 'checkout', isCompressed: true },
    answer: (ctx, { checkout, now, frameOrigins }, { config }) => {
      ctx.set(pageHeaders(frameOrigins, checkout))
      ctx.body = renderCheckout(checkout, {
        frameOrigins,
        query: new URLSearchParams(ctx.querystring),
        now,
        pageUrl: `${config.checkoutBaseUrl?.replace(/\/$/, '') ?? ''}/${checkout.id}`,
        hasWalletLinks: config.checkoutHasWalletLinks,
        ...getPageLocale(ctx, 'checkout'),
      })
    },
  },
  {
    ...{ path: '/state.json', methods: READ, isCompressed: true },
    answer: (ctx, { checkout }) => {
      ctx.body = checkout
    },
  },
  { ...{ path: '/events', methods: READ }, answer: streamState },
  {
    ...{ path: '/qr.svg', methods: READ, isCompressed: true },
    answer: (ctx, { checkout }) => {
      const svg = renderCheckoutQrCode(checkout, new URLSearchParams(ctx.querystring))
      ctx.type = 'image/svg+xml'
      ctx.body = svg
    },
  },
  {
    ...{
      path: '/escrow',
      methods: [...READ, 'POST'],
      page: 'escrow',
      isCompressed: true,
      isNeverFramed: true,
    },
    answer: serveEscrow,
  },
  { ...{ path: '/check', methods: ['POST'] }, answer: checkCheckout },
  { ...{ path: '/quote', methods: ['POST'] }, answer: quoteCheckout },
  { ...{ path: '/authorization', methods: ['GET', 'POST'] }, answer: payCheckoutBySignature },
  {
    ...{ path: '/x402', methods: ['GET', 'OPTIONS'], headers: X402_CORS },
    answer: payByX402,
  },
]

const BY_PATH: ReadonlyMap<string, Resource> = new Map(
  RESOURCES.map((resource) => [resource.path, resource] as const),
)

/** Finds a resource by its path below a charge's page; returns `null` if there is none. */
export function findResource(path: string): Resource | null {
  return BY_PATH.get(path) ?? findClaimResource(path)
}

/**
 * Streams the page's state, or only the revisions with `only=revision`, which the page's script requests. Responds with
 * 204 to a client that already has the final state.
 */
function streamState(ctx: Context, at: ReadAt, { hub }: ResourceDeps): void {
  const { revision, isFinal } = buildPageState(at, at.now)
  if (isFinal && ctx.get('last-event-id') === hub.ids.ofState(revision)) {
    ctx.status = 204
    return
  }
  const chargeId = at.checkout.id
  const isShort = new URLSearchParams(ctx.querystring).get('only') === 'revision'
  hub.followPage(chargeId, hub.openPage(ctx, { address: addressBucket(ctx.ip), chargeId }), { isShort })
}
