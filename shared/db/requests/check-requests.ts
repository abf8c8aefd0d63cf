import type { Address, Hex } from '../../domain/address.ts'
import type { ChargeStatus } from '../../domain/charge.ts'
import type { Network } from '../../domain/networks.ts'
import type { AwaitedTransfer } from '../chain-facts/confirmation-progress.ts'
import type { ReconciledCharge } from '../chain-facts/reconciliations.ts'
import type { Db } from '../connect.ts'

/** One transaction that the caller says has paid. */
export type TransactionHint = { readonly network: Network; readonly txHash: Hex }

/** What the daemon is to look at: one transaction, or the charge's address. */
export type CheckPayload = { readonly hint: TransactionHint | null }

/** Who made a transaction that paid a charge; addresses lowercase. */
export type PaymentSenders = {
  readonly transactionSender: Address | null
  readonly tokenSenders: readonly Address[]
  readonly userOperationSenders: readonly Address[]
}

/** How deep a found transfer is that is not yet deep enough. */
export type FoundProgress = Omit<AwaitedTransfer, 'chargeId'>

/** What a check has found, beside what the charge itself shows. */
export type CheckAnswer = PaymentSenders & {
  readonly outcome: 'checked'
  readonly progress: FoundProgress | null
}

/** A charge to check. */
export type CheckedCharge = ReconciledCharge & { readonly status: ChargeStatus }

/** Finds what the daemon must know of a charge to check it. */
export async function findCheckedCharge(db: Db, id: string): Promise<CheckedCharge | null> {
  const [charge] = await db<CheckedCharge[]>`
    select c.id, c.address, c.split_address, c.environment, c.accepted_payments, c.created_at, c.status,
      c.escrow_releaser is not null as is_escrow
    from charges c where c.id = ${id}`
  return charge ?? null
}

/** Tells whether a transfer of this transaction was credited to the charge. */
export async function hasCredit(
  db: Db,
  transaction: { readonly chargeId: string; readonly chainId: number; readonly txHash: Hex },
): Promise<boolean> {
  const [row] = await db<[{ found: boolean }]>`
    select exists (
      select from transfers t where t.chain_id = ${transaction.chainId} and t.tx_hash = ${transaction.txHash}
        and t.charge_id = ${transaction.chargeId} and t.credited_at is not null) as found`
  return row.found
}
