import type { Throttle } from './pacing.ts'
import { MAX_TEXT, readHttpThrottle } from './read-throttle.ts'

/**
 * Returns the demand for fewer requests in a response; `null` if there is none. The body of the response stays
 * readable.
 */
export async function readResponseThrottle(response: Response): Promise<Throttle | null> {
  if (response.ok) return null
  const { status, headers } = response
  const text = status === 403 ? await readStart(response.clone()) : ''
  return readHttpThrottle({ status, text, headers }, new Date())
}

/** Reads about the first `MAX_TEXT` characters of a body. Leaving the loop cancels the rest of the download. */
async function readStart({ body }: Response): Promise<string> {
  let text = ''
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString('latin1')
    if (text.length >= MAX_TEXT) break
  }
  return text
}
