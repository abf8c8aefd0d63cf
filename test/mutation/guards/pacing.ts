import type { Mutant } from '../mutant.ts'

const PACER = 'test/unit/chain/pacing/node-pacer.test.ts'
const READING = 'test/unit/chain/pacing/read-throttle.test.ts'
const THROTTLED = 'test/integration/chain/throttled-nodes.test.ts'
const PONDER = 'test/unit/chain-feed/serve-pacing.test.ts'

/** The request budgets of nodes, and the pauses of nodes that demand fewer requests. */
export const PACING_RULES: readonly Mutant[] = [
  {
    rule: 'a slot is free a second after the response, and not after the request',
    at: 'shared/chain/pacing/rate-limit.ts#createSlots',
    take: 'sent + restingUntilMs.length < count',
    put: 'sent < count',
    test: { file: PACER, title: 'never exceeds the limit per second, regardless of' },
  },
  {
    rule: 'a request without a response holds its slot',
    at: 'shared/chain/pacing/rate-limit.ts#createSlots',
    take: 'sent + restingUntilMs.length < count',
    put: 'restingUntilMs.length < count',
    test: { file: PACER, title: 'never exceeds the limit per second, regardless of' },
  },
  {
    rule: 'the slot for the fractional part of a limit is held for longer than a second',
    at: 'shared/chain/pacing/rate-limit.ts#createRateLimit',
    take: '1_000 / fraction',
    put: '1_000',
    test: { file: PACER, title: 'never exceeds the limit per second, regardless of' },
  },
  {
    rule: 'requests that arrive in a later day of the node count against that day’s limit',
    at: 'shared/chain/pacing/day-limit.ts#createDayLimit',
    take: '(DAY_MS + MAX_ON_WAY_MS)',
    put: 'DAY_MS',
    test: { file: PACER, title: 'that counts requests when they arrive' },
  },
  {
    rule: 'the requests of a day are spread over the day',
    at: 'shared/chain/pacing/day-limit.ts#createDayLimit',
    take: 'Math.min(capacity, tokens + (nowMs - filledAtMs) * perMs)',
    put: 'Math.min(capacity, tokens + (nowMs - filledAtMs) * perMs * 2)',
    test: {
      file: PACER,
      title: 'never exceeds the limit per day in any 24 hours, and still sends requests on the third day',
    },
  },
  {
    rule: 'requests about payments come first',
    at: 'shared/chain/pacing/waiting-requests.ts#createWaitingRequests',
    take: 'order(one) < order(first) ? one : first',
    put: 'order(one) > order(first) ? one : first',
    test: { file: PACER, title: 'sends the most urgent request first' },
  },
  {
    rule: 'no priority waits forever',
    at: 'shared/chain/pacing/waiting-requests.ts#createWaitingRequests',
    take: 'taken % FAIR_TURN === FAIR_TURN - 1',
    put: 'taken < 0',
    test: {
      file: PACER,
      title: 'still sends background requests while more urgent requests fill the budget',
    },
  },
  {
    rule: 'background requests leave a part of the day to payments',
    at: 'shared/chain/pacing/day-limit.ts#createDayLimit',
    take: '1 + LEFT_TO_OTHERS[priority] * (capacity - 1)',
    put: '1',
    test: {
      file: PACER,
      title: 'reserves half of the daily limit’s burst for requests above background priority',
    },
  },
  {
    rule: 'a request waits at most until its deadline',
    at: 'shared/chain/pacing/node-pacer.ts#createNodePacer',
    take: 'waiting.refuseLate(nowMs())',
    put: '',
    test: { file: PACER, title: 'refuses a request that cannot be sent before its deadline' },
  },
  {
    rule: 'the queue of a node is bounded',
    at: 'shared/chain/pacing/waiting-requests.ts#createWaitingRequests',
    take: 'waiting.length <= MAX_WAITING',
    put: 'waiting.length <= 100 * MAX_WAITING',
    test: { file: PACER, title: 'refuses the newest of the least urgent requests' },
  },
  {
    rule: 'after a pause one request is sent alone',
    at: 'shared/chain/pacing/pause.ts#createPause',
    take: 'isProbing && nowMs >= untilMs && sent > 0',
    put: 'false',
    test: {
      file: PACER,
      title: 'pauses for exactly the time that the node demands, then sends one request before the others',
    },
  },
  {
    rule: 'a request from before a pause does not end the phase of single requests',
    at: 'shared/chain/pacing/pause.ts#createPause',
    take: 'else if (sentAtMs >= untilMs)',
    put: 'else if (nowMs >= untilMs)',
    test: { file: PACER, title: 'sends one request first even if a request from before the pause' },
  },
  {
    rule: 'a node cannot pause itself for longer than an hour',
    at: 'shared/chain/pacing/pause.ts#createPause',
    take: 'Math.min(asked, MAX_ASKED_PAUSE_MS)',
    put: 'asked',
    test: { file: PACER, title: 'pauses for at most an hour' },
  },
  {
    rule: 'an error about a response that is too long is not treated as a rate limit',
    at: 'shared/chain/pacing/read-throttle.ts#readRpcThrottle',
    take: '&& !isOfCall(text)',
    put: '',
    test: { file: READING, title: 'is not an error about a response that would be too long' },
  },
  {
    rule: 'a contract’s revert cannot pause a node',
    at: 'shared/chain/pacing/read-throttle.ts#isAboutLimit',
    take: '&& !isOfCall(text)',
    put: '',
    test: { file: READING, title: 'is neither a revert nor an error unrelated to the request rate' },
  },
  {
    rule: 'a request that a node’s budget does not allow is not a failure of the node',
    at: 'shared/chain/nodes/query-nodes.ts#ask',
    take: 'if (!isOverBudget(error)) health.noteFailure(name)',
    put: 'health.noteFailure(name)',
    test: { file: THROTTLED, title: 'counts as silent, not as failed' },
  },
  {
    rule: 'every request of the JSON-RPC transport passes the pacer',
    at: 'shared/chain/nodes/node-transport.ts#requestNode',
    take: 'sendPaced(paced, { maxWaitMs: timeoutMs, send: () => exchange(node, call) })',
    put: 'exchange(node, call)',
    test: { file: THROTTLED, title: 'never receives more requests per second than its limit' },
  },
  {
    rule: "every request to TRON's HTTP API passes the pacer",
    at: 'shared/chain/tron/tron-node.ts#paced',
    take: 'sendPaced(pacing, { maxWaitMs: timeoutMs, send })',
    put: 'send()',
    test: {
      file: THROTTLED,
      title:
        'does not receive a JSON-RPC request during a pause of its TRON API, because both APIs share one budget',
    },
  },
  {
    rule: "a node that throttles Ponder's request is paused for the daemon, too",
    at: 'indexer/chain-feed/serve-pacing.ts#servePacing',
    take: 'sent.get(message.id)?.(checkThrottle(message.throttle))',
    put: 'sent.get(message.id)?.(null)',
    test: { file: PONDER, title: "pauses the daemon's requests" },
  },
  {
    rule: 'a Ponder that has exited does not hold a part of a budget',
    at: 'indexer/chain-feed/serve-pacing.ts#servePacing',
    take: 'for (const end of sent.values()) end(null)',
    put: '',
    test: { file: PONDER, title: 'frees the capacity of requests that were in flight when Ponder exited' },
  },
]
