/**
 * Ends a Ponder process whose daemon dies, for any reason. The daemon starts Ponder with `--import` of this file, which
 * therefore runs before Ponder does. The file is JavaScript, because the process has no loader for TypeScript.
 *
 * A second thread watches the daemon, because Ponder's logger can block the main thread permanently once nothing reads
 * its output (4 of 42 runs), even while Ponder starts. The thread sends SIGINT, on which Ponder releases its schema
 * lock; on SIGTERM, Vite exits first and the lock stays (8 of 8 runs). After the grace period the thread sends SIGKILL.
 * It uses 12 MB (measured).
 */
import { isMainThread, Worker } from 'node:worker_threads'

const LOOK_MS = 500
/** Maximum time for Ponder to release its schema lock once the daemon is gone. */
const GRACE_MS = 5_000

const WATCH = `
  const { workerData: daemonPid } = require('node:worker_threads')
  const end = (signal) => process.kill(process.pid, signal)
  const look = setInterval(() => {
    if (process.ppid === daemonPid) return
    clearInterval(look)
    end('SIGINT')
    setTimeout(end, ${GRACE_MS}, 'SIGKILL')
  }, ${LOOK_MS})`

// Threads of Ponder load this file too.
if (isMainThread) watch(Number(process.env.DAEMON_PID))

function watch(daemonPid) {
  new Worker(WATCH, { eval: true, execArgv: [], workerData: daemonPid }).unref()
}
