export type ServerEvent = {
  readonly event: string
  /** `null` if the event has no id to resume from. */
  readonly id: string | null
  readonly data: string
}

/**
 * Maximum characters of an event, far more than a charge with all its metadata. Without this limit, an endless event
 * would exhaust the memory.
 */
const MAX_EVENT_CHARS = 2_000_000

/**
 * Yields the events in the body of an event stream.
 *
 * @param onChunk - called for each chunk of received data, including heartbeats
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
    // A final carriage return might be the first half of a line break.
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

/** Returns `null` for a block without data, such as a heartbeat, which is a comment. */
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
