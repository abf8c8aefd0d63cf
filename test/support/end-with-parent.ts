const LOOK_MS = 500

/**
 * Ends this process with exit code 1 when its parent process ends.
 *
 * mocha runs the tests in a child because they need an option of node, and forwards only SIGINT. Ended by
 * another signal, it left a child running, with a PostgreSQL.
 */
export function endWithParent(): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    process.stderr.write(`Process ${parent}, which ran these tests, has ended: they end too.\n`)
    process.exit(1)
  }, LOOK_MS)
  timer.unref()
}
