/** Where and as whom to call. */
export type ApiCaller = { readonly apiUrl: string; readonly key: string }

/** A request must be answered; a stream must only begin. */
const TIMEOUT_MS = 15_000

/**
 * Calls the API and answers its JSON.
 *
 * @throws {Error} with status and body, for any answer but a 2xx
 */
export async function callApi<Answer>(
  { apiUrl, key }: ApiCaller,
  request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: unknown },
): Promise<Answer> {
  const response = await fetch(apiUrl + request.path, {
    method: request.method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${request.method} ${request.path}: ${response.status} ${text}`)
  return JSON.parse(text) as Answer
}

/** One event of a stream, its data parsed. */
export type StreamedEvent = { readonly event: string; readonly data: unknown }

/**
 * Yields the events of one of the API's streams until it ends.
 *
 * @param timeoutMs - after which it throws, however much has come
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export async function* streamEvents(
  { apiUrl, key }: ApiCaller,
  { path, timeoutMs }: { path: string; timeoutMs: number },
): AsyncGenerator<StreamedEvent> {
  const response = await fetch(apiUrl + path, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok || response.body === null) throw new Error(`GET ${path}: ${response.status}`)
  let unread = ''
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (unread + text).split('\n\n')
    unread = blocks.pop() ?? ''
    yield* blocks.flatMap((block) => parseEvent(block) ?? [])
  }
}

/** Answers `null` for a heartbeat, which is a comment. */
function parseEvent(block: string): StreamedEvent | null {
  const fields = new Map(
    block.split('\n').map((line) => [line.split(':', 1)[0], line.replace(/^\w*: ?/, '')]),
  )
  const data = fields.get('data')
  return data === undefined
    ? null
    : { event: fields.get('event') ?? 'message', data: JSON.parse(data) as unknown }
}
