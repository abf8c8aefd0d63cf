import { querySafe } from '../../../shared/chain/safe/read-safe.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { findEscrowFacts } from '../../../shared/db/escrow/escrow-facts.ts'
import { type Address, checksum } from '../../../shared/domain/address.ts'
import { AppError, invariant } from '../../../shared/domain/errors.ts'
import type { EscrowAction } from '../../../shared/domain/escrow-action.ts'
import {
  draftEscrowTransaction,
  type EscrowCredit,
  type EscrowIntent,
  type PaidEscrow,
  requirePaidEscrow,
  type SafeState,
} from '../../../shared/domain/escrow-order.ts'
import {
  type EscrowTransaction,
  escrowTxHash,
  escrowTypedData,
} from '../../../shared/domain/escrow-transaction.ts'
import type { FindChain } from '../../http/chain-clients.ts'

/** Dependencies of the escrow endpoints, which only read the chains. */
export type EscrowDeps = {
  readonly sql: Sql
  readonly chainOf: FindChain
}

/** The transaction to sign, its releaser, and the transfer whose sender receives a refund. */
export type PreparedEscrow = {
  readonly transaction: EscrowTransaction
  readonly releaser: Address
  /** `null` for a release, whose destination is part of the charge's terms. */
  readonly destinationFrom: Pick<EscrowCredit, 'txHash' | 'amountAtomic' | 'at'> | null
}

/** An escrow with credited payments, and the current state of its Safe. */
export type EscrowReading = { readonly escrow: PaidEscrow; readonly safe: SafeState }

/**
 * Reads an escrow and returns the transaction for the releaser to sign.
 *
 * @throws {AppError} the errors of `readEscrow` and `draftEscrow`
 */
export async function prepareEscrow(
  deps: EscrowDeps,
  { chargeId, action, signedAmount = null }: Partial<EscrowIntent> & EscrowSubject,
): Promise<PreparedEscrow> {
  return draftEscrow(await readEscrow(deps, chargeId), { action, signedAmount })
}

type EscrowSubject = { readonly chargeId: string; readonly action: EscrowAction }

/**
 * Reads an escrow from the database, and its Safe from the chain. A simulated Safe is read from the database, too.
 *
 * @throws {AppError} `escrow_not_enabled`, `escrow_already_released`, `escrow_already_refunded`,
 * `escrow_multiple_payment_pairs`, `escrow_empty`, `escrow_safe_mismatch`, `rpc_unavailable`
 */
export async function readEscrow({ sql, chainOf }: EscrowDeps, chargeId: string): Promise<EscrowReading> {
  const facts = await findEscrowFacts(sql, chargeId)
  invariant(facts !== null, `charge ${chargeId} was found before, but has no escrow facts`)
  const escrow = requirePaidEscrow(facts)
  return { escrow, safe: facts.simulatedSafe ?? (await readSafe(escrow, chainOf)) }
}

/**
 * Returns the transaction for the releaser to sign.
 *
 * @throws {AppError} `escrow_empty`; `escrow_invalid_signature` if the signed amount does not fit the balance
 */
export function draftEscrow({ escrow, safe }: EscrowReading, intent: EscrowIntent): PreparedEscrow {
  return {
    transaction: draftEscrowTransaction(intent, escrow, safe),
    releaser: escrow.releaser,
    destinationFrom: intent.action === 'refund' ? escrow : null,
  }
}

function readSafe(escrow: PaidEscrow, chainOf: FindChain): Promise<SafeState> {
  const chain = chainOf(escrow.chainId)
  if (chain !== undefined) return querySafe(chain, escrow)
  throw new AppError('rpc_unavailable', `no node of chain ${escrow.chainId} is configured`)
}

/** Returns the JSON of a prepared transaction. */
export function presentEscrow({ transaction, destinationFrom: credit }: PreparedEscrow) {
  return {
    destination: checksum(transaction.destination),
    destinationFrom: credit && {
      txHash: credit.txHash,
      amount: String(credit.amountAtomic),
      at: credit.at.toISOString(),
    },
    tokenAddress: checksum(transaction.tokenAddress),
    amount: String(transaction.amountAtomic),
    chainId: transaction.chainId,
    safeAddress: checksum(transaction.safeAddress),
    nonce: String(transaction.nonce),
    typedData: escrowTypedData(transaction),
    safeTxHash: escrowTxHash(transaction),
  }
}
