import type { Mutant } from '../mutant.ts'

const entries = (title: string) => ({ file: 'test/integration/charges/accounting-entries.test.ts', title })
const replay = (title: string) => ({ file: 'test/unit/charges/derive-entries.test.ts', title })
const property = (title: string) => ({ file: 'test/property/accounting.test.ts', title })

/**
 * Accounting entries show each payment on the chains once, and are the same when they are derived again (decisions
 * 9.4).
 */
export const ACCOUNTING_RULES: readonly Mutant[] = [
  {
    rule: 'rows of one block are booked in a fixed order: money enters the split before it is paid out',
    at: 'shared/db/accounting/daemon/ledger-facts.ts#listLedgerFacts',
    take: "array_position(array['transfer', 'escrow-transfer', 'split-event', 'refund'], r.kind), r.row_id",
    put: 'r.row_id, r.kind desc',
    test: entries('book the release of an escrow before the payout of the same block'),
  },
  {
    rule: 'no incentive is booked for a distribution that names no distributor',
    at: 'shared/domain/accounting/fact-legs.ts#listDistributed',
    take: 'party !== null && party !== NOBODY',
    put: 'party !== null',
    test: entries('do not record an incentive if the distribution named no distributor'),
  },
  {
    rule: 'a fraction of a token unit that a split cannot pay is booked to rounding',
    at: 'shared/domain/accounting/fact-legs.ts#listIntoSplit',
    take: 'const change = after - before',
    put: 'const change = 0n * (after - before)',
    test: entries('book fractions of the token’s smallest unit as rounding'),
  },
  {
    rule: 'a refunded escrow is returned to the payer',
    at: 'shared/domain/accounting/fact-legs.ts#listMoved',
    take: 'if (fact.party === terms.splitAddress) return',
    put: 'if (fact.party !== null) return',
    test: entries('book a refunded escrow as returned to the payer, and never as income'),
  },
  {
    rule: 'the booked sale of a charge is at most its amount',
    at: 'shared/domain/accounting/sales.ts#listSold',
    take: 'open < missing ? open : missing',
    put: 'open',
    test: entries('record the payment, a sale of the charge’s amount, and the payout'),
  },
  {
    rule: 'sales are allocated in the order of block times, not in the order in which payments were counted',
    at: 'shared/domain/accounting/sales.ts#listSold',
    take: 'sortByFirstPayment(books)',
    put: '[...books]',
    test: entries('book a sale to the pair that was paid first by block time'),
  },
  {
    rule: 'the sale of an escrow charge is booked only when it is released',
    at: 'shared/domain/accounting/build-entries.ts#buildPage',
    take: "charge.escrowReleaser === null ? charge.isConfirmed : charge.escrowEnd === 'released'",
    put: 'charge.isConfirmed',
    test: entries('do not book a sale of an escrow charge while only a part of the amount has left the Safe'),
  },
  {
    rule: 'an outflow beyond the credited amount of a split or a Safe is booked as uncredited, not as a negative balance',
    at: 'shared/domain/accounting/fact-legs.ts#listChange',
    take: 'after > 0n ? after : 0n',
    put: 'after',
    test: property('never book a negative balance of the split or the Safe'),
  },
  {
    rule: 'all money of one address is in one account, even if it has several roles in the split',
    at: 'shared/domain/accounting/split-roles.ts#getSplitRole',
    take: 'charge.splitTerms.recipients.findIndex(',
    put: 'charge.splitTerms.recipients.findLastIndex(',
    test: property(
      'book all shares of an address with several roles to one account, so that a held share makes no balance negative',
    ),
  },
  {
    rule: 'a share that is not the merchant’s is not booked as received, even if the treasury has the same address',
    at: 'shared/domain/accounting/split-roles.ts#listRoles',
    take: 'findMerchant(charge) === null ? 0 : 1',
    put: 'findMerchant(charge) === null ? 1 : 1',
    test: {
      file: 'test/unit/domain/split-roles.test.ts',
      title: 'is recipient or treasury if the split has no share for the merchant',
    },
  },
  {
    rule: 'a sale has the date of the payment that completed the amount',
    at: 'shared/domain/accounting/sales.ts#findEarnedAt',
    take: 'sumEarnable(books) >= microToAtto(amountMicro)',
    put: 'sumEarnable(books) < 0n',
    test: entries('date a sale by the payment that completed it'),
  },
  {
    rule: 'the sale of an escrow has the date of its release',
    at: 'shared/domain/accounting/sales.ts#findEarnedAt',
    take: 'escrowReleaser === null ? pair.lastPaidAt : pair.lastReleasedAt',
    put: 'pair.lastPaidAt',
    test: entries('date the sale of an escrow by the transfer into the split'),
  },
  {
    rule: 'each turn of a charge has a distinct time, so that the books can be derived again turn by turn',
    at: 'indexer/charges/find-turn-times.ts#findTurnTimes',
    take: 'Math.max(now.getTime(), (last.get(id)?.getTime() ?? 0) + 1)',
    put: 'now.getTime() + 0 * last.size',
    test: entries('have a different time for each turn, even if the clock stands still or goes back'),
  },
  {
    rule: 'a payment or release that was struck does not date a sale',
    at: 'shared/domain/accounting/books.ts#sumEntries',
    take: '!struck.has(entryId)',
    put: '!struck.has(`${entryId}?`)',
    test: replay('date a sale by the payments that still count, not by a struck payment'),
  },
  {
    rule: 'the stored sums leave out the time of a payment or release that was struck',
    at: 'shared/db/migrations/000023_accounting_balances.sql#sum_entries',
    take: 'case when not exists (select from accounting_entries a where a.corrects = e.entry_id) then e.category end',
    put: 'e.category',
    test: entries('date a sale by the payments that count, not by a struck payment'),
  },
  {
    rule: 'a sale that a strike causes has the date of the strike',
    at: 'shared/domain/accounting/build-entries.ts#buildPage',
    take: 'isStrike || sales.length === 0 ? now',
    put: 'sales.length === 0 ? now',
    test: replay('allocate the sale of a struck payment to another payment immediately, dated at the strike'),
  },
  {
    rule: 'a turn does not read all earlier entries of its charge',
    at: 'shared/db/migrations/000023_accounting_balances.sql#sync_accounting_balances',
    take: "tg_op <> 'INSERT' or exists",
    put: "tg_op <> 'DELETE' or exists",
    test: entries(
      'are written without reading the earlier entries, because anyone can send dust to a charge',
    ),
  },
  {
    rule: 'a charge that was paid before the service wrote entries gets all its entries',
    at: 'indexer/charges/write-entries.ts#writeEntries',
    take: 'await deriveEntries(db, withoutBooks)',
    put: 'await deriveEntries(db, [])',
    test: entries(
      'are written completely by the next turn of a charge that was paid before the service wrote entries',
    ),
  },
  {
    rule: 'a rebuild writes nothing for a charge with a wrong entry',
    at: 'indexer/charges/rebuild-entries.ts#comparePage',
    take: 'found.missing.filter(({ chargeId }) => !doubtful.has(chargeId))',
    put: 'found.missing.filter(({ chargeId }) => !doubtful.has(`${chargeId}?`))',
    test: entries('are added by a rebuild, except to a charge that has a wrong entry'),
  },
]
