import type { Mutant } from '../mutant.ts'

const OWNER_LOCK = 'test/integration/db/owner-lock.test.ts'
const DAEMON_ROLE = 'test/integration/privileges/daemon-role.test.ts'
const PONDER_ROLE = 'test/integration/privileges/ponder-role.test.ts'
const SILENCE = 'test/integration/db/liveness-monitor.test.ts'
const API_ROLE = 'test/integration/privileges/api-role.test.ts'

/** Ownership and privileges: one owner of each chain, and roles with the least privileges. */
export const OWNING_RULES: readonly Mutant[] = [
  {
    rule: 'PostgreSQL ends the session of a silent owner',
    file: 'shared/db/chain-facts/daemon/owner-lock.ts',
    take: '    idleSessionTimeoutMs: SESSION_ENDS_AFTER_MS,\n',
    put: '',
    test: {
      file: OWNER_LOCK,
      title: 'goes to another process within 30 s of silence, and is given up before, if',
    },
  },
  {
    rule: 'an owner keeps checking that the database responds',
    file: 'shared/db/chain-facts/daemon/owner-lock.ts',
    take: '      else beat()\n',
    put: '',
    test: {
      file: OWNER_LOCK,
      title: 'is held for longer than the idle timeout of its session, without any query',
    },
  },
  {
    rule: 'an owner waits at most four seconds for a response',
    file: 'shared/db/chain-facts/daemon/owner-lock.ts',
    take: 'const ANSWERED_WITHIN_MS = 4_000',
    put: 'const ANSWERED_WITHIN_MS = 400_000',
    test: { file: OWNER_LOCK, title: 'reports within seconds that the database does not respond' },
  },
  {
    rule: 'a Ponder of an earlier owner commits nothing',
    file: 'shared/db/chain-facts/daemon/ponder-maintenance.ts',
    take: 'set owner_epoch = owner_epoch + 1',
    put: 'set owner_epoch = owner_epoch + 0',
    test: {
      file: OWNER_LOCK,
      title: 'blocks writes of an earlier owner’s Ponder that resumes',
    },
  },
  {
    rule: 'the lock of a schema in use is not cleared',
    file: 'shared/db/chain-facts/daemon/ponder-maintenance.ts',
    take: '  if (user !== undefined) return false\n',
    put: '',
    test: {
      file: 'test/integration/chain-feed/restarts.test.ts',
      title: 'keeps the lock of a schema that a process uses',
    },
  },
  {
    rule: 'a Ponder ends with the daemon that started it',
    file: 'indexer/ponder/exit-with-parent.ts',
    take: '  else end()\n',
    put: '',
    test: {
      file: 'test/integration/chain-feed/restarts.test.ts',
      title: 'leaves no Ponder behind if a daemon is killed while its Ponder starts',
    },
  },
  {
    rule: 'Ponder receives none of our secrets',
    file: 'indexer/chain-feed/ponder-process.ts',
    take: '    ...Object.fromEntries(inherited),\n',
    put: '    ...Object.fromEntries(inherited),\n    ...process.env,\n',
    test: {
      file: 'test/integration/chain-feed/feed.test.ts',
      title: 'gives Ponder no secret in its environment or arguments, except the URL of its own user',
    },
  },
  {
    rule: 'Ponder logs in as its own user',
    file: 'indexer/chain-feed/chain-feed.ts',
    take: '    ...deps,\n    firstBlock:',
    put: '    ...{ ...deps, ponderDatabaseUrl: deps.databaseUrl },\n    firstBlock:',
    test: {
      file: 'test/integration/chain-feed/feed.test.ts',
      title: 'gives Ponder no secret in its environment or arguments, except the URL of its own user',
    },
  },
  {
    rule: 'Ponder can read only the addresses of our charges',
    file: 'shared/db/migrations/000005_charges.sql',
    take: 'grant select (address, split_address, escrow_releaser, is_simulated) on charges',
    put: 'grant select on charges',
    test: {
      file: PONDER_ROLE,
      title: 'finds the addresses of charges, and has no other privilege on our tables',
    },
  },
  {
    rule: 'the API’s role takes no advisory lock',
    file: 'docs/ops/catalog-rights.sql',
    take: "(proname ~ '^pg_(try_)?advisory_(xact_)?lock' or",
    put: "(proname ~ '^pg_(try_)?advisory_lock' or",
    test: { file: API_ROLE, title: 'gets no advisory lock, large object or temporary table' },
  },
  {
    rule: 'an escrow that was paid on chain is not simulated',
    file: 'shared/db/escrow/rehearsed-escrow.ts',
    take: 's.credited_at is not null and s.chain_id is not null)',
    put: 's.credited_at is not null and s.chain_id is not null and false)',
    test: {
      file: 'test/integration/charges/simulated-escrow.test.ts',
      title:
        'is no longer simulated once the chain has paid too: the chain is read, and an order waits for its daemon',
    },
  },
  {
    rule: 'a database user for Ponder with too many rights is rejected',
    file: 'indexer/chain-feed/require-ponder-role.ts',
    take: '    ...(ponder.hasOtherRole\n',
    put: '    ...(ponder.hasOtherRole && Math.random() > 2\n',
    test: { file: PONDER_ROLE, title: 'is rejected if it has more privileges than required' },
  },
  {
    rule: 'the daemon cannot change the terms of a charge',
    file: 'shared/db/migrations/000005_charges.sql',
    take: 'grant select on charges to svc_daemon;',
    put: 'grant select, update on charges to svc_daemon;',
    test: { file: DAEMON_ROLE, title: 'other recipients or shares, or another factory' },
  },
  {
    rule: 'the daemon cannot change signed data',
    file: 'shared/db/migrations/000009_relayer.sql',
    take: 'grant select, insert on relayers, relayer_transactions to svc_daemon;',
    put: 'grant select, insert, update on relayers, relayer_transactions to svc_daemon;',
    test: { file: DAEMON_ROLE, title: 'other signed bytes' },
  },
  {
    rule: 'the daemon cannot resume a pair that an operator has paused',
    file: 'shared/db/migrations/000004_deployments.sql',
    take: 'grant update (enabled) on pairs to svc_daemon;',
    put: 'grant update (enabled, paused_at) on pairs to svc_daemon;',
    test: {
      file: DAEMON_ROLE,
      title: 'updates only changeable columns of existing rows, and no terms that were promised',
    },
  },
  {
    rule: 'the daemon cannot read the hash of a key',
    file: 'shared/db/migrations/000002_organizations.sql',
    take: 'grant select (id, organization_id, environment, payout_address, other_payout_addresses) on api_keys',
    put: 'grant select on api_keys',
    test: { file: DAEMON_ROLE, title: 'the hashes by which keys authenticate' },
  },
  {
    rule: 'a sandbox trigger never changes a live charge, regardless of its author',
    file: 'indexer/charges/decide-trigger.ts',
    take: "  if (charge.environment !== 'test') return refuseLive(charge.id)\n",
    put: '  void refuseLive\n',
    test: { file: API_ROLE, title: 'without the schema’s own checks' },
  },
  {
    rule: 'a charge whose payees match no known terms is not trusted',
    file: 'shared/domain/find-terms-problem.ts',
    take: 'return isTrusted ? null : ',
    put: 'if (isTrusted || evidence) return null\n  return ',
    test: {
      file: 'test/integration/relayer/refused-signature.test.ts',
      title: 'is not given for a charge whose recipients no configuration of the service explains',
    },
  },
  {
    rule: 'a silent database ends the daemon',
    file: 'shared/runtime/liveness-monitor.ts',
    take: '      onSilent()\n',
    put: '      void onSilent\n',
    test: {
      file: SILENCE,
      title: 'reports a silence once, and has sent one query during it',
    },
  },
  {
    rule: 'a database that rejects connections does not end the daemon',
    file: 'shared/runtime/liveness-monitor.ts',
    take: 'if (!isSilence(error)) unanswered = 0',
    put: 'void isSilence(error)',
    test: {
      file: SILENCE,
      title: 'reports no silence for a database that rejects connections, for any length of time',
    },
  },
]
