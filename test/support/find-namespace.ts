import { spawnSync } from 'node:child_process'

/** A way to run a program with its own mounts. */
export type MountNamespace = {
  /** Text for the test's title. */
  readonly form: string
  /** Command that runs another command in the namespace, where that command may mount. */
  readonly command: readonly string[]
}

const AS_ROOT: MountNamespace = {
  form: 'on a read-only root',
  command: ['unshare', '--mount', '--propagation', 'private'],
}

/** Runs as the image's user 1000. Outside the namespace, the processes belong to the user that runs the tests. */
const AS_USER: MountNamespace = {
  form: 'on a read-only root, in a user namespace',
  command: ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--keep-caps', '--mount'],
}

/**
 * Returns how to create a namespace on this machine, as root or as another user. Returns `null` if this user cannot
 * create a namespace or mount in it, or the machine lacks `setpriv`.
 */
export function findNamespace(): MountNamespace | null {
  const namespace = process.getuid?.() === 0 ? AS_ROOT : AS_USER
  const [program = '', ...args] = namespace.command
  const tries = ['sh', '-ec', 'command -v setpriv; mount -t tmpfs tmpfs /mnt']
  return spawnSync(program, [...args, ...tries]).status === 0 ? namespace : null
}
