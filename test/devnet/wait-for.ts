import { setTimeout as delay } from 'node:timers/promises'

/**
 * Waits until `check` answers something else than false, null or undefined, and returns that.
 *
 * An error that it throws counts as not yet, and is the cause of ours in the end. The last look begins after the deadline:
 * on a machine that stood still until then, what we waited for may be there.
 *
 * @throws {Error} naming `what` when the time is over
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
    if (isOver) throw new Error(`waited ${options.timeoutMs} ms in vain for ${options.what}`, { cause })
    await delay(options.intervalMs ?? 25)
  }
}
