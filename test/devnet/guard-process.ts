import { spawn } from 'node:child_process'

/**
 * Makes a process die with us, however we die: a shell waits for the end of our pipe and then kills it.
 *
 * The process itself need not know; signals and exit hooks of ours do not survive a kill -9, the closed pipe does.
 *
 * @param pid - a negative one is a process group's
 * @param signal - what ends it at once; SIGQUIT for PostgreSQL, whose children would live on after a SIGKILL
 * @returns a function that lets it live again; call it when the process has ended
 */
export function guardProcess(pid: number, signal: 'KILL' | 'QUIT' = 'KILL'): () => void {
  const script = 'read -r word; [ "$word" = released ] || kill -s "$2" -- "$1"'
  // A group of its own, or Ctrl-C would end the guard before us.
  const guard = spawn('/bin/sh', ['-c', script, 'guard', String(pid), signal], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  })
  guard.unref()
  // The guard ends by itself when the whole machine is being stopped: writing to it then is no error of ours.
  guard.stdin.on('error', () => undefined)
  return () => guard.stdin.end('released\n')
}
