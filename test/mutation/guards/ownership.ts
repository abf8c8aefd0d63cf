import type { Mutant } from '../mutant.ts'

const OWNER_LOCK = 'test/integration/db/owner-lock.test.ts'
const DAEMON_ROLE = 'test/integration/privileges/daemon-role.test.ts'
const PONDER_ROLE = 'test/integration/privileges/ponder-role.test.ts'
const SILENCE = 'test/integration/db/liveness-monitor.test.ts'
const READ_ONLY = 'test/integration/db/read-only.test.ts'
const SESSIONS = 'test/integration/db/session-check.test.ts'
const API_ROLE = 'test/integration/privileges/api-role.test.ts'

/** Ownership and privileges: one daemon owns each chain, and roles have the minimum privileges. */
export const OWNERSHIP_RULES: readonly Mutant[] = [
  {
    rule: 'PostgreSQL ends the session of a silent owner',
    at: 'shared/db/chain-facts/daemon/owner-lock.ts#open',
    take: 'idleSessionTimeoutMs: SESSION_ENDS_AFTER_MS',
    put: '',
    test: { file: OWNER_LOCK, title: 'goes to another process within 30 s after the owner’s network drops' },
  },
  {
    rule: 'an owner keeps checking that the database responds',
    at: 'shared/db/chain-facts/daemon/owner-lock.ts#createOwnerLock',
    take: 'else beat()',
    put: '',
    test: {
      file: OWNER_LOCK,
      title: 'is held for longer than its session’s idle timeout without another call',
    },
  },
  {
    rule: 'an owner waits at most four seconds for a response',
    at: 'shared/db/chain-facts/daemon/owner-lock.ts#ANSWERED_WITHIN_MS',
    take: 'const ANSWERED_WITHIN_MS = 4_000',
    put: 'const ANSWERED_WITHIN_MS = 400_000',
    test: { file: OWNER_LOCK, title: 'reports within 10 s that the database does not respond' },
  },
  {
    rule: 'a Ponder of an earlier owner cannot commit',
    at: 'shared/db/chain-facts/daemon/ponder-maintenance.ts#incrementOwnerEpoch',
    take: 'set owner_epoch = owner_epoch + 1',
    put: 'set owner_epoch = owner_epoch + 0',
    test: {
      file: OWNER_LOCK,
      title: 'rejects writes from a previous owner’s Ponder',
    },
  },
  {
    rule: 'the lock of a schema in use is not cleared',
    at: 'shared/db/chain-facts/daemon/ponder-maintenance.ts#clearPonderLock',
    take: 'if (user !== undefined) return false',
    put: '',
    test: { file: 'test/integration/chain-feed/restarts.test.ts', title: 'keeps the lock of a schema' },
  },
  {
    rule: 'a Ponder ends with the daemon that started it',
    at: 'indexer/chain-feed/ponder-process.ts#argumentsOf',
    take: ", '--import', END_WITH_DAEMON",
    put: '',
    test: {
      file: 'test/integration/chain-feed/restarts.test.ts',
      title: 'does not leave a Ponder behind if a daemon is killed while its Ponder starts',
    },
  },
  {
    rule: 'a Ponder whose main thread is blocked ends with its daemon',
    at: 'indexer/ponder/end-with-daemon.mjs#watch',
    take: 'new Worker(WATCH, { eval: true, execArgv: [], workerData: daemonPid }).unref()',
    put: "process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))",
    test: {
      file: 'test/unit/chain-feed/end-with-daemon.test.ts',
      title: 'ends when its daemon dies, even if its main thread is blocked',
    },
  },
  {
    rule: 'Ponder receives none of our secrets',
    at: 'indexer/chain-feed/ponder-process.ts#environmentOf',
    take: '...Object.fromEntries(inherited),',
    put: '...Object.fromEntries(inherited),\n...process.env,',
    test: { file: 'test/integration/chain-feed/feed.test.ts', title: 'gives Ponder no secret in' },
  },
  {
    rule: 'Ponder logs in as its own user',
    at: 'indexer/chain-feed/chain-feed.ts#createChainFeed',
    take: '...deps, firstBlock:',
    put: '...{ ...deps, ponderDatabaseUrl: deps.databaseUrl }, firstBlock:',
    test: { file: 'test/integration/chain-feed/feed.test.ts', title: 'gives Ponder no secret in' },
  },
  {
    rule: 'Ponder can read only the addresses of our charges',
    at: 'shared/db/migrations/000005_charges.sql',
    take: 'grant select (address, split_address, escrow_releaser, is_simulated) on charges',
    put: 'grant select on charges',
    test: { file: PONDER_ROLE, title: 'can find the addresses of charges and read the list of migrations,' },
  },
  {
    rule: 'the API’s role cannot take an advisory lock',
    at: 'docs/ops/catalog-rights.sql',
    take: "(proname ~ '^pg_(try_)?advisory_(xact_)?lock' or",
    put: "(proname ~ '^pg_(try_)?advisory_lock' or",
    test: { file: API_ROLE, title: 'cannot get an advisory lock, large object or temporary table' },
  },
  {
    rule: 'an escrow that was paid on chain is not simulated',
    at: 'shared/db/escrow/rehearsed-escrow.ts#isRehearsed',
    take: 's.credited_at is not null and s.chain_id is not null)',
    put: 's.credited_at is not null and s.chain_id is not null and false)',
    test: { file: 'test/integration/charges/simulated-escrow.test.ts', title: 'is no longer simulated once' },
  },
  {
    rule: 'a database user for Ponder with too many rights is rejected',
    at: 'indexer/chain-feed/require-ponder-role.ts#findProblems',
    take: '...(ponder.hasOtherRole',
    put: '...(ponder.hasOtherRole && Math.random() > 2',
    test: { file: PONDER_ROLE, title: 'is rejected if it has more privileges than required' },
  },
  {
    rule: 'the daemon cannot change the terms of a charge',
    at: 'shared/db/migrations/000005_charges.sql',
    take: 'grant select on charges to svc_daemon;',
    put: 'grant select, update on charges to svc_daemon;',
    test: { file: DAEMON_ROLE, title: 'other recipients or shares, or another factory' },
  },
  {
    rule: 'the daemon cannot change signed data',
    at: 'shared/db/migrations/000009_relayer.sql',
    take: 'grant select, insert on relayers, relayer_transactions to svc_daemon;',
    put: 'grant select, insert, update on relayers, relayer_transactions to svc_daemon;',
    test: { file: DAEMON_ROLE, title: 'other signed bytes' },
  },
  {
    rule: 'the daemon cannot resume a pair that an operator has paused',
    at: 'shared/db/migrations/000004_deployments.sql',
    take: 'grant update (enabled) on pairs to svc_daemon;',
    put: 'grant update (enabled, paused_at) on pairs to svc_daemon;',
    test: { file: DAEMON_ROLE, title: 'updates only the changeable columns of existing rows, and no' },
  },
  {
    rule: 'the daemon cannot read the hash of a key',
    at: 'shared/db/migrations/000002_organizations.sql',
    take: 'grant select (id, organization_id, environment, payout_address, other_payout_addresses)',
    put: 'grant select',
    test: { file: DAEMON_ROLE, title: 'the hashes by which keys authenticate' },
  },
  {
    rule: 'a sandbox trigger never changes a live charge, regardless of its author',
    at: 'indexer/charges/decide-trigger.ts#decideTrigger',
    take: "if (charge.environment !== 'test') return refuseLive(charge.id)",
    put: 'void refuseLive',
    test: { file: API_ROLE, title: 'without the schema’s own checks' },
  },
  {
    rule: 'a charge whose payees match no known terms is not trusted',
    at: 'shared/domain/find-terms-problem.ts#findAllocationProblem',
    take: 'return isTrusted ? null :',
    put: 'if (isTrusted || evidence) return null\nreturn',
    test: { file: 'test/integration/relayer/refused-signature.test.ts', title: 'is not given for a charge' },
  },
  {
    rule: 'a silent database ends the daemon',
    at: 'shared/runtime/liveness-monitor.ts#createLivenessMonitor',
    take: 'onSilent()',
    put: 'void onSilent',
    test: { file: SILENCE, title: 'reports a silence once, and sends at most two queries' },
  },
  {
    rule: 'a database that rejects connections does not end the daemon',
    at: 'shared/runtime/liveness-monitor.ts#createLivenessMonitor',
    take: 'if (!isSilence(error)) unanswered = 0',
    put: 'void isSilence(error)',
    test: {
      file: SILENCE,
      title: 'never reports a silence for a database that rejects connections',
    },
  },
  {
    rule: 'a database that rejects writes counts as unavailable, so that its work is retried',
    at: 'shared/db/connect.ts#AWAY_CODES',
    take: "'25006',",
    put: '',
    test: { file: READ_ONLY, title: 'is reported as an unavailable database for' },
  },
  {
    rule: 'a session that has rejected a write is not used again',
    at: 'shared/db/end-read-only-session.ts#isReadOnlyError',
    take: 'message.includes(READ_ONLY_ERROR)',
    put: 'false',
    test: { file: READ_ONLY, title: 'is closed after it has rejected a write' },
  },
  {
    rule: 'no session is opened on a standby',
    at: 'shared/db/connect-socket.ts#connectSocket',
    take: 'if (!acceptsStandby) endReadOnlySession(socket)',
    put: 'void acceptsStandby',
    test: { file: READ_ONLY, title: 'provides no session, not even for reads, until it is promoted' },
  },
  {
    rule: 'connections that share sessions of the server are rejected',
    at: 'shared/db/session-check.ts#compare',
    take: 'if (!(await hasOwnSession(first, second)))',
    put: 'if (!(await hasOwnSession(first, second)) && Math.random() > 2)',
    test: { file: SESSIONS, title: 'rejects a pooler in transaction mode' },
  },
  {
    rule: 'advisory locks that do not exclude each other are rejected',
    at: 'shared/db/session-locks.ts#findLockProblems',
    take: 'if (await tryLock(second, key)) return',
    put: 'if ((await tryLock(second, key)) && Math.random() > 2) return',
    test: { file: SESSIONS, title: 'rejects a database whose advisory locks do nothing' },
  },
  {
    rule: 'a database whose notifications do not arrive is rejected',
    at: 'shared/db/session-check.ts#compare',
    take: '...(await findDeafnessProblem(first, second, { nonce, heard })),',
    put: '',
    test: { file: SESSIONS, title: 'rejects a database whose notifications do not arrive' },
  },
  {
    rule: 'the daemon compares its sessions again after each reconnect',
    at: 'shared/runtime/database-check.ts#createDatabaseCheck',
    take: 'repeat: () => { isDue = true }',
    put: 'repeat: () => undefined',
    test: {
      file: SESSIONS,
      title: 'is repeated when the daemon reconnects, and ends the daemon if it is then behind a pooler',
    },
  },
  {
    rule: 'another role cannot put its tables before our tables',
    at: 'shared/db/connect.ts#REQUESTED_SETTINGS',
    take: "search_path: 'public, pg_temp',",
    put: '',
    test: {
      file: SESSIONS,
      title: 'finds our tables before tables in a schema with the user’s name',
    },
  },
  {
    rule: 'a request whose commit hangs gets a response',
    at: 'api/http/middleware/limit-duration.ts#limitDuration',
    take: 'ms: maxMs, late: false',
    put: 'ms: 1000 * maxMs, late: false',
    test: {
      file: 'test/integration/api/limit-duration.test.ts',
      title: 'gets a 503 if no standby confirms its commit, and the commit is not canceled',
    },
  },
  {
    rule: 'the doctor requires coins only in accounts that daemons are configured to use',
    at: 'shared/db/chain-facts/daemon/doctor-facts.ts#readDoctorFacts',
    take: 'from recorded where not is_old',
    put: 'from recorded',
    test: {
      file: 'test/integration/commands/doctor.test.ts',
      title: 'reads paused pairs and the daemons’ accounts from the database',
    },
  },
  {
    rule: 'the certificate of the database is verified if its URL requires it',
    at: 'shared/db/connect-tls.ts#encrypt',
    take: "rejectUnauthorized: mode === 'verify-full'",
    put: 'rejectUnauthorized: false',
    test: {
      file: 'test/integration/db/tls.test.ts',
      title: 'is rejected if the URL requires a verified certificate',
    },
  },
  {
    rule: 'a read-only session is detected over TLS, too',
    at: 'shared/db/connect.ts#socketOf',
    take: '{ ...at, acceptsStandby, tls }',
    put: '{ ...at, acceptsStandby: true, tls }',
    test: {
      file: 'test/integration/db/tls.test.ts',
      title: 'is closed after the database has rejected a write as read-only',
    },
  },
]
