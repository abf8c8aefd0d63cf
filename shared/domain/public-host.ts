import { getTargetReach, parseIpLiteral } from './webhook-target.ts'

/** Suffixes of private host names: RFC 6761, RFC 6762, RFC 8375, and the internal names of cloud providers. */
const PRIVATE_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa']

/**
 * Returns whether the host of a URL can be public: a name with a dot outside the private suffixes, or a public address.
 *
 * @param hostname - normalized by `URL`, which converts octal and short forms of addresses to dotted decimals
 */
export function isPublicHost(hostname: string): boolean {
  const literal = parseIpLiteral(hostname)
  if (literal !== null) return getTargetReach(literal, []) !== 'none'
  const name = hostname.toLowerCase().replace(/\.$/, '')
  const isPrivate = PRIVATE_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
  return name.includes('.') && !isPrivate
}
