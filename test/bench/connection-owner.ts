import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * Returns the process among `pids` that has the TCP connection with this local IPv4 port open; `null` if none has.
 *
 * @see proc_net_tcp in the kernel's documentation: fields 2 and 10 are the local address and the socket's inode
 */
export function findConnectionOwner(port: number, pids: readonly number[]): number | null {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)
  const rows = lines.map((line) => line.trim().split(/\s+/))
  const inode = rows.find(([, local]) => local?.endsWith(end))?.[9]
  return pids.find((pid) => listFiles(pid).includes(`socket:[${inode}]`)) ?? null
}

/** Returns the link targets of a process's open files; an empty list if the process has ended. */
function listFiles(pid: number): readonly string[] {
  const directory = `/proc/${pid}/fd`
  // The process might end, or close a file, while this function lists its files.
  return orNone(() => readdirSync(directory)).flatMap((name) =>
    orNone(() => [readlinkSync(`${directory}/${name}`)]),
  )
}

function orNone(read: () => readonly string[]): readonly string[] {
  try {
    return read()
  } catch {
    return []
  }
}
