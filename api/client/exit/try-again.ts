import { delay } from '../delay.ts'

/** Maximum attempts: public nodes sometimes limit requests or respond slowly. */
const ATTEMPTS = 3
const PAUSE_MS = 2_000

/**
 * Repeats a read with pauses until its result is usable, up to three times. Returns the last result, usable or not.
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
