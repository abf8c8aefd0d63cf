import { spawn } from 'node:child_process'

/**
 * Makes a process end with this process, however this process ends: a shell waits for the end of our pipe and then
 * kills the process.
 *
 * The process itself needs no change. Our signal handlers and exit hooks do not run after kill -9, but the pipe closes
 * even then.
 *
 * @param pid - a negative id means a process group
 * @param signal - signal that ends the process immediately; SIGQUIT for PostgreSQL, whose children would survive a
 * SIGKILL
 * @returns a function that removes the guard; call it when the process has ended
 */
export function guardProcess(pid: number, signal: 'KILL' | 'QUIT' = 'KILL'): () => void {
  const script = 'read -r word; [ "$word" = released ] || kill -s "$2" -- "$1"'
  // Its own process group, because otherwise Ctrl-C would end the guard before this process.
  const guard = spawn('/bin/sh', ['-c', script, 'guard', String(pid), signal], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  })
  guard.unref()
  // The guard ends by itself when the whole machine stops, so a failed write to it is not an error.
  guard.stdin.on('error', () => undefined)
  return () => guard.stdin.end('released\n')
}
