import { waitFor } from '../../devnet/wait-for.ts'
import type { Recorder } from '../record.ts'

export type RecordedResponse = { readonly status: number; readonly json: unknown }

/** A client of an organization, whose requests are recorded. */
export type Organization = {
  readonly name: string
  readonly key: string
  readonly apiUrl: string
  /** Sends a request once. Returns `null` unless a complete response with a JSON or empty body arrives. */
  readonly send: (line: string, body?: object) => Promise<RecordedResponse | null>
  /**
   * Repeats a request until a complete response with a JSON or empty body arrives whose status is neither 5xx nor 429.
   *
   * @throws {Error} after two minutes
   */
  readonly insist: (line: string, body?: object) => Promise<RecordedResponse>
}

/** Maximum wait for a response. A fault can suspend the API for longer. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 500
const GIVES_UP_AFTER_MS = 120_000

/** Creates a client of an organization. `line` is a method and a path, such as `GET /v1/charges`. */
export function createOrganization(
  recorder: Recorder,
  { name, key, apiUrl }: Pick<Organization, 'name' | 'key' | 'apiUrl'>,
): Organization {
  const send: Organization['send'] = async (line, body) => {
    const [method = '', path = ''] = line.split(' ')
    const text = body === undefined ? null : JSON.stringify(body)
    const id = recorder.nextId()
    recorder.add({ type: 'request', id, organization: name, method, path, body: text })
    try {
      const response = await fetch(apiUrl + path, {
        ...{ method, signal: AbortSignal.timeout(PATIENCE_MS) },
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(text !== null && { body: text }),
      })
      const received = await response.text()
      const json = received === '' ? null : (JSON.parse(received) as unknown)
      recorder.add({ type: 'response', id, status: response.status, body: received })
      return { status: response.status, json }
    } catch (error) {
      recorder.add({ type: 'lost', id, reason: String(error) })
      return null
    }
  }
  const insist: Organization['insist'] = (line, body) =>
    waitFor(
      async () => {
        const response = await send(line, body)
        return response !== null && response.status < 500 && response.status !== 429 && response
      },
      { what: `a response to ${line}`, timeoutMs: GIVES_UP_AFTER_MS, intervalMs: PAUSE_MS },
    )
  return { name, key, apiUrl, send, insist }
}
