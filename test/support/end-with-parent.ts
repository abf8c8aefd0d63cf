const LOOK_MS = 500

/**
 * From here on this process ends, with exit code 1, when the one that started it has ended.
 *
 * mocha runs the tests in a child, because they want an option of node, and passes nothing on but SIGINT: ended by
 * another signal it left a child that went on alone, with a PostgreSQL.
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
