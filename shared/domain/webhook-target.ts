import ipaddr from 'ipaddr.js'
import { AppError } from './errors.ts'

/** A range of non-public addresses that webhooks may target, possibly over plain http. */
export type AllowedTarget = { readonly cidr: string; readonly allowsHttp: boolean }

/** The protocols over which an address may be targeted. `http` means both https and plain http. */
export type TargetReach = 'https' | 'http' | 'none'

const MAX_URL_LENGTH = 2048

/**
 * Parses the URL of a webhook without resolving its host.
 *
 * WHATWG parsing converts every notation of an IPv4 address (`0x7f.1`, `2130706433`, `0177.0.0.1`) to dotted decimals,
 * so a check of the returned host applies to the address that is connected to.
 *
 * @throws {AppError} `invalid_webhook_url`, `insecure_webhook_url` for http outside the ranges that allow it, or
 * `unsafe_webhook_url` for credentials in the URL (decisions 6.2, 6.8)
 */
export function parseWebhookUrl(text: string, allowed: readonly AllowedTarget[]): URL {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : null
  if (url === null || url.hostname === '') {
    throw createUrlError(
      'invalid_webhook_url',
      `is not a URL of at most ${MAX_URL_LENGTH} characters with a host`,
    )
  }
  const isHttp = url.protocol === 'http:' && allowed.some(({ allowsHttp }) => allowsHttp)
  if (url.protocol !== 'https:' && !isHttp) {
    throw createUrlError(
      'insecure_webhook_url',
      `starts with ${url.protocol.slice(0, 20)} but must start with https:`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw createUrlError('unsafe_webhook_url', 'contains credentials; use a secret path instead')
  }
  return url
}

/**
 * Throws unless every address of a webhook's host may be targeted over the URL's protocol.
 *
 * All addresses must be allowed, because the connection may use any of them.
 *
 * @throws {AppError} `unresolvable_webhook_url` if there is no address, `unsafe_webhook_url` if an address may not be
 * targeted, or `insecure_webhook_url` if an address may not be targeted over plain http
 */
export function requireReachable(
  url: URL,
  { addresses, allowed }: { addresses: readonly string[]; allowed: readonly AllowedTarget[] },
): void {
  const { hostname } = url
  if (addresses.length === 0)
    throw createUrlError('unresolvable_webhook_url', `has the host ${hostname}, which has no address`)
  const reaches = addresses.map((address) => getTargetReach(address, allowed))
  if (reaches.includes('none')) {
    throw createUrlError(
      'unsafe_webhook_url',
      `has the host ${hostname}, which resolves to an address that is not public`,
    )
  }
  if (url.protocol === 'http:' && reaches.includes('https')) {
    throw createUrlError('insecure_webhook_url', `starts with http:, which is not allowed for ${hostname}`)
  }
}

/**
 * Returns the protocols over which an address may be targeted. An address outside the allowed ranges may be targeted
 * only if it is public, and only over https. The result for text that is not an address is `none`.
 *
 * An address is public if IANA's registries list it as globally reachable unicast. For IPv6 this means only 2000::/3,
 * without the ranges that embed an IPv4 address (6to4, Teredo) or are assigned to protocols.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry, …/iana-ipv6-special-registry (2026-11-20)
 */
export function getTargetReach(text: string, allowed: readonly AllowedTarget[]): TargetReach {
  // IPv4 must be four decimals, because programs interpret other notations (octal, one number) differently.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return 'none'
  const address = ipaddr.parse(text)
  const ranges = allowed.filter(({ cidr }) => isWithin(address, cidr))
  if (ranges.some(({ allowsHttp }) => allowsHttp)) return 'http'
  return ranges.length > 0 || isPublic(address) ? 'https' : 'none'
}

/** Returns the host of a URL as an address without brackets, or `null` if it is a name. */
export function parseIpLiteral(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return ipaddr.isValid(bare) ? bare : null
}

type IpAddress = ReturnType<typeof ipaddr.parse>

/** Ranges that are not public, but that ipaddr.js classifies as ordinary unicast. */
const NOT_PUBLIC = [
  '168.63.129.16/32', // Azure's own services for virtual machines
  '2001::/23', // IETF protocol assignments, RFC 2928
  '2620:4f:8000::/48', // AS112, RFC 7534
  '3fff::/20', // documentation, RFC 9637
]

const GLOBAL_UNICAST = '2000::/3'

function isPublic(address: IpAddress): boolean {
  if (address.range() !== 'unicast') return false
  if (address.kind() === 'ipv6' && !isWithin(address, GLOBAL_UNICAST)) return false
  return !NOT_PUBLIC.some((cidr) => isWithin(address, cidr))
}

function isWithin(address: IpAddress, cidr: string): boolean {
  const [range, bits] = ipaddr.parseCIDR(cidr)
  return address.kind() === range.kind() && address.match(range, bits)
}

function createUrlError(
  code: 'invalid_webhook_url' | 'insecure_webhook_url' | 'unresolvable_webhook_url' | 'unsafe_webhook_url',
  reason: string,
): AppError {
  return new AppError(code, `url ${reason}`, { param: 'url', retryable: false })
}
