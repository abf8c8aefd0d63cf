import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { LedgerFact } from './ledger-fact.ts'

/** Length of a digest. A chance collision of ids is negligible, and a deliberate one takes about 2^64 hashes. */
const DIGEST_BYTES = 16

const PREFIXES = {
  credited: 'tr',
  distributed: 'di',
  held: 'he',
  released: 're',
  moved: 'es',
  refunded: 'rf',
} as const

/**
 * Returns the id of a row's entry, such as `tr_5f…`: a digest of the row's `requestId` or, without one, of chain,
 * transaction, token, charge, ordinal and number of earlier strikes. It contains no database id, so that the same log
 * has the same id after a restore or an import.
 *
 * If a log was struck and counts again, its new entry has a different id.
 */
export function buildEntryId(fact: LedgerFact): string {
  const { event, chainId, txHash, tokenAddress, chargeId, ordinal, requestId, strikes } = fact
  const identity =
    requestId === null ? [chainId, txHash, tokenAddress, chargeId, ordinal, strikes] : [requestId]
  return `${PREFIXES[event]}_${digest(identity)}`
}

/** Returns the id of the adjustment that removes an entry. */
export function buildAdjustmentId(entryId: string): string {
  return `ad_${digest([entryId])}`
}

/**
 * Returns the id of an entry that follows from the state of a charge instead of a row.
 *
 * @param at.count - number of earlier entries of this kind for the charge and pair
 */
export function buildStateEntryId(
  prefix: 'sa' | 'di' | 'es',
  at: { readonly chargeId: string; readonly place: string; readonly count: number },
): string {
  return `${prefix}_${digest([at.chargeId, at.place, at.count])}`
}

function digest(parts: readonly unknown[]): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(parts))).slice(0, DIGEST_BYTES))
}
