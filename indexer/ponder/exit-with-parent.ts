import { Worker } from 'node:worker_threads'

/** Maximum time for Ponder to release its schema lock once the daemon is gone. */
const GRACE_MS = 5_000

/** Runs in another thread, because the main thread might be blocked permanently: see below. */
const KILL_AFTER_GRACE = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${GRACE_MS})`

/**
 * Ends this process when the daemon that started it dies, for any reason: the IPC channel closes with the daemon.
 *
 * If the daemon died before this call, while Ponder was starting, the channel is already closed and this process ends
 * immediately.
 *
 * SIGINT lets Ponder release its schema lock (on SIGTERM Vite exits first and the lock stays, measured in 8 of 8).
 * Ponder's logger, and with it the main thread, then waits for a standard output without a reader (seen in 4 of 42), so
 * another thread enforces the limit.
 */
export function exitWithParent(self: NodeJS.Process): void {
  if (self.connected) self.once('disconnect', end)
  else end()

  function end(): void {
    new Worker(KILL_AFTER_GRACE, { eval: true }).unref()
    self.kill(self.pid, 'SIGINT')
  }
}
