import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Sends a signal to a process. Does nothing if the process has ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Returns the process id of the server that uses a data directory, or `null` if no server runs. */
export function findPostmaster(dataDirectory: string): number | null {
  try {
    const pid = Number(readFileSync(`${dataDirectory}/postmaster.pid`, 'utf8').split('\n')[0])
    return readCommandLine(pid).includes(dataDirectory) ? pid : null
  } catch {
    return null
  }
}

export function listServerProcesses(dataDirectory: string): readonly number[] {
  const server = findPostmaster(dataDirectory)
  return server === null ? [] : [server, ...listChildren(server)]
}

/** Returns the ids of a server's child processes whose titles contain this text, such as `walreceiver`. */
export function listServerChildren(dataDirectory: string, title: string): readonly number[] {
  const server = findPostmaster(dataDirectory)
  return server === null ? [] : listChildren(server).filter((pid) => readCommandLine(pid).includes(title))
}

/**
 * Ends the servers of these data directories when this process ends for any reason, because a server continues to run
 * when its Patroni ends. Returns a function that removes this guard.
 */
export function guardServers(dataDirectories: readonly string[]): () => void {
  const script =
    'read -r word; [ "$word" = released ] || for one; do kill -s QUIT "$(head -1 "$one/postmaster.pid")"; done'
  const guard = spawn('/bin/sh', ['-c', script, 'guard', ...dataDirectories], {
    ...{ detached: true, env: { PATH: '/usr/bin:/bin' } },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  guard.stdin.on('error', () => undefined)
  return () => guard.stdin.end('released\n')
}

/** Mounts a file system of limited size in memory, which a fault can fill. Requires root. */
export function mountMemory(directory: string, megabytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', directory])
}

export function unmount(directory: string): void {
  execFileSync('umount', ['--lazy', directory])
}

function listChildren(parent: number): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => readParent(pid) === parent)
}

function readParent(pid: number): number | null {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return null
  }
}

function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
