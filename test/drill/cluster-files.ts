import { PG_BIN } from './required-programs.ts'

/** A member of the Patroni cluster. */
export type Member = {
  readonly name: string
  readonly port: number
  readonly restPort: number
  readonly directory: string
  readonly dataDirectory: string
}

/**
 * Returns the configuration of a Patroni member: `docs/ops/patroni/member.yml` with the addresses of the drill, trusted
 * local connections, less WAL, and no watchdog.
 */
export function buildMemberFile(member: Member, etcdPort: number): string {
  const { name, port, restPort, directory, dataDirectory } = member
  return JSON.stringify({
    ...{ scope: 'payments', name },
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { hosts: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ...{ ttl: 20, loop_wait: 5, retry_timeout: 5, maximum_lag_on_failover: 1_048_576 },
        ...{ synchronous_mode: true, synchronous_mode_strict: true },
        postgresql: {
          ...{ use_pg_rewind: true, use_slots: true },
          parameters: { max_connections: 200, wal_keep_size: '64MB', max_wal_size: '256MB' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      ...{ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}` },
      ...{ bin_dir: PG_BIN, data_dir: dataDirectory, pgpass: `${directory}/pgpass` },
      authentication: {
        superuser: { username: 'postgres', password: 'postgres' },
        replication: { username: 'replicator', password: 'replicator' },
      },
      parameters: { unix_socket_directories: directory },
      basebackup: [{ checkpoint: 'fast' }],
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 trust',
        'host replication replicator 127.0.0.1/32 trust',
      ],
    },
  })
}

/** Returns HAProxy's configuration: `docs/ops/patroni/haproxy.cfg` with the addresses of the drill. */
export function buildHaproxyFile(members: readonly Member[], port: number): string {
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
  option clitcpka
  option srvtcpka
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 3 rise 1 on-marked-down shutdown-sessions
${members.map(({ name, port: at, restPort }) => `  server ${name} 127.0.0.1:${at} check port ${restPort}`).join('\n')}
`
}
