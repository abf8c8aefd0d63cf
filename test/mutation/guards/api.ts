import type { Mutant } from '../mutant.ts'

const HOSTILE = 'test/integration/client/hostile-feed.test.ts'

/** Permissions and limits of the API's clients. */
export const API_RULES: readonly Mutant[] = [
  {
    rule: 'a key with a wrong checksum is rejected without a query',
    at: 'api/http/middleware/authenticate.ts#createAuthenticate',
    take: 'if (parseApiKey(text) === null) return reject(',
    put: "if (text === '') return reject(",
    test: { file: 'test/integration/api/gate.test.ts', title: 'does not query the database for a key' },
  },
  {
    rule: 'a repeated request never returns a charge that pays another wallet',
    at: 'api/charges/request-hash.ts#requestHash',
    take: 'payoutAddress: parties.payoutAddress',
    put: '',
    test: {
      file: 'test/integration/api/create-charge.test.ts',
      title: 'rejects a repetition with an API key of the organization that has a different payout address',
    },
  },
  {
    rule: 'simultaneous charges share one validation only if all validated values are equal',
    at: 'shared/db/migrations/000015_charge_terms.sql#validate_terms',
    take: 'c.accepted_payments, c.split_terms::text, c.split_recipients::text)',
    put: 'c.accepted_payments)',
    test: { file: 'test/integration/privileges/api-role.test.ts', title: 'is rejected' },
  },
  {
    rule: 'the queue of a stream is limited in bytes, not only in events',
    at: 'api/streams/send-queue.ts#createSendQueue',
    take: '|| keptBytes > options.maxBytes',
    put: '',
    test: { file: 'test/unit/api/send-queue.test.ts', title: 'cuts off a client with too many queued bytes' },
  },
  {
    rule: 'the client with the most unread bytes is cut off first',
    at: 'api/http/response-buffers.ts#createReaders',
    take: 'one[1] > most[1]',
    put: 'one[1] < most[1]',
    test: { file: 'test/unit/api/response-buffers.test.ts', title: 'are reduced by cutting off the largest' },
  },
  {
    rule: 'the ids of a stream’s events do not reveal their numbers',
    at: 'api/streams/stream-ids.ts#pad',
    take: 'byte ^ (stream[index] ?? 0)',
    put: 'byte',
    test: {
      file: 'test/unit/api/stream-ids.test.ts',
      title: 'reveal neither the order of the numbers nor the distance between them',
    },
  },
  {
    rule: 'a cursor that was signed with an earlier secret is accepted',
    at: 'api/http/cursor.ts#decodeCursor',
    take: 'scope.secrets.some',
    put: 'scope.secrets.slice(0, 1).some',
    test: { file: 'test/unit/api/cursor.test.ts', title: 'is signed with the first secret, and accepted' },
  },
  {
    rule: 'simultaneous health requests share one statement',
    at: 'api/health/check-health.ts#createHealthCheck',
    take: 'inFlight ??=',
    put: 'inFlight =',
    test: { file: 'test/integration/api/health.test.ts', title: 'share one statement' },
  },
  {
    rule: 'a page of a list has a maximum size in bytes',
    at: 'shared/db/charges/api/charges-list.ts#listCharges',
    take: '(c.place = 1 or c.bytes <= ${maxBytes})',
    put: 'true',
    test: {
      file: 'test/integration/api/list-charges.test.ts',
      title: 'ends a page early at the size limit',
    },
  },
  {
    rule: 'metadata has a maximum size',
    at: 'api/charges/rules.ts#createChargeRules',
    take: 'bytes > MAX_METADATA_BYTES',
    put: 'bytes < 0',
    test: { file: 'test/integration/api/create-charge.test.ts', title: 'accepts 16 KiB of metadata text' },
  },
  {
    rule: 'each organization has its own limit of checks',
    at: 'api/charges/check/routes.ts#checkRoutes',
    take: "extraLimit: 'checks',",
    put: '',
    test: {
      file: 'test/integration/api/gate.test.ts',
      title: 'counts charge checks separately per organization',
    },
  },
  {
    rule: 'a connection runs one request at a time',
    at: 'api/http/pipelined-requests.ts#handleInTurn',
    take: 'waiting === undefined',
    put: 'waiting === undefined || waiting.length === 0',
    test: {
      file: 'test/integration/api/attacks.test.ts',
      title: 'closes pipelined streams whose client has',
    },
  },
  {
    rule: 'a connection has a maximum number of waiting requests',
    at: 'api/http/pipelined-requests.ts#handleInTurn',
    take: 'waiting.length < MAX_WAITING',
    put: 'true',
    test: {
      file: 'test/unit/api/pipelined-requests.test.ts',
      title: 'are dropped with their connection if 17 are waiting, and no waiting request is started',
    },
  },
  {
    rule: 'other visitors do not use up the reads that a payer needs',
    at: 'api/checkout/limit-visitors.ts#limitReads',
    take: 'used > OWN_READS',
    put: 'used > 0',
    test: {
      file: 'test/integration/api/attacks.test.ts',
      title: 'returns the page’s state to the payer after',
    },
  },
  {
    rule: 'clients without a key hold at most half of the unread bytes',
    at: 'api/http/response-buffers.ts#createReaders',
    take: 'totals.address > maxBytes * ADDRESSES_SHARE',
    put: 'totals.address > maxBytes',
    test: {
      file: 'test/unit/api/response-buffers.test.ts',
      title:
        'include at most half of the maximum for all addresses together, so that clients with a key keep their responses',
    },
  },
  {
    rule: 'requests in flight count against a quota',
    at: 'api/http/middleware/rate-limit.ts#createRateLimiter',
    take: 'others >= policy.quota',
    put: 'others < 0',
    test: {
      file: 'test/integration/api/gate.test.ts',
      title: 'rejects simultaneous requests above the quota',
    },
  },
  {
    rule: 'a simulated order needs the releaser’s signature',
    at: 'indexer/charges/apply-simulated-escrow.ts#applySimulatedEscrow',
    take: 'await verify(db, order)',
    put: 'void verify',
    test: {
      file: 'test/integration/charges/simulated-escrow.test.ts',
      title: 'is not released by an order that the API’s database role wrote and the releaser did',
    },
  },
  {
    rule: 'the chain id of typed data is a number',
    at: 'shared/domain/escrow-transaction.ts#escrowTypedData',
    take: 'chainId: transaction.chainId,',
    put: 'chainId: String(transaction.chainId) as never,',
    test: {
      file: 'test/unit/domain/escrow-transaction.test.ts',
      title: 'hashes to `escrowTxHash` in ethers, and in viem',
    },
  },
  {
    rule: 'clients without a key are counted by the /64 of their address',
    at: 'api/http/middleware/rate-limit.ts#prefix64',
    take: 'parts.slice(0, 4)',
    put: 'parts',
    test: { file: 'test/unit/api/address-bucket.test.ts', title: 'counts' },
  },
  {
    rule: 'each organization has a share of the requests that read chains, so that it delays only its own requests',
    at: 'shared/db/requests/charge-requests.ts#claimRequestsInShares',
    take: 'where place <= ${mostOfOrganization} and',
    put: 'where place <= ${mostOfOrganization + 100} and',
    test: {
      file: 'test/integration/api/check-worker.test.ts',
      title: 'starts at most 10 checks of one',
    },
  },
  {
    rule: 'requests in progress use up the share of their organization',
    at: 'indexer/requests/request-worker.ts#createRequestWorker',
    take: 'inProgress: slots.byOrganization',
    put: 'inProgress: new Map<string, number>()',
    test: {
      file: 'test/integration/api/check-worker.test.ts',
      title: 'starts at most 10 checks of one',
    },
  },
  {
    rule: 'a charge has at most one pending request of each kind',
    at: 'shared/db/requests/charge-requests.ts#insertChargeRequest',
    take: 'on conflict (charge_id, kind) where responded_at is null and charge_id is not null do nothing',
    put: '',
    test: { file: 'test/integration/api/request-daemon.test.ts', title: 'is the only open request of' },
  },
  {
    rule: 'a request that the daemon has started is not canceled',
    at: 'shared/db/migrations/000014_requests.sql#cancel_request',
    take: 'where id = request_id and consumed_at is null returning 1',
    put: 'where id = request_id returning 1',
    test: { file: 'test/integration/db/roles.test.ts', title: 'cancels a request only before the daemon' },
  },
  {
    rule: 'a keeper signs only calls to the factory that it knows',
    at: 'api/client/check-distribution.ts#checkDistribution',
    take: "requireAddress('call.to', call['to'], { expected: factory, family })",
    put: '',
    test: { file: HOSTILE, title: 'a keeper with a hostile feed' },
  },
  {
    rule: 'a keeper distributes only from the split that follows from the terms',
    at: 'api/client/check-distribution.ts#checkDistribution',
    take: "requireAddress('splitAddress', distribution['splitAddress'], { expected: splitAddress, family })",
    put: '',
    test: { file: HOSTILE, title: 'a keeper with a hostile feed' },
  },
  {
    rule: 'a keeper on TRON buys at most the energy that a distribution can use',
    at: 'api/client/tron-keeper.ts#createTronKeeper',
    take: 'isBounded: feeLimitSun <= getDistributionFeeLimitSun({ recipients: split.recipients.length }),',
    put: 'isBounded: true,',
    test: {
      file: 'test/integration/client/hostile-feed-tron.test.ts',
      title: 'signs nothing above the maximum energy of a distribution, even if its own node estimates more',
    },
  },
]
