import { setTimeout as delay } from 'node:timers/promises'

const INTERVAL_MS = { least: 25, most: 250 } as const

/**
 * Waits until `check` returns a value other than false, null or undefined, and returns that value.
 *
 * Without `intervalMs`, the interval between two calls is a twentieth of the time waited so far, from 25 ms to 250 ms.
 * A fixed interval of 25 ms cost 1.5 s of CPU time per devnet for requests to starting services (2026-11-27).
 *
 * If `check` throws, it is called again. An error of the last call becomes the cause of the timeout error. The last
 * call starts after the deadline, because a suspended machine might have skipped all earlier calls. It is never the
 * first call.
 *
 * @throws {Error} with `what` in its message after the timeout
 */
export async function waitFor<Value>(
  check: () => Value | Promise<Value>,
  options: { readonly what: string; readonly timeoutMs: number; readonly intervalMs?: number },
): Promise<NonNullable<Exclude<Value, false>>> {
  const startedAt = performance.now()
  for (let waitedMs = 0; ; waitedMs = performance.now() - startedAt) {
    const isOver = waitedMs >= options.timeoutMs
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
    await delay(options.intervalMs ?? clamp(waitedMs / 20))
  }
}

function clamp(ms: number): number {
  return Math.min(INTERVAL_MS.most, Math.max(INTERVAL_MS.least, ms))
}
