/** A URL over which strangers could read and write what is sent; the message says what would be allowed. */
export class InsecureUrl extends Error {}

/**
 * Throws unless what is sent to the URL is encrypted, or stays on this machine.
 *
 * Over plain http anybody on the way could read the API key and put his own words into the feed's or the node's mouth.
 *
 * @throws {InsecureUrl} naming its host
 */
export function requirePrivateUrl(name: string, url: string): void {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || protocol === 'wss:' || isLoopback(hostname)) return
  throw new InsecureUrl(
    `${name} goes to ${hostname} over ${protocol.slice(0, -1)}: must be https, or on this machine; --insecure forces it`,
  )
}

/** WHATWG URLs write IPv4 addresses in their four parts, however they were spelled. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
