import { spawnSync } from 'node:child_process'

/** How a program gets mounts of its own. */
export type MountNamespace = {
  /** In words, for who reads which test this machine allowed. */
  readonly form: string
  /** What runs a command in it, who may mount there. */
  readonly command: readonly string[]
}

const AS_ROOT: MountNamespace = {
  form: 'on a read-only root',
  command: ['unshare', '--mount', '--propagation', 'private'],
}

/** As user 1000, whom the image has; to everybody else the processes are whoever runs the tests. */
const AS_USER: MountNamespace = {
  form: 'on a read-only root, in a user namespace',
  command: ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--keep-caps', '--mount'],
}

/** Answers how one can be had here: as root, or where users may make namespaces; `null` elsewhere. */
export function findNamespace(): MountNamespace | null {
  const namespace = process.getuid?.() === 0 ? AS_ROOT : AS_USER
  const [program = '', ...args] = namespace.command
  const tries = ['sh', '-ec', 'command -v setpriv; mount -t tmpfs tmpfs /mnt']
  return spawnSync(program, [...args, ...tries]).status === 0 ? namespace : null
}
