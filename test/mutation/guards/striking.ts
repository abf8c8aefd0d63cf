import type { Mutant } from '../mutant.ts'

const STRIKE = 'test/integration/charges/strike.test.ts'
const DENIAL = 'indexer/charges/verify-strike.ts'

/** A counted row is struck only if every node denies it, and a strike reverts no status (decisions 9.2). */
export const STRIKING_RULES: readonly Mutant[] = [
  {
    rule: 'a row is not struck while a node is silent',
    file: DENIAL,
    take: 'const problem = describeSilent(responses) ?? describeShallow',
    put: 'const problem = describeShallow',
    test: { file: STRIKE, title: 'stays while one node lists its transaction and has lost the receipt' },
  },
  {
    rule: 'a row is not struck while a node shows it',
    file: DENIAL,
    take: 'if (showing.length > 0) return',
    put: 'if (showing.length > 9) return',
    test: { file: STRIKE, title: 'stays while one node shows it, which the response names' },
  },
  {
    rule: 'a row is not struck while a node shows another block at its position',
    file: DENIAL,
    take: 'if (forked !== null) return refused(forked)',
    put: '',
    test: { file: STRIKE, title: 'stays while one node shows another block there' },
  },
  {
    rule: 'a struck distribution is owed again',
    file: 'indexer/charges/strike-charge.ts',
    take: "if (event === 'distributed') await openPayouts(",
    put: "if (event === 'held') await openPayouts(",
    test: { file: STRIKE, title: 'reopens the payout, which is paid, and settles the charge once' },
  },
  {
    rule: 'a struck credit leaves the ledger of its pair',
    file: 'indexer/charges/strike-charge.ts',
    take: 'await reduceLedger(db, charge, struck)',
    put: '',
    test: { file: STRIKE, title: 'is removed from every sum, and the charge keeps its status' },
  },
  {
    rule: 'charge.overpaid is sent once, even after a strike',
    file: 'machines/charge.ts',
    take: 'if (context.isOverpaidAnnounced || isOverpaid(',
    put: 'if (isOverpaid(',
    test: { file: STRIKE, title: 'announces charge.overpaid once, though the charge is overpaid again' },
  },
  {
    rule: 'the daemon strikes a row only by an order',
    file: 'shared/db/migrations/000018_strikes.sql',
    take: 'where id = of_order and decided_at is null for update',
    put: 'where id = of_order for update',
    test: { file: STRIKE, title: 'is not struck by an order that is already decided' },
  },
  {
    rule: 'a missing receipt does not count while the node lists the transaction in its block',
    file: 'shared/chain/nodes/receipts.ts',
    take: 'hash === null || transactions.some(',
    put: 'hash === null || transactions.slice(0, 0).some(',
    test: {
      file: 'test/integration/chain-feed/resolve-missing.test.ts',
      title: 'keeps a row missing while a node lists its transaction and has lost the receipt',
    },
  },
  {
    rule: 'a log that a node invents in a real transaction is reported',
    file: 'indexer/reconciliation/scan-charges.ts',
    take: 'for (const one of agreed) reportInvented(deps, one, reports)',
    put: '',
    test: {
      file: 'test/integration/reconciliation/reconcile.test.ts',
      title:
        'reports a node that returns a log which a quorum does not show in that transaction, with both versions',
    },
  },
]
