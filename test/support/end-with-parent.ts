const LOOK_MS = 500

/**
 * Ends this process with exit code 1 when its parent process ends.
 *
 * mocha runs the tests in a child process, because they need a node option, and forwards only SIGINT. Without this
 * function, the child and its PostgreSQL would continue to run after any other signal has ended mocha.
 */
export function endWithParent(): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    process.stderr.write(`Stopping the tests: their parent process ${parent} has ended\n`)
    process.exit(1)
  }, LOOK_MS)
  timer.unref()
}
