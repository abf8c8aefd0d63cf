import { Resolver as DnsResolver } from 'node:dns/promises'

/** Returns every IPv4 and IPv6 address of a host name; none if no server responds in time. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/**
 * Timeout of the first query to a server. c-ares doubles it for the second query, so a silent server costs 4.5 s of the
 * 8 s that a webhook attempt may take.
 */
const TIMEOUT_MS = 1500
const TRIES = 2

const LOOPBACK = ['127.0.0.1', '::1']

/**
 * Creates a resolver that queries DNS servers directly, by default the system's servers.
 *
 * It does not use `dns.lookup`, because a malicious name server could make each call of that function block one of
 * libuv's four threads, which file access also needs. `/etc/hosts` is therefore not read. `localhost` is loopback, as
 * required by RFC 6761 section 6.3.
 *
 * @param servers - such as `1.1.1.1` or `127.0.0.1:5353`; if empty, the system's servers are used
 * @param timeoutMs - timeout of the first query to each server
 */
export function createResolver(servers: readonly string[], timeoutMs = TIMEOUT_MS): Resolve {
  const resolver = new DnsResolver({ timeout: timeoutMs, tries: TRIES })
  if (servers.length > 0) resolver.setServers(servers)
  return async (hostname) => {
    if (/(^|\.)localhost\.?$/i.test(hostname)) return LOOPBACK
    const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  }
}
