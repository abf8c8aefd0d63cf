import type { Mutant } from '../mutation/mutant.ts'
import { MUTANTS } from '../mutation/mutants.ts'

/** A bug that some history must reveal: a mutant without its own test. */
export type PlantedBug = Omit<Mutant, 'test'>

/**
 * Bugs that are planted one by one: an edit, or a rule of the mutants' table, which is removed.
 *
 * The list was committed before any fault was tuned to it, so it also contains bugs that no history reveals yet. Bugs
 * that were found in the service come first, then rules whose removal histories usually reveal, then the other rules.
 */
const LISTED: readonly (PlantedBug | string)[] = [
  // A node omitted some transfers of a transaction at first, and transfers of 10 and 90 were credited as 180.
  'a log in the ledger keeps its ordinal, even if an earlier log appears later',
  'a log is matched by its content before its position',
  'a missing row is checked by its content, not by its ordinal',
  'receipts match the rows that the feed counted without an earlier transfer',
  // One node invented a transfer, in a real or an invented transaction.
  'a row counts only if the quorum of its chain reports it',
  'a row that a quorum denies at depth is orphaned',
  'a missing row is orphaned only by a quorum',
  // One node reduced an amount.
  'nodes that show different amounts at one position contradict each other',
  'nodes that report different contents for one log position contradict each other',
  'a quorum marks only the row with the same values',
  {
    rule: 'a scan searches for the transfers of all of its charges',
    at: 'indexer/chain-feed/scan-logs.ts#scanLogs',
    take: '[...new Set([...addresses, ...strayed])]',
    put: '[...new Set([...addresses, ...strayed])].slice(0, 1)',
  },
  {
    rule: 'a charge whose turn the database interrupts is not quarantined',
    at: 'indexer/charges/charge-actor.ts#takeAlone',
    take: 'if (!isChargeError(error)) throw error',
    put: '',
  },
  // One node served a range of blocks without the logs.
  'a block range is completed only if a quorum of operators has listed its logs',
  'a block range is completed only after a quorum has reported each listed transaction',
  'a charge counts as searched only if a quorum of operators has served the logs of its whole life',
  {
    rule: 'late money that a keeper distributed before the end of its charge settles the charge',
    at: 'indexer/charges/decide-charge.ts#decideSettlement',
    take: 'const ledgers = isOpen(mail.charge) || isReleasedNow ?',
    put: 'const ledgers = isReleasedNow ?',
  },

  'late money never changes the status',
  'the received amount is the sum of all credits',
  'an overpaid charge sends charge.overpaid once',
  'a charge sends an event for every change of its status',
  'a delivery that the endpoint rejects does not count as delivered',
  'a transfer whose block time is exactly the deadline is late',
  'a transfer is credited as soon as it is at confirmation depth, and not before',
  'testnet money is never credited to a live charge',
  'rows and head are committed in one transaction',
  'the confirmed head is the highest block at confirmation depth',
  'a transaction is resolved exactly at its confirmation depth',
  'a charge is settled only once the amounts that decide its settlement are distributed',
  'a silent node never lowers the quorum',
  'open refunds reserve their amount',
  'a refund that was paid after its end counts only up to the amount that is left',
  'a refund is confirmed only at confirmation depth',
  'an open charge keeps a network awake',

  'a distribution of testnet money does not complete a payout',
  'a row is orphaned only once its block is at confirmation depth on a node that lacks its payment',
  'the response of a node is used only after its chain id is verified',
  'a charge expires only after its balances were read',
  'a charge expires only after its blocks were scanned',
  'a balance that differs from our rows blocks the expiry',
  'a balance verifies an expiry only if a quorum reports it',
  'a missing transfer that was mined in time blocks the expiry',
  'a charge expires once a block after its deadline is at confirmation depth, not once it is the head',
  'nodes that show different block times contradict each other',
  'a corroborated row counts only once its block is at confirmation depth',
  'the block of a corroborated row is compared by its hash at confirmation depth',
  'a row whose values have changed is no longer corroborated',
  'a split event that was announced and then orphaned no longer counts as announced',
  "the merchant's own held share keeps the settlement pending",
  'a later distribution by any sender completes a failed payout',
  'an amount that another sender has distributed is not paid again while that distribution is not yet counted',
  'a transaction that a reorganization has removed is sent again',
  'a reorganization can move a transaction to another block',
  'a nonce counts as used by another sender only at confirmation depth',
  'a call counts as reverting only if a quorum reports it',
  'one transfer pays one refund',
  'only a transfer of the declared wallet pays a refund',
  'a refund expires only when the blocks up to its deadline were read twice',
  'a waking network is read from a block below those that a reorganization could replace',
  'an event that the daemon inserts gets its deliveries',
  'a new charge requests that its sleeping networks wake',
]

export const PLANTED: readonly PlantedBug[] = LISTED.map((each) =>
  typeof each === 'string' ? findRule(each) : each,
)

function findRule(rule: string): PlantedBug {
  const mutant = MUTANTS.find((each) => each.rule === rule)
  if (mutant === undefined) throw new Error(`the table of mutants has no rule ${JSON.stringify(rule)}`)
  return mutant
}
