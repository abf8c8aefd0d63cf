import { literalOf, reachOf } from './webhook-target.ts'

/** Names that are no public host: RFC 6761, RFC 6762, RFC 8375, and what cloud providers use inside. */
const PRIVATE_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa']

/**
 * Checks whether the host of a URL can be public: a name with a dot outside the private suffixes, or a public address.
 *
 * @param hostname - as `URL` writes it, which has turned octal and short forms of addresses into the usual one
 */
export function isPublicHost(hostname: string): boolean {
  const literal = literalOf(hostname)
  if (literal !== null) return reachOf(literal, []) !== 'none'
  const name = hostname.toLowerCase().replace(/\.$/, '')
  const isPrivate = PRIVATE_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
  return name.includes('.') && !isPrivate
}
