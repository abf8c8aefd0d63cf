import { spawnSync } from 'node:child_process'

/** How a program gets mounts of its own. */
export type MountNamespace = {
  /** In words, for who reads which test this machine allowed. */
  readonly form: string
  /** Command that runs another one in the namespace, with the right to mount there. */
  readonly command: readonly string[]
}

const AS_ROOT: MountNamespace = {
  form: 'on a read-only root',
  command: ['unshare', '--mount', '--propagation', 'private'],
}

/** As user 1000, the image's user; outside, the processes belong to the user that runs the tests. */
const AS_USER: MountNamespace = {
  form: 'on a read-only root, in a user namespace',
  command: ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--keep-caps', '--mount'],
}

/** Returns how to create one here: as root, or where users can create namespaces; `null` elsewhere. */
export function findNamespace(): MountNamespace | null {
  const namespace = process.getuid?.() === 0 ? AS_ROOT : AS_USER
  const [program = '', ...args] = namespace.command
  const tries = ['sh', '-ec', 'command -v setpriv; mount -t tmpfs tmpfs /mnt']
  return spawnSync(program, [...args, ...tries]).status === 0 ? namespace : null
}
