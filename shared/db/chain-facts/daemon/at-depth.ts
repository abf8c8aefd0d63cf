import type { Db } from '../../connect.ts'

/**
 * The condition that a row, of a table by that alias, counts: a quorum has shown what it says, and has shown its block in
 * the chain at confirmation depth. The feed's own head decides nothing.
 *
 * @see decisions 2.6, 9.1
 */
export function atDepth(db: Db, alias: 't' | 'e' | 'm' | 'r') {
  const row = db(alias)
  return db`(${isAgreed(db, alias)} and coalesce(${row}.deep_block_hash = ${row}.block_hash, false)
    and ${hasVotes(db, alias)})`
}

/**
 * The condition that the votes of an agreed row are still enough, as the trigger `require_agreed_rows` requires when the
 * row is counted. Votes stop being enough when the order that trusts a node ends, and when the quorum is raised. A
 * statement that counted such a row would fail, and its charge be parked; the row waits for a quorum instead.
 */
export function hasVotes(db: Db, alias: 't' | 'e' | 'm' | 'r') {
  const row = db(alias)
  return db`(${row}.agreed_by[1] = 'before-quorum'
    or case when ${row}.agreed_by[1] like 'trusted:%'
      then exists (select from node_trusts n
        where n.chain_id = ${row}.chain_id and 'trusted:' || n.node = ${row}.agreed_by[1] and n.ends_at > now())
      else cardinality(${row}.agreed_by) >= (select q.quorum from deployments q where q.chain_id = ${row}.chain_id)
    end)`
}

/** The condition that a quorum has shown what a row says, at whatever depth. */
export function isAgreed(db: Db, alias: 't' | 'e' | 'm' | 'r') {
  return db`${db(alias)}.agreed_at is not null`
}

/**
 * The condition that a row is at confirmation depth under the head of the feed of its deployment `d`, and does not count
 * yet: it holds its charge open until a quorum shows or denies it, or an operator lets the charge end.
 */
export function isUncorroborated(db: Db, alias: 't' | 'e' | 'm') {
  return db`(${isUnderHead(db, alias)} and not ${atDepth(db, alias)} and ${db(alias)}.presence = 'present')`
}

/** The condition that no quorum has shown a row so far; at whatever depth, and even if it is missing. */
export function isSingleSource(db: Db, alias: 't') {
  return db`(not ${atDepth(db, alias)} and ${db(alias)}.presence <> 'vanished')`
}

/**
 * The condition that an event of a deployment `d` holds nothing back: it has been uncorroborated for ten minutes. A node
 * that invents a distribution would otherwise stop a payout for ever; the chain itself prevents that a split pays twice.
 */
export function isCorroborationTimedOut(db: Db, alias: 'e', now: Date) {
  const since = db`${db(alias)}.detected_at < ${now}::timestamptz - interval '10 minutes'`
  return db`coalesce(${isUncorroborated(db, alias)} and ${since}, false)`
}

/** The condition that a row is at confirmation depth under the feed's head, which makes it worth asking a quorum. */
export function isUnderHead(db: Db, alias: string) {
  return db`${db(alias)}.block_number <= d.head_number - d.confirmations + 1`
}
