import { index, onchainTable, primaryKey } from './ponder-library.ts'

/** Token transfers to our charges' addresses and out of our escrows, zero amounts included. */
export const transfer = onchainTable(
  'transfer',
  (t) => ({
    txHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
    blockNumber: t.bigint().notNull(),
    blockHash: t.hex().notNull(),
    blockTimestamp: t.bigint().notNull(),
    emitter: t.hex().notNull(),
    sender: t.hex().notNull(),
    recipient: t.hex().notNull(),
    value: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.txHash, table.logIndex] }),
    byBlock: index().on(table.blockNumber),
  }),
)

/** SplitDistributed, PayoutHeld and PayoutReleased of our splits; `account` is the distributor or the recipient. */
export const splitEvent = onchainTable(
  'split_event',
  (t) => ({
    txHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
    blockNumber: t.bigint().notNull(),
    blockHash: t.hex().notNull(),
    blockTimestamp: t.bigint().notNull(),
    split: t.hex().notNull(),
    kind: t.text().notNull(),
    token: t.hex().notNull(),
    account: t.hex().notNull(),
    amount: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.txHash, table.logIndex] }),
    byBlock: index().on(table.blockNumber),
  }),
)
