/** One event of a stream. */
export type ServerEvent = {
  readonly event: string
  /** `null` if the stream cannot be resumed from this event. */
  readonly id: string | null
  readonly data: string
}

/**
 * Maximum characters of an event, far more than a charge with all its metadata has. Without this limit, an endless
 * event would exhaust the memory.
 */
const MAX_EVENT_CHARS = 2_000_000

/**
 * Yields the events of a stream's body until the body ends.
 *
 * @param onChunk - called for all received data, including heartbeats
 * @throws {Error} if an event is still incomplete after 2,000,000 characters
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void = () => undefined,
): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  let unread = ''
  for await (const bytes of body) {
    onChunk()
    // A carriage return at the end might be half of a line break.
    const text = unread + decoder.decode(bytes, { stream: true })
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text
    const blocks = whole.replace(/\r\n?/g, '\n').split('\n\n')
    unread = (blocks.pop() ?? '') + text.slice(whole.length)
    if (unread.length > MAX_EVENT_CHARS) {
      throw new Error(`an event of the stream has more than ${MAX_EVENT_CHARS} characters`)
    }
    for (const block of blocks) {
      const event = parseEvent(block)
      if (event !== null) yield event
    }
  }
}

/** Parses a block; returns `null` if it contains no data, such as a heartbeat, which is a comment. */
function parseEvent(block: string): ServerEvent | null {
  let event = 'message'
  let id: string | null = null
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (field === 'event') event = value
    else if (field === 'id') id = value
    else if (field === 'data') data.push(value)
  }
  return data.length === 0 ? null : { event, id, data: data.join('\n') }
}
