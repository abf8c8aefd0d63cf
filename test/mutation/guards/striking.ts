import type { Mutant } from '../mutant.ts'

const STRIKE = 'test/integration/charges/strike.test.ts'

/** A counted row is struck only if every node denies it, and a strike reverts no status (decisions 9.2). */
export const STRIKING_RULES: readonly Mutant[] = [
  {
    rule: 'a row is not struck while a node is silent',
    at: 'indexer/charges/verify-strike.ts#verifyStrike',
    take: 'const problem = describeSilent(responses) ?? describeShallow',
    put: 'const problem = describeShallow',
    test: {
      file: STRIKE,
      title: 'is not struck while one node lists its transaction but has lost the receipt',
    },
  },
  {
    rule: 'a row is not struck while a node shows it',
    at: 'indexer/charges/verify-strike.ts#verifyStrike',
    take: 'if (showing.length > 0) return',
    put: 'if (showing.length > 9) return',
    test: { file: STRIKE, title: 'is not struck while one node shows it, and the response names' },
  },
  {
    rule: 'a row is not struck while a node shows another block at its height',
    at: 'indexer/charges/verify-strike.ts#verifyStrike',
    take: 'if (forked !== null) return refused(forked)',
    put: '',
    test: { file: STRIKE, title: 'is not struck while one node shows another block at' },
  },
  {
    rule: 'a counted row is denied if a quorum shows its log with other values',
    at: 'indexer/corroboration/record-agreed.ts#textOf',
    take: '[positionOf(row), contentOf(row)]',
    put: '[positionOf(row)]',
    test: { file: STRIKE, title: 'is requested by an alert if a quorum shows another amount' },
  },
  {
    rule: 'a node that shows a transfer that the charge does not accept does not show the counted row',
    at: 'indexer/charges/verify-strike.ts#listShowing',
    take: 'one.isAccepted',
    put: 'one.chargeId === row.chargeId',
    test: { file: STRIKE, title: 'is requested by an alert if the charge does not accept the pair' },
  },
  {
    rule: 'a struck distribution is owed again',
    at: 'indexer/charges/strike-charge.ts#tellPayouts',
    take: "if (event === 'distributed') await openPayouts(",
    put: "if (event === 'held') await openPayouts(",
    test: { file: STRIKE, title: 'is removed; the payout is reopened and paid' },
  },
  {
    rule: 'a struck credit leaves the ledger of its pair',
    at: 'indexer/charges/strike-charge.ts#strikeCharge',
    take: 'await reduceLedger(db, charge, struck)',
    put: '',
    test: { file: STRIKE, title: 'is removed from every sum, and the charge keeps its status' },
  },
  {
    rule: 'a strike lowers the settling amount only as far as the remaining credits require',
    at: 'indexer/payouts/strike-ledger.ts#withoutCredit',
    take: 'const excess = atto(exactOf(ledger, kept) - remainingAtto)',
    put: 'const excess = struck.amountAtto',
    test: { file: STRIKE, title: 'keeps the settlement amount if the struck payment was credited after' },
  },
  {
    rule: 'credits that were counted after the confirmation do not replace a struck payment',
    at: 'shared/db/charges/daemon/strikes.ts#sumSettlingCredits',
    take: 'or on_time and credited_at <= coalesce(',
    put: "or on_time and 'infinity' >= coalesce(",
    test: { file: STRIKE, title: 'lowers the settlement amount even if a payment after the confirmation' },
  },
  {
    rule: 'a strike keeps the settling amount of an expired charge up to its remaining credits',
    at: 'shared/db/charges/daemon/strikes.ts#sumSettlingCredits',
    take: "(${charge.status} = 'expired'",
    put: "(${charge.status} = 'none'",
    test: {
      file: STRIKE,
      title: 'keeps the remaining late payments of an expired charge in its settlement amount',
    },
  },
  {
    rule: 'a charge whose settling credits were all struck is not settled',
    at: 'indexer/payouts/update-ledgers.ts#isSettled',
    take: 'settling.some((ledger) => payableOf(ledger) > 0n)',
    put: 'settling.length > 0',
    test: {
      file: 'test/unit/payouts/update-ledgers.test.ts',
      title: 'is not settled if nothing is payable, because its credits were struck',
    },
  },
  {
    rule: 'charge.overpaid is sent once, even after a strike',
    at: 'machines/charge.ts#chargeSetup',
    take: 'if (context.isOverpaidAnnounced || isOverpaid(',
    put: 'if (isOverpaid(',
    test: {
      file: STRIKE,
      title: 'causes only one charge.overpaid event, even if the charge is overpaid again after the strike',
    },
  },
  {
    rule: 'the daemon strikes a row only on an open order of an operator',
    at: 'shared/db/migrations/000018_strikes.sql#strike_row',
    take: 'where id = of_order and decided_at is null for update',
    put: 'where id = of_order for update',
    test: { file: STRIKE, title: 'is not struck by an order that is already decided' },
  },
  {
    rule: 'a missing receipt does not count while the node lists the transaction in its block',
    at: 'shared/chain/nodes/receipts.ts#requireAbsence',
    take: 'hash === null || transactions.some(',
    put: 'hash === null || transactions.slice(0, 0).some(',
    test: {
      file: 'test/integration/chain-feed/resolve-missing.test.ts',
      title: 'keeps a row missing while a node lists its transaction but has lost the receipt',
    },
  },
  {
    rule: 'a log that a node invents in a real transaction is reported',
    at: 'indexer/reconciliation/scan-charges.ts#scanCharges',
    take: 'for (const one of agreed) reportInvented(deps, one, reports)',
    put: '',
    test: { file: 'test/integration/reconciliation/reconcile.test.ts', title: 'reports a node that returns' },
  },
]
