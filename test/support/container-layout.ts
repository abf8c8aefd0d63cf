import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CommandLine, ServicePlan } from '../devnet/service.ts'
import type { MountNamespace } from './find-namespace.ts'
import { type Image, readImage } from './image.ts'

/** The built service, and functions to run its two processes as in the image's containers. */
export type ContainerLayout = {
  /** User id of both processes, as seen from the tests. */
  readonly uid: number
  /** Returns the command line that runs a process in its container. */
  readonly confine: NonNullable<ServicePlan['confine']>
  /** Lists the files in the directories that compose.yaml makes writable for a process, except in `directory`. */
  readonly listWritten: (kind: ServicePlan['kind'], pid: number) => readonly string[]
  /** Checks whether a process can create a file in this directory of its container. */
  readonly canWrite: (kind: ServicePlan['kind'], path: string) => boolean
}

const REPOSITORY = resolve(import.meta.dirname, '../..')
const SCRIPT = join(import.meta.dirname, 'as-image.sh')

/**
 * Copies `dist/` and runs the `RUN` command of the Dockerfile's last stage on the copy.
 *
 * User, command lines and writable paths come from the Dockerfile and compose.yaml. With a namespace, each process gets
 * its own read-only root. Without a namespace, each process runs as a user that cannot write the files.
 *
 * @param options.directory - must be readable by all users; the processes see the files that the devnet writes there
 * @param options.packages - by default the packages of this checkout, which include the development packages
 */
export function prepareContainerLayout(options: {
  readonly directory: string
  readonly namespace: MountNamespace | null
  readonly packages?: string
}): ContainerLayout {
  const { directory, namespace, packages = join(REPOSITORY, 'node_modules') } = options
  const image = readImage()
  const app = join(directory, 'app')
  const tmp = join(directory, 'tmp')
  // Without a separate root, the container's `/app` and `/tmp` are in this directory.
  const here = (path: string) => path.replace(/^\/(app|tmp)/, (_, name) => join(directory, String(name)))
  prepareApp(app, namespace === null ? image.steps.last.replaceAll('/tmp/', `${tmp}/`) : image.steps.last)
  if (namespace === null) {
    symlinkSync(packages, join(app, 'node_modules'))
    mkdirSync(tmp)
    chmodSync(tmp, 0o1777)
  } else mkdirSync(join(app, 'node_modules'))
  const command = (kind: ServicePlan['kind'], args: readonly string[]): CommandLine => {
    if (namespace === null) return byModes(app, image, args)
    const root = mkdtempSync(join(directory, `root-${kind}-`))
    const places = [root, app, realpathSync(packages), process.execPath, directory]
    const rest = [String(image.uid), ...image.tmpfs[kind], '--', ...args]
    const [program = '', ...before] = namespace.command
    return { command: program, args: [...before, 'sh', SCRIPT, ...places, ...rest], cwd: REPOSITORY }
  }
  return {
    uid: process.getuid?.() === 0 ? image.uid : (process.getuid?.() ?? 0),
    confine: ({ kind }) => command(kind, image.commands[kind]),
    listWritten: (kind, pid) => {
      const places = image.tmpfs[kind].map((place) => place.split(':')[0] ?? '')
      const there = (path: string) => (namespace === null ? here(path) : `/proc/${pid}/root${path}`)
      return places
        .flatMap((path) => listFiles(there(path)).map((name) => join(path, name)))
        .filter((file) => !file.startsWith(directory) && !directory.startsWith(`${file}/`))
    },
    canWrite: (kind, path) => {
      const file = join(namespace === null ? here(path) : path, 'written')
      const { command: program, args, cwd } = command(kind, ['touch', file])
      return spawnSync(program, args, { cwd }).status === 0
    },
  }
}

function prepareApp(app: string, step: string): void {
  mkdirSync(app)
  for (const name of ['dist', 'package.json'])
    cpSync(join(REPOSITORY, name), join(app, name), { recursive: true })
  // Only root can run `chown`. Other users do not need it, because the tmpfs mounted there belongs to the image's user.
  const chown = process.getuid?.() === 0 ? '' : 'chown() { :; }; '
  execFileSync('sh', ['-euc', chown + step], { cwd: app })
}

/**
 * Returns the command line that runs a command without write access to `/app`. Root switches to the image's user, which
 * owns none of the files. Another user first removes the write permission from the files.
 */
function byModes(app: string, { uid }: Image, args: readonly string[]): CommandLine {
  if (process.getuid?.() === 0)
    return {
      command: 'setpriv',
      args: [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs', ...args],
      cwd: app,
    }
  execFileSync('sh', ['-euc', 'chmod -R a-w . && chmod u+w dist/indexer/ponder/.ponder'], { cwd: app })
  const [program = '', ...rest] = args
  return { command: program, args: rest, cwd: app }
}

function listFiles(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
}
