import { followStream } from '../../../api/client/follow-stream.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import type { Recorder } from '../record.ts'
import type { Organization } from './organization.ts'

/** The recording of a stream, which reconnects as often as needed. */
export type Listener = {
  /** Resolves when the recording has ended. */
  readonly ended: Promise<void>
  readonly stop: () => Promise<void>
}

const OPEN_WITHIN_MS = 60_000

/**
 * Records every frame of a stream. Resolves when the first connection is open, so that no later event is missed.
 *
 * @param options.endsWithService - whether the recording ends, instead of reconnecting, when the service ends the
 *   stream normally
 */
export async function listen(
  recorder: Recorder,
  organization: Organization,
  options: { readonly path: string; readonly endsWithService: boolean },
): Promise<Listener> {
  const ending = new AbortController()
  let isOpen = false
  const items = followStream(
    ({ lastEventId, signal }) => open(organization, { path: options.path, lastEventId, signal }),
    { signal: ending.signal },
  )
  const record = async () => {
    let connection = 0
    for await (const item of items) {
      if (item.kind === 'opened') [isOpen, connection] = [true, recorder.nextId()]
      if (item.kind === 'event')
        recorder.add({
          ...{ type: 'frame', organization: organization.name, path: options.path, connection },
          ...{ event: item.event, data: item.data },
        })
      if (item.kind === 'ended' && options.endsWithService) return
    }
  }
  const recording = record().catch((error: unknown) => ending.abort(error))
  await waitFor(() => isOpen || ending.signal.aborted, {
    ...{ what: `the stream ${options.path} to open`, timeoutMs: OPEN_WITHIN_MS },
  })
  return {
    ended: recording,
    stop: async () => {
      ending.abort()
      await recording
    },
  }
}

async function open(
  { apiUrl, key }: Organization,
  from: { readonly path: string; readonly lastEventId: string | null; readonly signal: AbortSignal },
) {
  const resumed = from.lastEventId === null ? {} : { 'last-event-id': from.lastEventId }
  const response = await fetch(apiUrl + from.path, {
    headers: { authorization: `Bearer ${key}`, ...resumed },
    signal: from.signal,
  })
  return { data: response.body, response }
}
