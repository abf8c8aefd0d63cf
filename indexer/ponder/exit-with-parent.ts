import { Worker } from 'node:worker_threads'

/** Maximum time for Ponder to release its schema lock once the daemon is gone. */
const GRACE_MS = 5_000

/** Source of a second thread, because the main thread might be blocked permanently: see below. */
const KILL_AFTER_GRACE = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${GRACE_MS})`

/**
 * Ends this process when the daemon that started it dies, for any reason: the IPC channel closes with the daemon.
 *
 * If the daemon died before this call, while Ponder was starting, the channel is already closed and this process ends
 * immediately.
 *
 * On SIGINT, Ponder releases its schema lock; on SIGTERM, Vite exits first and the lock stays (8 of 8 runs). Ponder's
 * logger might then block the main thread, because nothing reads its standard output any more (4 of 42 runs). A second
 * thread therefore enforces the time limit.
 */
export function exitWithParent(self: NodeJS.Process): void {
  if (self.connected) self.once('disconnect', end)
  else end()

  function end(): void {
    new Worker(KILL_AFTER_GRACE, { eval: true }).unref()
    self.kill(self.pid, 'SIGINT')
  }
}
