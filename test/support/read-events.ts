import { waitFor } from '../devnet/wait-for.ts'

/** An event as a client of server-sent events receives it. */
export type ServerEvent = { readonly event: string; readonly id: string; readonly data: string }

/** An open stream and the data received so far. */
export type EventReader = {
  readonly status: number
  readonly headers: Headers
  readonly events: readonly ServerEvent[]
  /** The first comment line of each frame, such as a heartbeat. */
  readonly comments: readonly string[]
  /** Returns the id from which a client would resume; empty before the first id. */
  readonly lastEventId: () => string
  readonly isEnded: () => boolean
  /** Waits up to 60 s until `condition` holds. */
  readonly until: (description: string, condition: (reader: EventReader) => boolean) => Promise<void>
  readonly close: () => void
}

/** Opens a stream of server-sent events, and reads it continuously. */
export async function readEvents(
  url: string,
  options: { readonly key: string; readonly headers?: Readonly<Record<string, string>> },
): Promise<EventReader> {
  const abort = new AbortController()
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${options.key}`, ...options.headers },
    signal: abort.signal,
  })
  const events: ServerEvent[] = []
  const comments: string[] = []
  const ids: string[] = []
  let ended = false
  const reader: EventReader = {
    status: response.status,
    headers: response.headers,
    events,
    comments,
    lastEventId: () => ids.at(-1) ?? '',
    isEnded: () => ended,
    until: async (description, condition) => {
      await waitFor(() => condition(reader), { what: description, timeoutMs: 60_000, intervalMs: 5 })
    },
    close: () => abort.abort(),
  }
  void readFrames(response, (frame) => keep(frame, { events, comments, ids })).finally(() => {
    ended = true
  })
  return reader
}

async function readFrames(response: Response, take: (frame: string) => void): Promise<void> {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true })
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      frames.forEach(take)
    }
  } catch {
    // The test closed the stream or the server cut it off. In both cases, no more events will arrive.
  }
}

function keep(frame: string, into: { events: ServerEvent[]; comments: string[]; ids: string[] }): void {
  const lines = frame.split('\n')
  const comment = lines.find((line) => line.startsWith(':'))
  if (comment !== undefined) into.comments.push(comment)
  const field = (name: string): string =>
    lines
      .filter((line) => line.startsWith(`${name}: `))
      .map((line) => line.slice(name.length + 2))
      .join('\n')
  if (field('id') !== '') into.ids.push(field('id'))
  if (field('event') !== '') into.events.push({ event: field('event'), id: field('id'), data: field('data') })
}
