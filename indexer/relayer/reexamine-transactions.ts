import type { NodeReport } from '../../shared/chain/nodes/node-report.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import type { Verdict } from '../../shared/chain/nodes/quorum.ts'
import { findReceipt } from '../../shared/chain/nodes/receipts.ts'
import {
  listUnapplied,
  recordExamination,
  reopenTransaction,
  type UnappliedTransaction,
} from '../../shared/db/relayer/daemon/unapplied-transactions.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { RelayerContext } from './relayer-context.ts'

/**
 * Interval at which a successful transaction without an applied event is examined. The event is normally applied within
 * one or two minutes of confirmation depth.
 */
const EXAMINED_AFTER_MS = 600_000
/** Maximum transactions examined per turn, oldest first. */
const MAX_EXAMINED = 20

type Examination = Pick<RelayerContext, 'sql' | 'key' | 'clock' | 'metrics' | 'log'> & {
  /** Queries a quorum whether a transaction is on the chain and succeeded. */
  readonly querySuccess: (txHash: Hex) => Promise<Verdict<boolean>>
}

/**
 * Examines transactions that are recorded as successful but whose event was not applied within ten minutes. One node
 * might have reported a reverted transaction as a success, for example while an operator trusted that node alone. If a
 * quorum denies the success, the transaction is reopened. Once it is resolved without a success, another transaction
 * can make its payout.
 */
export async function examineUnapplied(examination: Examination): Promise<void> {
  const { sql, key, clock } = examination
  const before = new Date(clock().getTime() - EXAMINED_AFTER_MS)
  for (const transaction of await listUnapplied(sql, { ...key, before, limit: MAX_EXAMINED }))
    await examine(examination, transaction)
}

async function examine(
  { sql, key, clock, metrics, log, querySuccess }: Examination,
  { txHash, payoutId, blockNumber }: UnappliedTransaction,
): Promise<void> {
  const fields = {
    ...{ tx_hash: txHash, chain_id: key.chainId, payout_id: payoutId },
    block_number: blockNumber,
  }
  const verdict = await querySuccess(txHash)
  if (verdict.outcome === 'agreed' && !verdict.agreed.value) {
    if (!(await reopenTransaction(sql, txHash))) return
    metrics.countTransaction('signed')
    log.error({ msg: 'A quorum denies that a transaction succeeded', ...fields })
    return
  }
  await recordExamination(sql, { txHash, at: clock() })
  log.error({ msg: 'A transaction succeeded, but its event is missing', ...fields, ...describe(verdict) })
}

function describe(verdict: Verdict<boolean>): { readonly reports?: readonly NodeReport<boolean>[] } {
  return verdict.outcome === 'disagreed' ? { reports: verdict.reports } : {}
}

/** Runs `examineUnapplied` for an account on an EVM chain. */
export function reexamineTransactions({ nodes, ...context }: RelayerContext): Promise<void> {
  return examineUnapplied({
    ...context,
    querySuccess: (txHash) =>
      queryQuorum(nodes, {
        read: async ({ client }) => (await findReceipt(client, txHash))?.status === 'success',
        toText: String,
      }),
  })
}
