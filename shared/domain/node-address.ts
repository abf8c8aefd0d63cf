/** Where a node is asked, and what each request to it carries besides. */
export type NodeAddress = {
  /** As it is asked: without what follows. */
  readonly url: string
  /** Keys of its operator: secrets, for this node alone. */
  readonly headers: Readonly<Record<string, string>>
}

/** What stands behind the URL; a fragment, which no client sends to anybody. */
const MARK = '#headers:'

/**
 * Writes a node as one text: its URL, and behind it the headers of each request.
 *
 * Everything that knows a node knows it by that text, the feed's process included; whoever forgets to read it again asks
 * the node without its headers, and tells them to nobody.
 */
export function writeNode({ url, headers }: NodeAddress): string {
  const [bare = ''] = url.split('#')
  const pairs = new URLSearchParams(headers).toString()
  return pairs === '' ? bare : `${bare}${MARK}${pairs}`
}

/** Reads what `writeNode` wrote; a plain URL is a node without headers. */
export function readNode(text: string): NodeAddress {
  const at = text.indexOf(MARK)
  if (at < 0) return { url: text, headers: {} }
  const pairs = new URLSearchParams(text.slice(at + MARK.length))
  return { url: text.slice(0, at), headers: Object.fromEntries(pairs) }
}

/** Answers the configured node of this URL, with its headers; the URL itself if it is of none. */
export function nodeNamed(url: string, nodes: readonly string[]): string {
  return nodes.find((node) => readNode(node).url === url) ?? url
}

/** Takes a node's own headers out of what it wrote: some repeat a key that they refuse. */
export function withoutHeaders(text: string, { headers }: Pick<NodeAddress, 'headers'>): string {
  return Object.values(headers).reduce((left, value) => left.replaceAll(value, '(hidden)'), text)
}
