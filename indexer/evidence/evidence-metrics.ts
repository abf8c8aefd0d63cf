import type { ProofFailure } from '../../shared/domain/evidence/proof-failure.ts'
import { PROOF_FAILURES } from '../../shared/domain/evidence/proof-failure.ts'
import { type Metrics, registerGauge, registerMetrics } from '../../shared/runtime/metrics.ts'

export type EvidenceMetrics = {
  /** Counts a finished task. `reason` is `null` for a proof. */
  readonly countFinished: (chainId: number, reason: ProofFailure | null) => void
  readonly countBytes: (chainId: number, bytes: number) => void
}

type Sources = { readonly chainIds: readonly number[]; readonly countDue: () => Promise<number> }

/** Registers the metrics of receipt proofs. Each scrape counts the due tasks. */
export function createEvidenceMetrics(registry: Metrics, { chainIds, countDue }: Sources): EvidenceMetrics {
  const { receipt_proofs_total: finished } = registerMetrics(registry, ['chain_id', 'result'], {
    receipt_proofs_total: 'Receipts of counted transactions that were proven or abandoned, by result',
  })
  const { receipt_proof_bytes_total: bytes } = registerMetrics(registry, ['chain_id'], {
    receipt_proof_bytes_total: 'Bytes of the stored proofs, before compression',
  })
  for (const chainId of chainIds) {
    bytes.inc({ chain_id: chainId }, 0)
    for (const result of ['proven', ...Object.keys(PROOF_FAILURES)])
      finished.inc({ chain_id: chainId, result }, 0)
  }
  registerGauge(registry, 'receipt_proofs_due', {
    help: 'Receipts of counted transactions whose proof is due; at most 10,000 are counted',
    ask: countDue,
  })
  return {
    countFinished: (chainId, reason) => finished.inc({ chain_id: chainId, result: reason ?? 'proven' }),
    countBytes: (chainId, count) => bytes.inc({ chain_id: chainId }, count),
  }
}
