/**
 * Ends the Ponder process when its daemon has ended, for any reason. The daemon passes this file to Node with
 * `--import`, so it runs before Ponder. It is JavaScript, because the process has no loader for TypeScript.
 *
 * A second thread watches the daemon, because Ponder's logger can permanently block the main thread when no process
 * reads its output (4 of 42 runs), even while Ponder starts. The thread sends SIGINT, which makes Ponder release its
 * schema lock. It does not send SIGTERM, because Vite then exits before the lock is released (8 of 8 runs). After the
 * grace period, the thread sends SIGKILL. It uses 12 MB (measured).
 */
import { isMainThread, Worker } from 'node:worker_threads'

const LOOK_MS = 500
/** Maximum time for Ponder to release its schema lock after the daemon has ended. */
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

// Ponder's threads load this file too.
if (isMainThread) watch(Number(process.env.DAEMON_PID))

function watch(daemonPid) {
  new Worker(WATCH, { eval: true, execArgv: [], workerData: daemonPid }).unref()
}
