import { spawn } from 'node:child_process'

/**
 * Ends another process when this process ends, even by kill -9, after which no signal handler or exit hook runs. A
 * shell waits until the pipe from this process closes, and then kills the other process.
 *
 * @param pid - the other process; a negative id means a process group
 * @param signal - SIGQUIT for PostgreSQL, whose children would survive a SIGKILL
 * @returns a function that removes the guard; call it when the other process has ended
 */
export function guardProcess(pid: number, signal: 'KILL' | 'QUIT' = 'KILL'): () => void {
  const script = 'read -r word; [ "$word" = released ] || kill -s "$2" -- "$1"'
  // A separate process group, because otherwise Ctrl-C would end the guard before this process.
  const guard = spawn('/bin/sh', ['-c', script, 'guard', String(pid), signal], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  })
  guard.unref()
  // When the machine shuts down, the guard might end first, so a failed write to it is not an error.
  guard.stdin.on('error', () => undefined)
  return () => guard.stdin.end('released\n')
}
