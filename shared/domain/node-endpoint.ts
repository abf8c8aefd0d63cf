/** A node's URL and the headers to send with each request. */
export type NodeEndpoint = {
  /** The request URL, without the headers. */
  readonly url: string
  /** API keys for the node's operator. They are secrets and must be sent only to this node. */
  readonly headers: Readonly<Record<string, string>>
}

/** Separates the URL from the headers. It starts a fragment, which HTTP clients never send. */
const MARK = '#headers:'

/**
 * Formats a node as one text: its URL followed by the headers of each request.
 *
 * Nodes are stored and passed to the feed's process in this form. Code that uses the text as a URL without calling
 * `parseNode` sends requests without the headers, and leaks no key.
 */
export function formatNode({ url, headers }: NodeEndpoint): string {
  const [bare = ''] = url.split('#')
  const pairs = new URLSearchParams(headers).toString()
  return pairs === '' ? bare : `${bare}${MARK}${pairs}`
}

/** Parses the result of `formatNode`. A plain URL is a node without headers. */
export function parseNode(text: string): NodeEndpoint {
  const at = text.indexOf(MARK)
  if (at < 0) return { url: text, headers: {} }
  const pairs = new URLSearchParams(text.slice(at + MARK.length))
  return { url: text.slice(0, at), headers: Object.fromEntries(pairs) }
}

/**
 * Returns the configured node with this URL, including its headers, or the URL itself if no such node is configured.
 */
export function findNode(url: string, nodes: readonly string[]): string {
  return nodes.find((node) => parseNode(node).url === url) ?? url
}

/**
 * Replaces the values of a node's headers by "(hidden)" in a text from the node. Some nodes repeat the key that they
 * reject.
 */
export function redactHeaders(text: string, { headers }: Pick<NodeEndpoint, 'headers'>): string {
  return Object.values(headers).reduce((left, value) => left.replaceAll(value, '(hidden)'), text)
}
