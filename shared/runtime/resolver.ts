import { Resolver as DnsResolver } from 'node:dns/promises'

/** Answers every IPv4 and IPv6 address of a host name; none if it has none or nobody answers in time. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/**
 * Each server is asked twice, and c-ares gives it twice as long the second time: one that is silent costs 4.5 s, of the
 * 8 s that an attempt at a webhook has in all.
 */
const TIMEOUT_MS = 1500
const TRIES = 2

const LOOPBACK = ['127.0.0.1', '::1']

/**
 * Makes a resolver that asks DNS servers itself, by default those of the system.
 *
 * Not `dns.lookup`: that blocks one of libuv's four threads for as long as a hostile name server likes, and four
 * such names would stop every other. So `/etc/hosts` is not read; `localhost` is loopback, as RFC 6761 section 6.3
 * has it.
 *
 * @param servers - such as `1.1.1.1` or `127.0.0.1:5353`; none means the system's
 * @param timeoutMs - of the first ask of each
 */
export function createResolver(servers: readonly string[], timeoutMs = TIMEOUT_MS): Resolve {
  const resolver = new DnsResolver({ timeout: timeoutMs, tries: TRIES })
  if (servers.length > 0) resolver.setServers(servers)
  return async (hostname) => {
    if (/(^|\.)localhost\.?$/i.test(hostname)) return LOOPBACK
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}
