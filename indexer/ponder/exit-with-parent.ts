import { Worker } from 'node:worker_threads'

/** Longest time Ponder may take to release its schema lock once the daemon is gone. */
const GRACE_MS = 5_000

/** Runs beside the main thread, which may be stuck for good: see below. */
const KILL_AFTER_GRACE = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${GRACE_MS})`

/**
 * Ends this process when the daemon that started it dies, however it dies: the IPC channel closes with it.
 *
 * A daemon that died before this was called, while Ponder still started, has left a closed channel: then at once.
 *
 * SIGINT lets Ponder release its schema lock (on SIGTERM Vite exits first and the lock stays, measured in 8 of 8). Its
 * logger then waits, with the whole main thread, for a standard output that nobody reads any more (seen in 4 of 42),
 * so the bound is kept by another thread.
 */
export function exitWithParent(self: NodeJS.Process): void {
  if (self.connected) self.once('disconnect', end)
  else end()

  function end(): void {
    new Worker(KILL_AFTER_GRACE, { eval: true }).unref()
    self.kill(self.pid, 'SIGINT')
  }
}
