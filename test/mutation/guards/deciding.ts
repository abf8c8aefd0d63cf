import type { Mutant } from '../mutant.ts'

const EXPIRY = 'test/integration/charges/charge-expiry.test.ts'
const CREDITS = 'test/integration/charges/charge-credits.test.ts'
const STATUS = 'test/property/charge-status.test.ts'
const LOSSES = 'test/integration/db/lost-connection.test.ts'
const SETTLEMENT = 'test/integration/charges/charge-settlement.test.ts'
const PARKED = 'test/integration/charges/quarantined-charges.test.ts'
const ESCROW = 'test/unit/charges/escrow-charge.test.ts'
const ROWS = 'test/integration/corroboration/corroborate-rows.test.ts'

/** How an actor processes its inbox. */
export const DECIDING_RULES: readonly Mutant[] = [
  {
    rule: 'charges are locked in the order of their ids',
    at: 'shared/db/charges/daemon/charge-inbox.ts#lockCharges',
    take: 'quarantined_at is null order by id for no key update',
    put: 'quarantined_at is null for no key update',
    test: { file: 'test/integration/db/lock-charges.test.ts', title: 'locks in the order of the ids' },
  },
  {
    rule: 'a transfer is credited as soon as it is at confirmation depth, and not before',
    at: 'shared/db/chain-facts/daemon/at-depth.ts#isUnderHead',
    take: 'd.confirmations',
    put: 'd.confirmations - 1',
    test: {
      file: ROWS,
      title:
        'credits a payment as soon as it is at depth, even if the nodes were last queried shortly before',
    },
  },
  {
    rule: 'a transfer that the feed removes between the read and the mark is not credited',
    at: 'shared/db/charges/daemon/mark-credited.ts#markCredited',
    take: "t.accepted and t.inclusion = 'included'",
    put: 't.accepted',
    test: {
      file: CREDITS,
      title: 'do not credit a transfer that the feed marks as missing after the turn has read it',
    },
  },
  {
    rule: 'a charge expires once a block after its deadline is at confirmation depth, not once it is the head',
    at: 'shared/db/charges/daemon/charge-expiry.ts#mayExpire',
    take: 'coalesce(${selectAgreedTime(db)} < c.expires_at, true)',
    put: 'coalesce(to_timestamp(d.head_timestamp) < c.expires_at, true)',
    test: { file: EXPIRY, title: 'while no block after the charge’s own deadline is at depth, even' },
  },
  {
    rule: 'expiry uses the confirmed head of a quorum, not the feed’s own',
    at: 'shared/db/chain-facts/daemon/agreed-heads.ts#selectAgreedTime',
    take: 'then to_timestamp(d.agreed_head_timestamp) end',
    put: 'then to_timestamp(d.confirmed_head_timestamp) end',
    test: {
      file: EXPIRY,
      title: 'while the feed, but no quorum, shows a confirmed head after the deadline',
    },
  },
  {
    rule: 'expiry waits until the feed has applied the confirmed head of a quorum',
    at: 'shared/db/chain-facts/daemon/agreed-heads.ts#selectAgreedTime',
    take: 'case when d.confirmed_head_number >= d.agreed_head_number then',
    put: 'case when d.agreed_head_number is not null then',
    test: {
      file: EXPIRY,
      title: 'while the feed of a network is behind the confirmed head that a quorum shows',
    },
  },
  {
    rule: 'a missing transfer that was mined in time blocks the expiry',
    at: 'shared/db/charges/daemon/charge-expiry.ts#mayExpire',
    take: "t.credited_at is null and t.inclusion <> 'orphaned'",
    put: "t.credited_at is null and t.inclusion = 'included'",
    test: { file: EXPIRY, title: 'while a transfer mined in time is missing' },
  },
  {
    rule: 'a charge never expires before its deadline by our own clock',
    at: 'shared/db/charges/daemon/charge-expiry.ts#mayExpire',
    take: 'c.expires_at <= now() and c.quarantined_at is null',
    put: 'c.quarantined_at is null',
    test: {
      file: EXPIRY,
      title:
        'do not expire a charge before the deadline by our own clock, even if the block times of its chains are later',
    },
  },
  {
    rule: 'late money never changes the status',
    at: 'machines/charge.ts#chargeSetup',
    take: 'return event.onTime && context.onTimeAtto + event.amountAtto >= context.targetAtto',
    put: 'return context.onTimeAtto + event.amountAtto >= context.targetAtto',
    test: {
      file: STATUS,
      title: 'is finally confirmed if it was fully paid in time',
    },
  },
  {
    rule: 'the received amount is the sum of all credits',
    at: 'machines/charge.ts#chargeSetup',
    take: 'context.receivedAtto + event.amountAtto',
    put: 'event.onTime ? context.receivedAtto + event.amountAtto : context.receivedAtto',
    test: { file: STATUS, title: 'has always received the sum of its credits' },
  },
  {
    rule: 'a charge sends an event for every change of its status',
    at: 'machines/charge.ts#chargeMachine',
    take: "{ target: 'expired', actions: append('charge.expired') }",
    put: "{ target: 'expired' }",
    test: { file: STATUS, title: 'sends exactly one event for each status that it changes to, in order' },
  },
  {
    rule: 'an overpaid charge sends charge.overpaid once',
    at: 'machines/charge.ts#chargeSetup',
    take: 'if (context.isOverpaidAnnounced || isOverpaid({ receivedAtto, targetAtto })) return false',
    put: '',
    test: {
      file: STATUS,
      title: 'sends each event at most once, and charge.overpaid if and only if it is overpaid',
    },
  },
  {
    rule: "an escrow's money is payable only after its release",
    at: 'machines/charge.ts#chargeSetup',
    take: "isPayable: or([stateIn({ escrow: 'none' }), stateIn({ escrow: 'released' })]),",
    put: 'isPayable: () => true,',
    test: { file: ESCROW, title: 'does not open a payout for a payment, because the money is in the Safe' },
  },
  {
    rule: 'a transfer whose block time is exactly the deadline is late',
    at: 'indexer/charges/decide-charge.ts#decideCredits',
    take: 'blockTimestamp * 1000 < mail.charge.expiresAt.getTime()',
    put: 'blockTimestamp * 1000 <= mail.charge.expiresAt.getTime()',
    test: { file: EXPIRY, title: 'expire a charge that was paid exactly at the deadline' },
  },
  {
    rule: 'only credits before the final status decide the settlement',
    at: 'indexer/charges/decide-charge.ts#decideCredits',
    take: 'if (onTime && isOpen(value) && !hasEnded(value)) settling.add(id)',
    put: 'if (onTime || (isOpen(value) && !hasEnded(value))) settling.add(id)',
    test: { file: SETTLEMENT, title: 'settle once the payments that confirmed the charge are paid out,' },
  },
  {
    rule: 'a split event that was announced and then orphaned no longer counts as announced',
    at: 'indexer/charges/decide-charge.ts#decideCharge',
    take: 'isAnnounced: !isOrphaned,',
    put: 'isAnnounced: isOrphaned || !isOrphaned,',
    test: { file: SETTLEMENT, title: 'offer the payout to the keepers again if its detected distribution' },
  },
  {
    rule: 'a charge whose turn fails is quarantined, and the other charges are still processed',
    at: 'indexer/charges/charge-actor.ts#takeAlone',
    take: 'await quarantineCharge(deps.sql, { id, build: BUILD_VERSION })',
    put: 'void quarantineCharge',
    test: { file: PARKED, title: 'quarantine the charge with an alert and without partial changes, and' },
  },
  {
    rule: 'a charge whose turn failed is skipped for a while, and does not delay the charges behind it',
    at: 'indexer/charges/charge-actor.ts#takeOneByOne',
    take: 'deps.failedTurns.note([id], deps.now())',
    put: '',
    test: { file: PARKED, title: 'run the other charges in the next turn after two charges fail' },
  },
  {
    rule: 'the inbox of a waiting charge does not use up the limit of a batch',
    at: 'shared/db/charges/daemon/charge-inbox.ts#listChargesWithWork',
    take: 'and t.charge_id <> all (${except})',
    put: '',
    test: {
      file: PARKED,
      title: 'run the turns of other charges, no matter how much input of a paused charge waits',
    },
  },
  {
    rule: 'after a temporary failure of a batch, its charges are retried one by one',
    at: 'indexer/charges/charge-actor.ts#takeTogether',
    take: 'if (!isDatabaseUnavailable(error)) deps.failedTurns.note(ids, deps.now())',
    put: '',
    test: {
      file: PARKED,
      title:
        'retry a batch with a transient failure one charge at a time, so that no charge blocks another charge',
    },
  },
  {
    rule: 'after three consecutive failures no further charge is quarantined',
    at: 'indexer/charges/charge-actor.ts#takeAlone',
    take: 'deps.failedTurns.countFault() > MAX_CONSECUTIVE_QUARANTINES',
    put: 'deps.failedTurns.countFault() > Infinity',
    test: { file: PARKED, title: 'quarantine at most three charges for an error that affects all of them' },
  },
  {
    rule: 'if other charges succeed, every charge that fails through its own fault is quarantined',
    at: 'indexer/charges/charge-actor.ts#takeTurns',
    take: 'if (turns.length > 0) deps.failedTurns.endFaults()',
    put: '',
    test: { file: PARKED, title: 'quarantine every charge that fails individually if other charges' },
  },
  {
    rule: 'a turn reads a limited number of split events',
    at: 'shared/db/charges/daemon/charge-inbox.ts#listDueSplitEvents',
    take: 'limit ${SPLIT_EVENTS_PER_TURN})',
    put: 'limit null)',
    test: { file: SETTLEMENT, title: 'process a thousand split events per turn, plus the held shares' },
  },
  {
    rule: 'a turn reads all split events of a transaction, or none of them',
    at: 'shared/db/charges/daemon/charge-inbox.ts#listDueSplitEvents',
    take: 'order by e.id`',
    put: 'order by e.id limit ${SPLIT_EVENTS_PER_TURN}`',
    test: { file: SETTLEMENT, title: 'process a thousand split events per turn, plus the held shares' },
  },
  {
    rule: 'a transaction that PostgreSQL aborted because of a deadlock is retried',
    at: 'shared/db/transaction.ts#wasRolledBack',
    take: "return code === '40P01' || code === '40001'",
    put: "return code === '40001'",
    test: { file: 'test/integration/db/connect.test.ts', title: 'retries the loser of a deadlock, so' },
  },
  {
    rule: 'a transaction does not send a query once its connection is lost',
    at: 'shared/db/transaction.ts#failAfterLoss',
    take: 'if (isLost())',
    put: 'if (isLost() && input.length === 0)',
    test: { file: LOSSES, title: 'sends another query' },
  },
  {
    rule: 'a transaction does not send a commit once its connection is lost',
    at: 'shared/db/transaction.ts#begin',
    take: 'if (!isLost) return result',
    put: 'return result',
    test: { file: LOSSES, title: 'completes normally' },
  },
  {
    rule: 'a transaction does not send a commit if its connection was lost together with its query',
    at: 'shared/db/transaction.ts#begin',
    take: 'await lossReported()\n      if (!isLost) return result',
    put: 'if (!isLost) return result',
    test: {
      file: LOSSES,
      title: 'sends neither a rollback nor a commit if its query fails because the host',
    },
  },
  {
    rule: 'a transaction does not send a rollback if its connection was lost together with its query',
    at: 'shared/db/transaction.ts#begin',
    take: 'await lossReported()\n      if (!isLost && !isConnectionLost(error)) throw error',
    put: 'if (!isLost && !isConnectionLost(error)) throw error',
    test: {
      file: LOSSES,
      title: 'sends neither a rollback nor a commit if its query fails because the host',
    },
  },
  {
    rule: 'a session that rejects a write ends only when the rejection is complete',
    at: 'shared/db/end-read-only-session.ts#createMessageReader',
    take: '(isRejected && message[0] === READY_FOR_QUERY)',
    put: 'isRejected',
    test: {
      file: LOSSES,
      title: 'does not fail the next session’s query with the error of a session that rejected a write',
    },
  },
  {
    rule: 'the salt of a charge is the hash of its id',
    at: 'shared/domain/split-address.ts#chargeSalt',
    take: 'keccak_256(utf8ToBytes(chargeId))',
    put: 'keccak_256(utf8ToBytes(chargeId.slice(3)))',
    test: { file: 'test/unit/domain/split-address.test.ts', title: 'is the keccak256 of the id’s text' },
  },
  {
    rule: 'an id has 130 random bits',
    at: 'shared/domain/ids.ts#RANDOM_LENGTH',
    take: 'const RANDOM_LENGTH = 26',
    put: 'const RANDOM_LENGTH = 16',
    test: { file: 'test/unit/domain/ids.test.ts', title: 'returns a prefix and 36 URL-safe characters' },
  },
]
