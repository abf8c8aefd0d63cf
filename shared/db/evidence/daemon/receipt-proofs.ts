import type { Hex } from '../../../domain/address.ts'
import type { ProofFailure } from '../../../domain/evidence/proof-failure.ts'
import { packProof, type ReceiptProof } from '../../../domain/evidence/receipt-proof.ts'
import type { Db } from '../../connect.ts'
import type { CountedRows } from '../../counted-rows.ts'

/**
 * Inserts the tasks to prove the receipts of these rows, in the transaction that counts them. Idempotent. Skips sandbox
 * credits, which are on no chain.
 *
 * The tasks are sorted, so that two turns that count rows of the same transactions cannot deadlock.
 */
export async function insertProofTasks(db: Db, rows: CountedRows): Promise<void> {
  const { transfers, splitEvents, escrowTransfers } = rows
  if (transfers.length + splitEvents.length + escrowTransfers.length === 0) return
  await db`
    insert into receipt_proofs (chain_id, tx_hash, block_hash)
    select chain_id, tx_hash, block_hash from (
      select chain_id, tx_hash, block_hash from transfers where id = any (${transfers}) and chain_id is not null
      union select chain_id, tx_hash, block_hash from split_events where id = any (${splitEvents})
      union select chain_id, tx_hash, block_hash from escrow_transfers where id = any (${escrowTransfers})) counted
    where block_hash is not null
    order by chain_id, tx_hash, block_hash
    on conflict do nothing`
}

/** A claimed task. `attempts` includes this attempt. */
export type ProofTask = { readonly txHash: Hex; readonly blockHash: Hex; readonly attempts: number }

/** Delay of the second attempt. Each further attempt doubles the delay, up to the maximum. */
const FIRST_RETRY_SECONDS = 60
const MAX_RETRY_SECONDS = 6 * 3600

/**
 * Claims the due tasks of the block whose task has been due for longest on a chain. A claim ends when the next attempt
 * is due, so a killed daemon delays a proof by one retry delay.
 */
export async function claimProofTasks(
  db: Db,
  { chainId, limit }: { readonly chainId: number; readonly limit: number },
): Promise<readonly ProofTask[]> {
  return db<ProofTask[]>`
    update receipt_proofs p set attempts = p.attempts + 1,
      due_at = now() + make_interval(
        secs => least(${MAX_RETRY_SECONDS}::float8, ${FIRST_RETRY_SECONDS} * 2::float8 ^ least(p.attempts, 20)))
    from (
      select chain_id, tx_hash, block_hash from receipt_proofs
      where chain_id = ${chainId} and finished_at is null and due_at <= now()
        and block_hash = (
          select o.block_hash from receipt_proofs o
          where o.chain_id = ${chainId} and o.finished_at is null and o.due_at <= now() order by o.due_at limit 1)
      order by due_at limit ${limit} for update skip locked) due
    where p.chain_id = due.chain_id and p.tx_hash = due.tx_hash and p.block_hash = due.block_hash
    returning p.tx_hash, p.block_hash, p.attempts`
}

export type ProofKey = { readonly chainId: number; readonly txHash: Hex; readonly blockHash: Hex }

/**
 * Records a proof, unless the task already has one.
 *
 * @returns the packed size of the given proof, in bytes
 */
export async function recordReceiptProof(db: Db, key: ProofKey, proof: ReceiptProof): Promise<number> {
  const { transactionIndex, firstLogIndex } = proof
  const packed = packProof(proof)
  await db`
    update receipt_proofs set proof = ${packed}, transaction_index = ${transactionIndex},
      first_log_index = ${firstLogIndex}, reason = null, finished_at = now()
    where chain_id = ${key.chainId} and tx_hash = ${key.txHash} and block_hash = ${key.blockHash}
      and proof is null`
  return packed.length
}

/** Records why an attempt failed; a final failure ends the task. */
export async function recordProofFailure(
  db: Db,
  key: ProofKey,
  { reason, isFinal }: { readonly reason: ProofFailure; readonly isFinal: boolean },
): Promise<void> {
  await db`
    update receipt_proofs set reason = ${reason}, finished_at = case when ${isFinal} then now() end
    where chain_id = ${key.chainId} and tx_hash = ${key.txHash} and block_hash = ${key.blockHash}
      and finished_at is null`
}

/** Uncounts an attempt that a node's request budget prevented. The task stays due at the time that its claim set. */
export async function returnProofAttempt(db: Db, key: ProofKey, attempts: number): Promise<void> {
  await db`
    update receipt_proofs set attempts = attempts - 1
    where chain_id = ${key.chainId} and tx_hash = ${key.txHash} and block_hash = ${key.blockHash}
      and attempts = ${attempts} and finished_at is null`
}
