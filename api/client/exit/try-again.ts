import { delay } from '../delay.ts'

/** Maximum attempts. One is not enough, because public nodes limit requests and are slow at times. */
const ATTEMPTS = 3
const PAUSE_MS = 2_000

/**
 * Runs a read until its result is usable, up to three times with pauses, and returns the last result.
 *
 * @param isUsable - returns whether a result needs no further read
 */
export async function tryAgain<Result>(
  read: () => Promise<Result>,
  isUsable: (result: Result) => boolean,
  { pauseMs = PAUSE_MS }: { readonly pauseMs?: number | undefined } = {},
): Promise<Result> {
  let result = await read()
  for (let left = ATTEMPTS - 1; left > 0 && !isUsable(result); left -= 1) {
    await delay(pauseMs)
    result = await read()
  }
  return result
}
