import type { AgreedEffects } from '../../indexer/corroboration/record-agreed.ts'
import type { Agreed } from '../../shared/chain/nodes/quorum.ts'
import { createQuorumRule, findVerdict, requireAgreed } from '../../shared/chain/nodes/quorum.ts'
import type { PositionedReceipt } from '../../shared/chain/nodes/receipts.ts'
import type { Sql } from '../../shared/db/connect.ts'

/** Creates a value on which two operators agree, through the only module that can create such values. */
function agreedOn<T>(value: T): Agreed<T> {
  const report = (operator: string) => ({ node: operator, operator, api: null, value })
  const responses = { reports: [report('one'), report('two')], silent: [] }
  return requireAgreed(
    findVerdict(responses, createQuorumRule(2), () => ''),
    'a value in a test',
  )
}

/** Returns the effects of a transaction at confirmation depth, on which two operators agree. */
export function agreedEffects(receipt: PositionedReceipt): AgreedEffects {
  const { txHash, blockNumber } = receipt
  return { txHash, effects: agreedOn<PositionedReceipt | null>(receipt), confirmedHeadNumber: blockNumber }
}

/**
 * Marks as agreed all rows that are at confirmation depth below their feed's head. For tests without a chain. `sql`
 * must connect as the database owner.
 */
export async function agreeOnRows(sql: Sql): Promise<void> {
  for (const table of ['transfers', 'split_events', 'escrow_transfers'])
    await sql`
      update ${sql(table)} r set agreed_at = now(), corroborated_block_hash = r.block_hash,
        agreed_by = array(select 'operator ' || n from generate_series(1, d.quorum) n)
      from deployments d
      where d.chain_id = r.chain_id and r.inclusion = 'included' and r.agreed_at is null
        and r.block_number <= d.head_number - d.confirmations + 1`
}
