import { ADDRESS_FAMILIES } from '../../../domain/address.ts'
import { FAMILIES } from '../../../domain/families/families.ts'
import type { Db } from '../../connect.ts'

/** Where what the feed shows counts only once reconciliation has found the same. */
const CONFIRMED_APART = ADDRESS_FAMILIES.filter((family) => FAMILIES[family].isConfirmedApart)

/**
 * The condition that a row, of a table by that alias, is at confirmation depth: under the head of its deployment `d`,
 * or in the very inclusion that reconciliation found at depth by itself, while Ponder is down. Where nodes have a second
 * API, by which reconciliation looks, that alone counts.
 *
 * @see decisions 2.6
 */
export function atDepth(db: Db, alias: 't' | 'e' | 'm') {
  return db`(${isDeepByFeed(db, alias)} or ${isFoundDeep(db, alias)})`
}

/** The condition that the feed's own word is enough for a row at this depth, and it has it. */
export function isDeepByFeed(db: Db, alias: 't' | 'e' | 'm' | 'r') {
  return db`(${isUnderHead(db, alias)} and ${isFeedEnough(db)})`
}

/** The condition that what a row says is more than the word of the feed, or that this is enough; at whatever depth. */
export function isBelieved(db: Db, alias: 'r') {
  return db`(${isFeedEnough(db)} or ${isFoundDeep(db, alias)})`
}

/** The condition that a row is at confirmation depth by the feed's head, and nobody else has found it there. */
export function isUnconfirmed(db: Db, alias: 't' | 'e') {
  return db`(${isUnderHead(db, alias)} and not ${isFoundDeep(db, alias)})`
}

/**
 * The condition that a row is deep by the feed's word, and that this is not enough for it to count: what the nodes'
 * other API does not show is held until that does, or an operator lets its charge end.
 */
export function isDoubted(db: Db, alias: 't' | 'e') {
  return db`(${isUnconfirmed(db, alias)} and not ${isFeedEnough(db)} and ${db(alias)}.presence = 'present')`
}

/** The condition that only the feed tells of a row, where that is not enough; at whatever depth, and even if it is missing. */
export function isOneWord(db: Db, alias: 't') {
  return db`(not ${isFeedEnough(db)} and not ${isFoundDeep(db, alias)} and ${db(alias)}.presence <> 'vanished')`
}

/**
 * The condition that an event of a deployment `d` keeps nothing waiting: it has been doubted for ten minutes. One API that
 * makes up a distribution would stop a payout for ever; that nothing is paid twice, the chain sees to.
 */
export function isLongDoubted(db: Db, alias: 'e', now: Date) {
  const since = db`${db(alias)}.detected_at < ${now}::timestamptz - interval '10 minutes'`
  return db`coalesce(${isDoubted(db, alias)} and ${since}, false)`
}

function isFeedEnough(db: Db) {
  return db`not d.family = any (${CONFIRMED_APART})`
}

function isUnderHead(db: Db, alias: string) {
  return db`${db(alias)}.block_number <= d.head_number - d.confirmations + 1`
}

function isFoundDeep(db: Db, alias: string) {
  return db`coalesce(${db(alias)}.deep_block_hash = ${db(alias)}.block_hash, false)`
}
