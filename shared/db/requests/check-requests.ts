import type { Address, Hex } from '../../domain/address.ts'
import type { ChargeStatus } from '../../domain/charge.ts'
import type { Network } from '../../domain/networks.ts'
import type { PendingTransfer } from '../chain-facts/confirmation-progress.ts'
import type { ReconciledCharge } from '../chain-facts/reconciliations.ts'
import type { Db } from '../connect.ts'

/** A transaction that paid the charge, according to the caller of the API. */
export type TransactionHint = { readonly network: Network; readonly txHash: Hex }

/** Scope of a check: one transaction or, if the caller names none, the charge's address. */
export type CheckPayload = { readonly hint: TransactionHint | null }

/** Senders of a transaction that paid a charge; addresses in lowercase. */
export type PaymentSenders = {
  readonly transactionSender: Address | null
  readonly tokenSenders: readonly Address[]
  readonly userOperationSenders: readonly Address[]
}

/** Confirmations of a transfer that was found but is not yet at confirmation depth. */
export type FoundProgress = Omit<PendingTransfer, 'chargeId'>

/** Findings of a check that the charge itself does not show. */
export type CheckResult = PaymentSenders & {
  readonly outcome: 'checked'
  readonly progress: FoundProgress | null
}

export type CheckedCharge = ReconciledCharge & { readonly status: ChargeStatus }

/** Finds a charge with the data that a check needs; `null` if there is none. */
export async function findCheckedCharge(db: Db, id: string): Promise<CheckedCharge | null> {
  const [charge] = await db<CheckedCharge[]>`
    select c.id, c.address, c.split_address, c.environment, c.accepted_payments, c.created_at, c.status,
      c.escrow_releaser is not null as is_escrow
    from charges c where c.id = ${id}`
  return charge ?? null
}

/** Returns whether a transfer of this transaction was credited to the charge. */
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
