import type { Mutant } from '../mutant.ts'

const HOSTILE = 'test/integration/client/hostile-feed.test.ts'

/** Permissions and limits of the API's clients. */
export const API_RULES: readonly Mutant[] = [
  {
    rule: 'a key with a wrong checksum is rejected without a query',
    file: 'api/http/middleware/authenticate.ts',
    take: 'if (parseApiKey(text) === null) return reject(',
    put: "if (text === '') return refuse(",
    test: {
      file: 'test/integration/api/gate.test.ts',
      title: 'does not query the database for a key with a wrong checksum',
    },
  },
  {
    rule: 'a repeated request never returns a charge that pays another wallet',
    file: 'api/charges/request-hash.ts',
    take: '    payoutAddress: key.payoutAddresses[getFamily(body)],\n',
    put: '',
    test: {
      file: 'test/integration/api/create-charge.test.ts',
      title: 'rejects another key of the organization that pays another wallet',
    },
  },
  {
    rule: 'simultaneous charges share one validation only if all validated values are equal',
    file: 'shared/db/migrations/000015_charge_terms.sql',
    take: 'c.accepted_payments, c.split_terms::text, c.split_recipients::text)',
    put: 'c.accepted_payments)',
    test: { file: 'test/integration/privileges/api-role.test.ts', title: 'is rejected' },
  },
  {
    rule: 'the queue of a stream is limited by bytes, not only by events',
    file: 'api/streams/send-queue.ts',
    take: ' || keptBytes > options.maxBytes',
    put: '',
    test: { file: 'test/unit/api/send-queue.test.ts', title: 'cuts off a client with too many queued bytes' },
  },
  {
    rule: 'the largest reader is cut off first',
    file: 'api/http/response-buffers.ts',
    take: 'one[1] > most[1]',
    put: 'one[1] < most[1]',
    test: {
      file: 'test/unit/api/response-buffers.test.ts',
      title: 'are reduced by cutting off the largest response of the key with most bytes',
    },
  },
  {
    rule: 'ids of a stream do not reveal its numbers',
    file: 'api/streams/stream-ids.ts',
    take: 'byte ^ (stream[index] ?? 0)',
    put: 'byte',
    test: {
      file: 'test/unit/api/stream-ids.test.ts',
      title: 'reveal neither order nor distance of numbers',
    },
  },
  {
    rule: 'a cursor that an earlier secret signed is accepted',
    file: 'api/http/cursor.ts',
    take: 'scope.secrets.some',
    put: 'scope.secrets.slice(0, 1).some',
    test: {
      file: 'test/unit/api/cursor.test.ts',
      title: 'is signed with the first secret, and accepted with any of them',
    },
  },
  {
    rule: 'simultaneous health requests share one statement',
    file: 'api/health/check-health.ts',
    take: 'inFlight ??=',
    put: 'inFlight =',
    test: {
      file: 'test/integration/api/health.test.ts',
      title: 'cost one statement for any number of requests',
    },
  },
  {
    rule: 'a page ends at its maximum bytes',
    file: 'shared/db/charges/api/charges-list.ts',
    take: '(c.place = 1 or c.bytes <= ${maxBytes})',
    put: 'true',
    test: { file: 'test/integration/api/list-charges.test.ts', title: 'ends a page early by its bytes' },
  },
  {
    rule: 'metadata has a maximum size',
    file: 'api/charges/rules.ts',
    take: 'bytes > MAX_METADATA_BYTES',
    put: 'bytes < 0',
    test: {
      file: 'test/integration/api/create-charge.test.ts',
      title: 'accepts 16 KiB of metadata text',
    },
  },
  {
    rule: 'checks have a limit for each organization',
    file: 'api/charges/check/routes.ts',
    take: "      extraLimit: 'checks',\n",
    put: '',
    test: {
      file: 'test/integration/api/gate.test.ts',
      title: 'counts checks separately per organization and environment',
    },
  },
  {
    rule: 'a connection runs one request at a time',
    file: 'api/http/pipelined-requests.ts',
    take: 'waiting === undefined',
    put: 'waiting === undefined || waiting.length === 0',
    test: {
      file: 'test/integration/api/attacks.test.ts',
      title: 'closes pipelined streams on closed connections',
    },
  },
  {
    rule: 'a connection has a maximum of waiting requests',
    file: 'api/http/pipelined-requests.ts',
    take: 'waiting.length < MAX_WAITING',
    put: 'true',
    test: { file: 'test/unit/api/pipelined-requests.test.ts', title: 'are closed if 17 wait' },
  },
  {
    rule: 'other visitors do not use up the reads that a payer needs',
    file: 'api/checkout/limit-visitors.ts',
    take: 'used > OWN_READS',
    put: 'used > 0',
    test: {
      file: 'test/integration/api/attacks.test.ts',
      title: 'shows the page to its payer after another address has used up the quota of the charge',
    },
  },
  {
    rule: 'clients without a key hold at most half of the unread bytes',
    file: 'api/http/response-buffers.ts',
    take: 'totals.address > maxBytes * ADDRESSES_SHARE',
    put: 'totals.address > maxBytes',
    test: {
      file: 'test/unit/api/response-buffers.test.ts',
      title: 'include at most half for all addresses together',
    },
  },
  {
    rule: 'requests in flight count against a quota',
    file: 'api/http/middleware/rate-limit.ts',
    take: 'others >= policy.quota',
    put: 'others < 0',
    test: {
      file: 'test/integration/api/gate.test.ts',
      title: 'rejects requests above the quota that are in flight',
    },
  },
  {
    rule: 'a simulated order needs the releaser’s signature',
    file: 'indexer/charges/apply-simulated-escrow.ts',
    take: 'await verify(db, order)',
    put: 'void verify',
    test: {
      file: 'test/integration/charges/simulated-escrow.test.ts',
      title: 'is not moved because the API’s role wrote an order that the releaser did not sign',
    },
  },
  {
    rule: 'the chain id of typed data is a number',
    file: 'shared/domain/escrow-transaction.ts',
    take: '      chainId: transaction.chainId,\n',
    put: '      chainId: String(transaction.chainId) as never,\n',
    test: {
      file: 'test/unit/domain/escrow-transaction.test.ts',
      title: 'hashes to `escrowTxHash` in viem and in ethers',
    },
  },
  {
    rule: 'clients without a key are counted by the /64 of their address',
    file: 'api/http/middleware/rate-limit.ts',
    take: 'parts.slice(0, 4)',
    put: 'parts',
    test: { file: 'test/unit/api/address-bucket.test.ts', title: 'counts' },
  },
  {
    rule: 'a charge has one open request of a kind',
    file: 'shared/db/requests/charge-requests.ts',
    take: '      on conflict (charge_id, kind) where answered_at is null and charge_id is not null do nothing\n',
    put: '',
    test: {
      file: 'test/integration/api/request-daemon.test.ts',
      title: 'is the only open request of its kind and charge until it has a response',
    },
  },
  {
    rule: 'a request that the daemon has started is not canceled',
    file: 'shared/db/migrations/000014_requests.sql',
    take: 'where id = request_id and consumed_at is null returning 1',
    put: 'where id = request_id returning 1',
    test: {
      file: 'test/integration/db/roles.test.ts',
      title: 'cancels a request only before the daemon has started it',
    },
  },
  {
    rule: 'a keeper signs only calls to its own known factory',
    file: 'api/client/check-distribution.ts',
    take: "  requireAddress('call.to', call['to'], { expected: factory, family })\n",
    put: '',
    test: { file: HOSTILE, title: 'a keeper with a hostile feed' },
  },
  {
    rule: 'a keeper distributes only from the split that follows from the terms',
    file: 'api/client/check-distribution.ts',
    take: "  requireAddress('splitAddress', distribution['splitAddress'], { expected: splitAddress, family })\n",
    put: '',
    test: { file: HOSTILE, title: 'a keeper with a hostile feed' },
  },
  {
    rule: 'a keeper on TRON buys at most the energy that a distribution can use',
    file: 'api/client/tron-keeper.ts',
    take: 'isBounded: feeLimitSun <= getDistributionFeeLimitSun({ recipients: split.recipients.length }),',
    put: 'isBounded: true,',
    test: {
      file: 'test/integration/client/hostile-feed-tron.test.ts',
      title: 'signs nothing above the maximum energy of a distribution, even if its own node estimates it',
    },
  },
]
