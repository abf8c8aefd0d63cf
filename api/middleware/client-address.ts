import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Middleware } from 'koa'

/**
 * Makes `ctx.ip` the address a request came from: the socket's, or what the outermost of our proxies saw.
 *
 * Each proxy appends to `X-Forwarded-For` the address it was asked from, so that what stands further left is the
 * client's own invention. What is no address there, as a proxy that speaks no HTTP or a forger writes it, is nobody to
 * be told apart by: then the socket's counts.
 *
 * @param trustedProxies - how many proxies of ours append to the header; 0 believes none of it
 */
export function clientAddress(trustedProxies: number): Middleware {
  return (ctx, next) => {
    ctx.request.ip = forwardedAddress(ctx.req, trustedProxies) ?? ctx.req.socket.remoteAddress ?? ''
    return next()
  }
}

function forwardedAddress({ headers }: IncomingMessage, trustedProxies: number): string | null {
  if (trustedProxies === 0) return null
  const entries = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
  const [outermost = ''] = entries.slice(-trustedProxies)
  const address = withoutPort(outermost.trim())
  return isIP(address) === 0 ? null : address
}

/** Some proxies write `203.0.113.7:49152` or `[2001:db8::1]:49152`. */
function withoutPort(text: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? []
  return bracketed ?? plain ?? text
}
