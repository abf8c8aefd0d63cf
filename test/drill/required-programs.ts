import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Directory of PostgreSQL's server programs: the environment variable `PG_BIN`, or that of Debian's package. */
export const PG_BIN = process.env['PG_BIN'] ?? '/usr/lib/postgresql/15/bin' // oxlint-disable-line no-process-env -- the machine's installation

const PACKAGES =
  'apt-get install --no-install-recommends postgresql-15 patroni python3-etcd etcd-server haproxy'

/** Versions of the required programs. */
export type Versions = Readonly<Record<'patroni' | 'postgres' | 'etcd' | 'haproxy', string>>

/**
 * Returns the versions of the programs that the drill needs.
 *
 * @throws {Error} if programs are missing. The message contains the command that installs them.
 */
export function requirePrograms(): Versions {
  const missing = ['pg_rewind', 'pg_basebackup'].filter((name) => !existsSync(`${PG_BIN}/${name}`))
  const versions = {
    patroni: readVersion('patroni', ['--version']),
    postgres: readVersion(`${PG_BIN}/postgres`, ['--version']),
    etcd: readVersion('etcd', ['--version']),
    haproxy: readVersion('haproxy', ['-v']),
  }
  for (const [name, version] of Object.entries(versions)) if (version === '') missing.push(name)
  if (missing.length === 0) return versions
  throw new Error(
    `${missing.join(', ')} missing. On Debian, with a policy-rc.d that starts no service:\n  ${PACKAGES}`,
  )
}

/**
 * Returns whether this Patroni survives a leader that is stopped and continued. Before 3.0.3, the continued leader
 * overwrites the key of the new leader, and charges whose creation returned 201 are lost (Patroni's pull requests 2689
 * and 2693).
 */
export function canBeStopped(patroni: string): boolean {
  const [major = 0, minor = 0, patch = 0] = (/\d+\.\d+\.\d+/.exec(patroni)?.[0] ?? '0').split('.').map(Number)
  return major * 10_000 + minor * 100 + patch >= 30_003
}

function readVersion(program: string, args: readonly string[]): string {
  const { stdout, error } = spawnSync(program, args, { encoding: 'utf8' })
  return error === undefined ? (/\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? '') : ''
}
