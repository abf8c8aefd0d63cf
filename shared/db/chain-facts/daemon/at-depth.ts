import type { Db } from '../../connect.ts'

/**
 * Returns the condition that a row may be counted: a quorum, or a node that an operator trusts, has agreed on its
 * content, and on its block as canonical and at confirmation depth (`corroborated_block_hash`, which
 * `indexer/corroboration/record-agreed.ts` and `corroborate-rows.ts` set). The feed's own head is irrelevant.
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
 * Returns the condition that an agreed row still has enough votes, as the trigger `require_agreed_rows` requires when
 * the row is counted. Votes can become insufficient when an order to trust a node ends or the quorum is raised. A
 * statement that counted such a row would fail, and the row's charge would be quarantined. With this condition, the row
 * waits for a quorum instead.
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
 * Returns the condition that an included row is at confirmation depth according to the feed's head, but may not be
 * counted yet. The alias of its deployment is `d`. Such a row keeps its charge open until a quorum shows or denies the
 * row, or an operator lets the charge end.
 */
export function isUncorroborated(db: Db, alias: 't' | 'e' | 'm') {
  return db`(${isUnderHead(db, alias)} and not ${atDepth(db, alias)} and ${db(alias)}.inclusion = 'included')`
}

/**
 * Returns the condition that no quorum has shown a row at confirmation depth yet. It can be true for a missing row, and
 * is false for an orphaned row.
 */
export function isSingleSource(db: Db, alias: 't') {
  return db`(not ${atDepth(db, alias)} and ${db(alias)}.inclusion <> 'orphaned')`
}

/**
 * Returns the condition that a split event was recorded more than ten minutes ago and is still uncorroborated; the
 * alias of its deployment is `d`. Such an event no longer blocks payouts. Otherwise a node that invents a distribution
 * could block a payout forever. The timeout is safe, because the split itself cannot pay twice.
 */
export function isCorroborationTimedOut(db: Db, alias: 'e', now: Date) {
  const since = db`${db(alias)}.detected_at < ${now}::timestamptz - interval '10 minutes'`
  return db`coalesce(${isUncorroborated(db, alias)} and ${since}, false)`
}

/**
 * Returns the condition that a row is at confirmation depth according to the feed's head, so that a quorum can check
 * it.
 */
export function isUnderHead(db: Db, alias: string) {
  return db`${db(alias)}.block_number <= d.head_number - d.confirmations + 1`
}
