import type { EvidenceLog, EvidenceTransaction } from '../../../shared/db/evidence/api/charge-evidence.ts'
import {
  presentAddress,
  presentTransactionHash,
} from '../../../shared/domain/chain-families/chain-families.ts'
import type { ChargeRecord } from '../../../shared/domain/charge.ts'
import { findTransferEmitter } from '../../../shared/domain/evidence/find-known-token.ts'
import { getLoggedAmount } from '../../../shared/domain/evidence/logged-amount.ts'
import { unpackProof } from '../../../shared/domain/evidence/receipt-proof.ts'
import { groupBy } from '../../../shared/domain/group-by.ts'
import { presentAddressTerms } from '../../../shared/domain/present-charge.ts'
import { createOperatorNames } from './name-operators.ts'

type Page = { readonly transactions: readonly EvidenceTransaction[]; readonly logs: readonly EvidenceLog[] }

/** Returns the JSON of the charge's terms and of one page of transactions. */
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
  const { network, chainId, blockNumber, blockHash, blockTimestamp, logsOmitted } = transaction
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
    logsOmitted,
    proof: first === null ? null : presentProof(transaction),
    reason: getReason(transaction, first),
  }
}

/**
 * Returns the block-wide index of the proven receipt's first log. Returns `null` if there is no proof, or if one of the
 * logs precedes the receipt, so that the proof does not fit. The page still shows the proofs of other transactions.
 */
function getFirstLogIndex(
  { firstLogIndex }: EvidenceTransaction,
  logs: readonly EvidenceLog[],
): number | null {
  if (firstLogIndex === null) return null
  return logs.every(({ logIndex }) => logIndex >= firstLogIndex) ? firstLogIndex : null
}

function toLoggedAmount(log: EvidenceLog): bigint {
  const emitter = findTransferEmitter(log)
  return getLoggedAmount(log, { token: emitter?.tokenDecimals ?? 0, emitter: emitter?.decimals ?? 0 })
}

function presentProof({ proof, transactionIndex }: EvidenceTransaction) {
  if (proof === null) return null
  const { header, nodes } = unpackProof(proof)
  return { header, transactionIndex, receiptNodes: nodes }
}

function getReason({ reason, isFinished }: EvidenceTransaction, first: number | null) {
  if (first !== null) return null
  return isFinished ? (reason ?? 'unknown_receipts') : 'pending'
}
