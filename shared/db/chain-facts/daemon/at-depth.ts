import type { Db } from '../../connect.ts'

/**
 * Returns the condition that a row of the table with that alias counts: a quorum has agreed on its content, and on its
 * block as canonical and at confirmation depth. The feed's own head is irrelevant.
 *
 * @see decisions 2.6, 9.1
 */
export function atDepth(db: Db, alias: 't' | 'e' | 'm' | 'r') {
  const row = db(alias)
  return db`(${isAgreed(db, alias)} and coalesce(${row}.corroborated_block_hash = ${row}.block_hash, false)
    and ${hasVotes(db, alias)})`
}

/**
 * Returns the condition that an agreed row still has enough votes, as the trigger `require_agreed_rows` requires when
 * the row is counted. Votes become insufficient when an order to trust a node ends or the quorum is raised. A statement
 * that counted such a row would fail and quarantine its charge. Instead, the row waits for a quorum.
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

/** Returns the condition that a quorum has agreed on a row's content, at any depth. */
export function isAgreed(db: Db, alias: 't' | 'e' | 'm' | 'r') {
  return db`${db(alias)}.agreed_at is not null`
}

/**
 * Returns the condition that a row is at confirmation depth under the feed's head of its deployment `d` but does not
 * count yet. Such a row keeps its charge open until a quorum shows or denies it, or an operator lets the charge end.
 */
export function isUncorroborated(db: Db, alias: 't' | 'e' | 'm') {
  return db`(${isUnderHead(db, alias)} and not ${atDepth(db, alias)} and ${db(alias)}.inclusion = 'included')`
}

/**
 * Returns the condition that no quorum has shown a row at confirmation depth yet, even if the row is missing. Excludes
 * orphaned rows.
 */
export function isSingleSource(db: Db, alias: 't') {
  return db`(not ${atDepth(db, alias)} and ${db(alias)}.inclusion <> 'orphaned')`
}

/**
 * Returns the condition that an event of a deployment `d`, recorded more than ten minutes ago, is still uncorroborated
 * and thus no longer blocks payouts. Otherwise a node that invents a distribution could block a payout permanently. The
 * timeout is safe, because the chain itself prevents a split from paying twice.
 */
export function isCorroborationTimedOut(db: Db, alias: 'e', now: Date) {
  const since = db`${db(alias)}.detected_at < ${now}::timestamptz - interval '10 minutes'`
  return db`coalesce(${isUncorroborated(db, alias)} and ${since}, false)`
}

/** Returns the condition that a row is at confirmation depth under the feed's head, so a quorum can check it. */
export function isUnderHead(db: Db, alias: string) {
  return db`${db(alias)}.block_number <= d.head_number - d.confirmations + 1`
}
