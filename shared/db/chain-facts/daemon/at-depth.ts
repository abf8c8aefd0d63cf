import type { Db } from '../../connect.ts'

/**
 * Returns the condition that a row may be counted. A quorum, or a node that an operator trusts, must have agreed on the
 * row's content, and on its block as canonical and at confirmation depth (`corroborated_block_hash`, set by
 * `indexer/corroboration/record-agreed.ts` and `corroborate-rows.ts`). The feed's own head is irrelevant.
 * `charge-inbox.ts` reads the transfers that meet this condition, and `indexer/charges/decide-charge.ts` credits them.
 *
 * @param alias - the alias of the row's table
 * @see decisions 2.6, 9.1
 */
export function atDepth(db: Db, alias: 't' | 'e' | 'm' | 'r') {
  const row = db(alias)
  return db`(${isAgreed(db, alias)} and coalesce(${row}.corroborated_block_hash = ${row}.block_hash, false)
    and ${hasVotes(db, alias)})`
}

/**
 * Returns the condition that an agreed row still has enough votes. The votes become insufficient if an order to trust a
 * node ends or the quorum is raised. Without this condition, counting the row would fail in the trigger
 * `require_agreed_rows`, and the charge would be quarantined. With it, the row waits for a quorum.
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

/** Returns the condition that a quorum, or the trusted node, has agreed on a row's content, at any depth. */
export function isAgreed(db: Db, alias: 't' | 'e' | 'm' | 'r') {
  return db`${db(alias)}.agreed_at is not null`
}

/**
 * Returns the condition that an included row is at confirmation depth according to the feed's head, but may not be
 * counted yet; the alias of its deployment is `d`. Such a row keeps its charge open until a quorum shows or denies the
 * row, or an operator lets the charge expire.
 */
export function isUncorroborated(db: Db, alias: 't' | 'e' | 'm') {
  return db`(${isUnderHead(db, alias)} and not ${atDepth(db, alias)} and ${db(alias)}.inclusion = 'included')`
}

/**
 * Returns the condition that a row may not be counted yet and is not orphaned. A missing row can meet this condition.
 */
export function isSingleSource(db: Db, alias: 't') {
  return db`(not ${atDepth(db, alias)} and ${db(alias)}.inclusion <> 'orphaned')`
}

/**
 * Returns the condition that a split event was recorded more than ten minutes ago and is still uncorroborated; the
 * alias of its deployment is `d`. Such an event no longer blocks payouts; otherwise a node could block a payout forever
 * with an invented distribution. This is safe, because the split itself cannot pay twice.
 */
export function isCorroborationTimedOut(db: Db, alias: 'e', now: Date) {
  const since = db`${db(alias)}.detected_at < ${now}::timestamptz - interval '10 minutes'`
  return db`coalesce(${isUncorroborated(db, alias)} and ${since}, false)`
}

/**
 * Returns the condition that a row is at confirmation depth according to the feed's head; only then can a quorum check
 * it.
 */
export function isUnderHead(db: Db, alias: string) {
  return db`${db(alias)}.block_number <= d.head_number - d.confirmations + 1`
}
