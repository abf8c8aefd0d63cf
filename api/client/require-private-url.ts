/** Thrown for an unencrypted URL to another machine. The message names the alternatives. */
export class InsecureUrl extends Error {}

/**
 * Requires that requests to the URL are encrypted or stay on this machine. Otherwise anyone on the network path could
 * read the API key and forge responses.
 *
 * @throws {InsecureUrl} naming the host
 */
export function requirePrivateUrl(name: string, url: string): void {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || protocol === 'wss:' || isLoopback(hostname)) return
  throw new InsecureUrl(
    `${name} goes to ${hostname} over ${protocol.slice(0, -1)}: must be encrypted (https or wss) or on this machine, unless --insecure is set`,
  )
}

/** The WHATWG URL parser normalizes every IPv4 spelling to four parts. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
