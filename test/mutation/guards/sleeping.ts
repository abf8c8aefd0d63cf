import type { Mutant } from '../mutant.ts'

const DECIDE = 'test/unit/chain-feed/decide-sleep.test.ts'
const ROWS = 'test/integration/db/sleeping.test.ts'
const CHECK = 'test/integration/chain-feed/sleep-check.test.ts'
const WATCH = 'test/integration/chain-feed/sleep-watch.test.ts'
const LOOPS = 'test/unit/runtime/chain-loop.test.ts'
const WAKING = 'test/integration/chain-feed/waking.test.ts'

/** Rules for networks that sleep while nothing on them must be watched. */
export const SLEEPING_RULES: readonly Mutant[] = [
  {
    rule: 'a network with work does not fall asleep',
    at: 'indexer/chain-feed/decide-sleep.ts#decideSleep',
    take: 'facts.hasWork || facts.isRecentlyActive',
    put: 'facts.isRecentlyActive',
    test: { file: DECIDE, title: 'does not fall asleep while something must be watched' },
  },
  {
    rule: 'a network stays awake for the configured time after its last work',
    at: 'indexer/chain-feed/decide-sleep.ts#decideSleep',
    take: '|| facts.idleSeconds < sleepAfterSeconds',
    put: '',
    test: { file: DECIDE, title: 'does not fall asleep before the configured time has passed' },
  },
  {
    rule: 'a network whose feed is behind does not fall asleep',
    at: 'indexer/chain-feed/decide-sleep.ts#decideSleep',
    take: 'facts.isFeedLevel && facts.isPublished',
    put: 'facts.isPublished',
    test: { file: DECIDE, title: 'does not fall asleep while its feed has not yet read the blocks' },
  },
  {
    rule: 'a sleeping network with work wakes, even if no charge has requested it',
    at: 'indexer/chain-feed/decide-sleep.ts#decideSleep',
    take: 'facts.isWakeRequested || facts.hasWork',
    put: 'facts.isWakeRequested',
    test: {
      file: DECIDE,
      title: 'wakes when something must be watched, even if no charge requests the wake-up',
    },
  },
  {
    rule: 'the loops of a network take a turn as soon as the network must wake',
    at: 'shared/runtime/chain-loop.ts#createChainLoop',
    take: 'sleep?.onWake(loop.wake)',
    put: '',
    test: { file: LOOPS, title: 'takes a turn as soon as the network must wake' },
  },
  {
    rule: 'the loops of a network that must wake do not rest',
    at: 'shared/db/chain-facts/daemon/sleeping.ts#listSleeping',
    take: 'and wake_requested_at is null',
    put: '',
    test: { file: WATCH, title: 'wakes the loops at the next poll if no notification arrives' },
  },
  {
    rule: 'an operator’s order to repair the feed of a sleeping network is executed immediately',
    at: 'shared/db/chain-facts/daemon/sleeping.ts#listSleeping',
    take: 'and repair_requested_at is null',
    put: '',
    test: { file: WATCH, title: 'wakes the loops for an operator’s order to repair the feed' },
  },
  {
    rule: 'the loops of a sleeping network still take turns, at a longer interval',
    at: 'shared/runtime/chain-loop.ts#createChainLoop',
    take: 'Math.max(intervalMs, asleepMs)',
    put: '2 ** 31 - 1',
    test: { file: LOOPS, title: 'takes turns at its longer interval while the network sleeps' },
  },
  {
    rule: 'a waking network is read from a block below those that a reorganization could replace',
    at: 'indexer/chain-feed/wake-feed.ts#wakeFeed',
    take: '(sleepHeadNumber ?? 0) - finalityBlocks',
    put: '(sleepHeadNumber ?? 0)',
    test: { file: WAKING, title: 'starts its feed `finalityBlocks` below the head of its last check' },
  },
  {
    rule: 'the generation from before a sleep is retired when the network wakes',
    at: 'indexer/chain-feed/wake-feed.ts#wakeFeed',
    take: 'await retireOtherFeeds(db, { chainId, ponderSchema })',
    put: '',
    test: { file: WAKING, title: 'retires the generation from before its sleep' },
  },
  {
    rule: 'the reader of a waking network records only rows with a new identity',
    at: 'indexer/chain-feed/waking-reader.ts#recordNew',
    take: '.filter((row) => !keys.has(getRowKey(row)))',
    put: '',
    test: { file: WAKING, title: 'does not change a row that the feed has shown' },
  },
  {
    rule: 'a row that the reader of a waking network records is not attributed to the feed',
    at: 'indexer/chain-feed/waking-reader.ts#recordNew',
    take: 'ponderSchema: null',
    put: "ponderSchema: 'ponder'",
    test: { file: WAKING, title: 'records a payment once, without a quorum' },
  },
  {
    rule: 'a head that was read for a sleeping network never becomes the head of an awake network',
    at: 'shared/db/chain-facts/daemon/sleeping.ts#recordHealthHead',
    take: 'and asleep_since is not null and',
    put: 'and',
    test: { file: ROWS, title: 'keeps its heads and its scanned block while the network is awake' },
  },
  {
    rule: 'the range scans of an awake network do not skip blocks',
    at: 'shared/db/chain-facts/daemon/sleeping.ts#advanceSleepHead',
    take: 'and asleep_since is not null returning chain_id',
    put: 'returning chain_id',
    test: { file: ROWS, title: 'keeps its heads and its scanned block while the network is awake' },
  },
  {
    rule: 'waking never moves the watermark down',
    at: 'shared/db/chain-facts/daemon/sleeping.ts#endSleep',
    take: 'greatest(watermark_number, ${startBlock})',
    put: '${startBlock}',
    test: { file: ROWS, title: 'moves the watermark up to the first block of the next generation' },
  },
  {
    rule: 'a daemon that was replaced does not put a network to sleep',
    at: 'shared/db/chain-facts/daemon/sleeping.ts#putToSleep',
    take: 'and owner_epoch = ${ownerEpoch}',
    put: '',
    test: { file: ROWS, title: 'is not put to sleep by a daemon that another daemon has replaced' },
  },
  {
    rule: 'a network stays awake while a reorganization can remove a row',
    at: 'indexer/chain-feed/sleep-check.ts#createSleepCheck',
    take: 'if (await hasRowsAbove(sql, { chainId, blockNumber: finalBlock })) return true',
    put: '',
    test: { file: CHECK, title: 'stays awake until no reorganization can remove a payment' },
  },
  {
    rule: 'a wrong height of one check does not move the head of a sleeping network',
    at: 'indexer/chain-feed/sleep-check.ts#createSleepCheck',
    take: 'Math.min(earlier, height)',
    put: 'height',
    test: { file: CHECK, title: 'uses the lower height of the last two checks' },
  },
  {
    rule: 'a waking network is not read from below its watermark',
    at: 'indexer/chain-feed/wake-feed.ts#wakeFeed',
    take: 'Math.max(watermarkNumber,',
    put: 'Math.max(0,',
    test: { file: WAKING, title: 'starts its feed at the watermark if an older build' },
  },
  {
    rule: 'a new charge requests that its sleeping networks wake',
    at: 'shared/db/migrations/000031_wake_without_waiting.sql#wake_networks',
    take: 'update deployments set wake_requested_at = now()',
    put: 'update deployments set wake_requested_at = null',
    test: {
      file: ROWS,
      title: 'is marked to wake only by a new charge that accepts the network',
    },
  },
  {
    rule: 'a new charge does not wait for a lock on the row of a sleeping network',
    at: 'shared/db/migrations/000031_wake_without_waiting.sql#wake_networks',
    take: 'for no key update skip locked',
    put: 'for no key update',
    test: {
      file: ROWS,
      title: 'does not delay the creation of a charge while another transaction has locked the row',
    },
  },
  {
    rule: 'a charge wakes a network whose row was locked',
    at: 'indexer/chain-feed/sleep-watch.ts#createSleepWatch',
    take: 'await requestWake(sql, chainId)',
    put: '',
    test: { file: WATCH, title: 'wakes a network whose row was locked when the charge was created' },
  },
  {
    rule: 'the watch of a waking network ends with the ownership of its deployment',
    at: 'indexer/chain-feed/chain-feed.ts#createChainFeed',
    take: 'waking.end()',
    put: '',
    test: {
      file: 'test/integration/chain-feed/sleeping.test.ts',
      title: 'is no longer read by a daemon that loses its lock while the network wakes',
    },
  },
  {
    rule: 'a daemon that stops waits for the reads of every watch of a waking network',
    at: 'indexer/chain-feed/waking-watch.ts#createWakingWatch',
    take: 'watching = Promise.all([watching, watch(startBlock, stopping.signal)])',
    put: 'watching = watch(startBlock, stopping.signal)',
    test: {
      file: 'test/unit/chain-feed/waking-watch.test.ts',
      title: 'stops only after the current reads of all watches have ended',
    },
  },
  {
    rule: 'a daemon that does not know a token does not wake the network',
    at: 'indexer/chain-feed/chain-feed.ts#createChainFeed',
    take: 'if (!hasOffered || isWakeRequested)',
    put: 'if (!hasOffered)',
    test: {
      file: 'test/integration/chain-feed/sleeping.test.ts',
      title:
        'is neither woken nor owned by a daemon whose configuration lacks a token added during the sleep',
    },
  },
  {
    rule: 'a new charge wakes only the networks that it accepts',
    at: 'shared/db/migrations/000031_wake_without_waiting.sql#wake_networks',
    take: 'and d.chain_id in (select unnest(n.accepted_chains) from new_rows n)',
    put: '',
    test: {
      file: ROWS,
      title: 'is marked to wake only by a new charge that accepts the network',
    },
  },
  ...[
    ['a held escrow keeps a network awake', 'c.received_atto > 0', 'c.received_atto < 0', 'a held escrow'],
    [
      'a failed payout keeps a network awake',
      "chain_id = ${chainId} and status = 'failed'",
      'false',
      'a failed payout',
    ],
    ['a held share keeps a network awake', 'held_atomic > 0', 'held_atomic < 0', 'a held share'],
    ['an open refund keeps a network awake', "'awaiting_payment',", '', 'an open refund'],
    ['an open charge keeps a network awake', 'isOpen(db, db`c.status`)', 'false', 'an open charge'],
  ].map(([rule = '', take = '', put = '', title = '']) => ({
    ...{ rule, take, put, at: 'shared/db/chain-facts/daemon/sleeping.ts#hasWatchedWork' },
    test: { file: ROWS, title },
  })),
  {
    rule: 'a row that does not count yet keeps a network awake',
    at: 'shared/db/chain-facts/daemon/sleeping.ts#hasUncounted',
    take: "r.inclusion = 'included' and ${isUncounted(db, table)}",
    put: 'false',
    test: { file: ROWS, title: 'a payment that does not count yet' },
  },
]
