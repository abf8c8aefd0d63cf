import type { EvidenceLog, EvidenceTransaction } from '../../../shared/db/evidence/api/charge-evidence.ts'
import {
  presentAddress,
  presentTransactionHash,
} from '../../../shared/domain/chain-families/chain-families.ts'
import type { ChargeRecord } from '../../../shared/domain/charge.ts'
import { findTransferEmitter } from '../../../shared/domain/evidence/find-known-token.ts'
import { groupBy } from '../../../shared/domain/group-by.ts'
import { presentAddressTerms } from '../../../shared/domain/present-charge.ts'
import { createOperatorNames } from './name-operators.ts'

type Page = { readonly transactions: readonly EvidenceTransaction[]; readonly logs: readonly EvidenceLog[] }

/** Returns the JSON of the charge's terms and of these transactions. */
export function presentEvidence(charge: ChargeRecord, { transactions, logs }: Page) {
  const logsOf = groupBy(logs, getKey)
  const nameOperator = createOperatorNames(logs.map(({ agreedBy }) => agreedBy ?? []))
  return {
    charge: {
      id: charge.id,
      address: presentAddress(charge.address, charge.family),
      addressTerms: presentAddressTerms(charge),
    },
    data: transactions.map((transaction) =>
      presentTransaction(charge, { transaction, logs: logsOf.get(getKey(transaction)) ?? [], nameOperator }),
    ),
  }
}

function getKey(row: Pick<EvidenceLog, 'chainId' | 'txHash' | 'blockHash'>): string {
  return `${row.chainId}/${row.txHash}/${row.blockHash}`
}

type Transaction = {
  readonly transaction: EvidenceTransaction
  readonly logs: readonly EvidenceLog[]
  readonly nameOperator: (operator: string) => string
}

function presentTransaction(charge: ChargeRecord, { transaction, logs, nameOperator }: Transaction) {
  const { network, chainId, blockNumber, blockHash, blockTimestamp } = transaction
  const first = getFirstLogIndex(transaction, logs)
  return {
    ...{ network, chainId, txHash: presentTransactionHash(transaction.txHash, charge.family) },
    block: { number: blockNumber, hash: blockHash, time: new Date(blockTimestamp * 1_000) },
    logs: logs.map((log) => ({
      kind: log.kind,
      position: first === null ? null : log.logIndex - first,
      token: log.token,
      tokenAddress: presentAddress(log.tokenAddress, charge.family),
      party: presentAddress(log.party, charge.family),
      amountAtomic: String(toLoggedAmount(log)),
      ...{ countedAt: log.countedAt, agreedAt: log.agreedAt },
      agreedBy: (log.agreedBy ?? []).map(nameOperator),
    })),
    proof: first === null ? null : presentProof(transaction),
    reason: getReason(transaction, first),
  }
}

/** Returns `null` if the proof cannot be of these logs, so that it does not spoil the proofs of other transactions. */
function getFirstLogIndex(
  { firstLogIndex }: EvidenceTransaction,
  logs: readonly EvidenceLog[],
): number | null {
  if (firstLogIndex === null) return null
  return logs.every(({ logIndex }) => logIndex >= firstLogIndex) ? firstLogIndex : null
}

/** An escrow transfer is stored in units of the token; on arc, its log has more decimals. */
function toLoggedAmount(log: EvidenceLog): bigint {
  const emitter = findTransferEmitter(log)
  const isEscrow = log.kind === 'escrow_release' || log.kind === 'escrow_refund'
  if (!isEscrow || emitter === null) return log.amountAtomic
  return log.amountAtomic * 10n ** BigInt(emitter.decimals - emitter.tokenDecimals) + log.dustAtto
}

function presentProof({ header, nodes, transactionIndex }: EvidenceTransaction) {
  if (header === null || nodes === null) return null
  return { header, transactionIndex, receiptNodes: nodes }
}

function getReason({ reason, isRecorded, isFinished }: EvidenceTransaction, first: number | null) {
  if (first !== null) return null
  if (!isRecorded) return 'not_recorded'
  return isFinished ? (reason ?? 'unknown_receipts') : 'pending'
}
