import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claimPort } from '../devnet/claim-port.ts'
import { type RunningProgram, startProgram } from '../devnet/processes.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { buildHaproxyFile, buildMemberFile, type Member } from './cluster-files.ts'
import { findPostmaster, guardServers, mountMemory, signal, unmount } from './processes.ts'

/** The state of a member, as Patroni's REST API reports it. */
export type MemberState = { readonly name: string; readonly role: string; readonly state: string }

/** Three Patroni members with one etcd, behind HAProxy. */
export type Cluster = {
  readonly members: readonly Member[]
  /** HAProxy's port, which forwards to the primary. */
  readonly port: number
  /** Whether each member's data is on a separate file system, which a fault can fill. */
  readonly hasOwnDisks: boolean
  readonly findLeader: () => Promise<Member | null>
  readonly findSynchronousStandby: () => Promise<Member | null>
  /** Resolves when the cluster has a leader, a synchronous standby and a replica. */
  readonly untilHealthy: () => Promise<void>
  /** Changes Patroni's dynamic configuration. */
  readonly configure: (change: object) => Promise<void>
  readonly patroni: ByName
  readonly etcd: Restartable
  readonly stop: () => Promise<void>
}

type Restartable = {
  readonly start: () => void
  readonly kill: () => Promise<void>
  readonly pid: () => number
}
type ByName = Readonly<Record<string, Restartable>>

const NAMES = ['pg1', 'pg2', 'pg3'] as const
const HEALTHY_WITHIN_MS = 240_000
const DISK_MEGABYTES = 700

/** Starts the cluster in a directory. Resolves when the cluster is healthy. */
export async function startCluster(directory: string): Promise<Cluster> {
  const hasOwnDisks = process.getuid?.() === 0
  const members = await Promise.all(NAMES.map((name) => planMember(directory, name, hasOwnDisks)))
  const [etcdPort, peerPort, port] = [await claimPort(), await claimPort(), await claimPort()]
  const run = (name: string, command: readonly string[], asPostgres = false) =>
    createRestartable(directory, name, asPostgres && hasOwnDisks ? [...AS_POSTGRES, ...command] : command)
  const etcd = run('etcd', buildEtcdCommand(directory, { etcdPort, peerPort }))
  const haproxyFile = join(directory, 'haproxy.cfg')
  writeFileSync(haproxyFile, buildHaproxyFile(members, port))
  const haproxy = run('haproxy', ['haproxy', '-db', '-f', haproxyFile])
  const patroni: ByName = Object.fromEntries(
    members.map((member) => {
      const file = join(member.directory, 'patroni.yml')
      writeFileSync(file, buildMemberFile(member, etcdPort))
      return [member.name, run(member.name, ['patroni', file], true)]
    }),
  )
  const release = guardServers(members.map(({ dataDirectory }) => dataDirectory))
  for (const one of [etcd, haproxy, ...Object.values(patroni)]) one.start()

  const listStates = async (): Promise<readonly MemberState[]> => {
    for (const { restPort } of members) {
      const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => null)
      if (answer !== null) return ((await answer.json()) as { members: readonly MemberState[] }).members
    }
    return []
  }
  const find = async (...roles: readonly string[]): Promise<Member | null> => {
    const name = (await listStates()).find(({ role }) => roles.includes(role))?.name
    return members.find((member) => member.name === name) ?? null
  }
  const untilHealthy = async () => {
    // Patroni lists a killed member until its key expires, so each member must also respond to a request.
    const isComplete = async () =>
      isHealthy(await listStates()) && (await Promise.all(members.map(isRunning))).every(Boolean)
    await waitFor(isComplete, {
      ...{ what: 'a leader, a synchronous standby and a replica', timeoutMs: HEALTHY_WITHIN_MS },
      intervalMs: 500,
    })
  }
  const stop = async () => {
    for (const one of [...Object.values(patroni), haproxy, etcd]) await one.kill()
    for (const { dataDirectory } of members) signal(findPostmaster(dataDirectory) ?? NOBODY, 'SIGQUIT')
    await waitFor(() => members.every(({ dataDirectory }) => findPostmaster(dataDirectory) === null), {
      ...{ what: 'the servers to end', timeoutMs: 60_000 },
    })
    release()
    if (hasOwnDisks) for (const member of members) unmount(member.directory)
  }
  const cluster: Cluster = {
    ...{ members, port, hasOwnDisks, untilHealthy, patroni, etcd, stop },
    findLeader: () => find('leader'),
    findSynchronousStandby: () => find('sync_standby', 'quorum_standby'),
    configure: (change) => configure(members, change),
  }
  try {
    await untilHealthy()
    return cluster
  } catch (error) {
    await stop()
    throw error
  }
}

/** Command prefix that switches to the user `postgres`, because PostgreSQL does not run as root. */
const AS_POSTGRES = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups']

/** An id above Linux's maximum, which no process can have. */
const NOBODY = 2 ** 22 + 1

async function planMember(directory: string, name: string, hasOwnDisk: boolean): Promise<Member> {
  const own = join(directory, name)
  mkdirSync(own)
  if (hasOwnDisk) {
    mountMemory(own, DISK_MEGABYTES)
    execFileSync('chown', ['postgres:postgres', own])
  }
  return {
    ...{ name, directory: own, dataDirectory: join(own, 'data') },
    ...{ port: await claimPort(), restPort: await claimPort() },
  }
}

function buildEtcdCommand(
  directory: string,
  ports: { etcdPort: number; peerPort: number },
): readonly string[] {
  const [client, peer] = [`http://127.0.0.1:${ports.etcdPort}`, `http://127.0.0.1:${ports.peerPort}`]
  return [
    ...['etcd', '--name', 'e1', '--data-dir', join(directory, 'etcd')],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `e1=${peer}`],
  ]
}

function createRestartable(directory: string, name: string, line: readonly string[]): Restartable {
  const [command = '', ...args] = line
  let running: RunningProgram | null = null
  return {
    start: () => {
      if (running !== null && !running.hasEnded()) return
      running = startProgram({
        ...{ name, command, args, cwd: directory, logFile: join(directory, `${name}.log`) },
        env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' }, // oxlint-disable-line no-process-env -- the machine's installation
      })
    },
    kill: async () => {
      if (running === null || running.hasEnded()) return
      signal(running.pid, 'SIGCONT')
      await running.kill()
    },
    pid: () => running?.pid ?? NOBODY,
  }
}

function isHealthy(states: readonly MemberState[]): boolean {
  const running = states.filter(({ state }) => state === 'running' || state === 'streaming')
  const count = (...roles: readonly string[]) => running.filter(({ role }) => roles.includes(role)).length
  return count('leader') === 1 && count('sync_standby') === 1 && count('replica') === 1
}

/** Returns whether a member's server runs. Throws if its Patroni does not respond. */
async function isRunning({ restPort }: Member): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${restPort}/patroni`, { signal: AbortSignal.timeout(2_000) })
  return ((await answer.json()) as { state: string }).state === 'running'
}

async function configure(members: readonly Member[], change: object): Promise<void> {
  for (const { restPort } of members) {
    const answer = await fetch(`http://127.0.0.1:${restPort}/config`, {
      ...{ method: 'PATCH', body: JSON.stringify(change) },
    }).catch(() => null)
    if (answer?.ok) return
  }
  throw new Error('no Patroni accepted the configuration')
}

/** Removes all data of a member, whose processes must have ended. */
export function removeData({ dataDirectory }: Member): void {
  rmSync(dataDirectory, { recursive: true, force: true })
}
