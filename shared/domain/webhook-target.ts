import ipaddr from 'ipaddr.js'
import { AppError } from './errors.ts'

/** A range of addresses that webhooks may target although it is not public, perhaps over plain http. */
export type AllowedTarget = { readonly cidr: string; readonly allowsHttp: boolean }

/** How an address may be targeted: over https, over plain http too, or not at all. */
export type Reach = 'https' | 'http' | 'none'

const MAX_URL_LENGTH = 2048

/**
 * Reads the URL of a webhook, without asking anybody about its host.
 *
 * WHATWG parsing turns every notation of an IPv4 address (`0x7f.1`, `2130706433`, `0177.0.0.1`) into dotted decimals,
 * so whoever judges the host of this URL sees what the dialler sees.
 *
 * @throws {AppError} `invalid_webhook_url`, `insecure_webhook_url` for http that no allowed range waives, or
 *   `unsafe_webhook_url` for credentials in it (decisions 6.2, 6.8)
 */
export function parseWebhookUrl(text: string, allowed: readonly AllowedTarget[]): URL {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : null
  if (url === null || url.hostname === '') {
    throw refuse('invalid_webhook_url', `is no URL of at most ${MAX_URL_LENGTH} characters with a host`)
  }
  const isHttp = url.protocol === 'http:' && allowed.some(({ allowsHttp }) => allowsHttp)
  if (url.protocol !== 'https:' && !isHttp) {
    throw refuse(
      'insecure_webhook_url',
      `begins with ${url.protocol.slice(0, 20)} and must begin with https:`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse('unsafe_webhook_url', 'has credentials in it; put a secret path there instead')
  }
  return url
}

/**
 * Throws unless every address that a webhook's host has may be targeted in the way its URL asks for.
 *
 * All of them, because whoever dials may take any: one private answer among public ones is an attack or a mistake.
 *
 * @throws {AppError} `unresolvable_webhook_url` without any address, `unsafe_webhook_url`, `insecure_webhook_url`
 */
export function requireReachable(
  url: URL,
  { addresses, allowed }: { addresses: readonly string[]; allowed: readonly AllowedTarget[] },
): void {
  const { hostname } = url
  if (addresses.length === 0)
    throw refuse('unresolvable_webhook_url', `names ${hostname}, which has no address`)
  const reaches = addresses.map((address) => reachOf(address, allowed))
  if (reaches.includes('none')) {
    throw refuse('unsafe_webhook_url', `leads to an address of ${hostname} that is not public`)
  }
  if (url.protocol === 'http:' && reaches.includes('https')) {
    throw refuse('insecure_webhook_url', `begins with http:, which ${hostname} is not exempt to use`)
  }
}

/**
 * Answers how an address may be targeted: public ones over https, others only as the allowed ranges say.
 *
 * Public is what IANA's registries call globally reachable unicast, and of IPv6 only 2000::/3 without the ranges that
 * carry an IPv4 address inside (6to4, Teredo) or belong to protocols. What is no address at all is refused.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry, …/iana-ipv6-special-registry (2026-11-20)
 */
export function reachOf(text: string, allowed: readonly AllowedTarget[]): Reach {
  // Only the canonical notations; the loose ones (octal, one number) mean different things to different readers.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return 'none'
  const address = ipaddr.parse(text)
  const ranges = allowed.filter(({ cidr }) => isWithin(address, cidr))
  if (ranges.some(({ allowsHttp }) => allowsHttp)) return 'http'
  return ranges.length > 0 || isPublic(address) ? 'https' : 'none'
}

/** Answers the host of a URL as an address without brackets, or `null` if it is a name. */
export function literalOf(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return ipaddr.isValid(bare) ? bare : null
}

type IpAddress = ReturnType<typeof ipaddr.parse>

/** What ipaddr.js takes for ordinary unicast and is not for strangers. */
const NOT_PUBLIC = [
  '168.63.129.16/32', // Azure's own services of a virtual machine
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

function refuse(
  code: 'invalid_webhook_url' | 'insecure_webhook_url' | 'unresolvable_webhook_url' | 'unsafe_webhook_url',
  reason: string,
): AppError {
  return new AppError(code, `url ${reason}`, { param: 'url', retryable: false })
}
