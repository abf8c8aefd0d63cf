import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Middleware } from 'koa'

/**
 * Sets `ctx.ip` to the client's address: the address that the outermost of our proxies appended to `X-Forwarded-For`.
 *
 * Entries further left might be forged. If the entry is missing or not an address, as behind a TCP proxy, which adds no
 * header, uses the socket's address.
 *
 * @param trustedProxies - number of our proxies that append to the header; with 0 the header is ignored
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

/** Removes the port, because some proxies write `203.0.113.7:49152` or `[2001:db8::1]:49152`. */
function withoutPort(text: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? []
  return bracketed ?? plain ?? text
}
