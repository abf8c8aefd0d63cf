import { setTimeout as delay } from 'node:timers/promises'

/**
 * Waits until `check` returns a value other than false, null or undefined, and returns that value.
 *
 * If `check` throws, it is called again. The last error becomes the cause of the timeout error. The last call starts
 * after the deadline, because the machine might have been suspended until then and the condition might hold by now.
 *
 * @throws {Error} with `what` in its message after the timeout
 */
export async function waitFor<Value>(
  check: () => Value | Promise<Value>,
  options: { readonly what: string; readonly timeoutMs: number; readonly intervalMs?: number },
): Promise<NonNullable<Exclude<Value, false>>> {
  const deadline = performance.now() + options.timeoutMs
  for (;;) {
    const isOver = performance.now() >= deadline
    let cause: unknown
    try {
      const value = await check()
      if (value !== false && value !== null && value !== undefined) {
        return value as NonNullable<Exclude<Value, false>>
      }
    } catch (error) {
      cause = error
    }
    if (isOver)
      throw new Error(`timed out after ${options.timeoutMs} ms waiting for ${options.what}`, { cause })
    await delay(options.intervalMs ?? 25)
  }
}
