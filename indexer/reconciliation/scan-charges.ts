import type { NodeReport } from '../../shared/chain/nodes/node-report.ts'
import { getQuorumRule, hasQuorum, queryNodes, queryOperators } from '../../shared/chain/nodes/query-nodes.ts'
import type { PositionedReceipt } from '../../shared/chain/nodes/receipts.ts'
import { isOverBudget } from '../../shared/chain/pacing/throttle.ts'
import { listProcessedLogs, type ReconciledCharge } from '../../shared/db/chain-facts/reconciliations.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { atomic, atomicToAtto } from '../../shared/domain/money.ts'
import { decodeReceipt } from '../chain-feed/decode-receipt.ts'
import { isEscrow } from '../chain-feed/observe.ts'
import type { FoundLog } from '../chain-feed/scan-logs.ts'
import type { ChainSources, SourceVoter } from '../corroboration/chain-sources.ts'
import { queryEffects } from '../corroboration/query-effects.ts'
import { type AgreedEffects, getLogKey } from '../corroboration/record-agreed.ts'
import { type RecordDeps, recordRecovered } from '../corroboration/record-recovered.ts'
import type { UnrelatedTransfer } from './unrelated-transfer.ts'

export type ScanDeps = RecordDeps & { readonly sources: ChainSources }

/** Charges to scan for, and the range of blocks, which includes both ends. */
export type ChargeScan = {
  readonly charges: readonly ReconciledCharge[]
  readonly fromBlock: number
  readonly toBlock: number
  /**
   * The highest block at confirmation depth, as a quorum shows it; negative if there is none. Rows of later blocks are
   * recorded, but do not count yet.
   */
  readonly confirmedHeadNumber: number
  /** Whether to query every node, instead of only a quorum. */
  readonly isThorough?: boolean
  /** Whether the list of one node is enough, because the caller checks `isByQuorum` in the result. */
  readonly acceptsOne?: boolean
  /** Whether to also find unrelated transfers into the splits of escrow charges. */
  readonly withStrays?: boolean
}

/**
 * Scans a range, on a quorum of nodes, for the logs of these charges, and records missing rows.
 *
 * A RANGE NEVER COUNTS AS SCANNED BY THE REPORT OF ONE NODE, whether the node lists logs or not: an empty list was once
 * trusted permanently, and a payment was lost. Every transaction with an unprocessed listed log is requested from a
 * quorum, and only rows that the quorum shows are recorded.
 *
 * @throws {AppError} `rpc_unavailable` if fewer operators than the quorum list the logs of the range; with
 * `acceptsOne`, only if no node lists them. The listed rows are recorded first. If a node's request budget was used up,
 * that failure is the error's cause
 */
export async function scanCharges(deps: ScanDeps, scan: ChargeScan) {
  const { reports, isByQuorum, shortage } = await listLogs(deps, scan)
  const logs = [
    ...new Map(reports.flatMap(({ value }) => value).map((one) => [getLogKey(one), one])).values(),
  ]
  const { chainId } = deps.deployment
  const settled = new Set((await listProcessedLogs(deps.sql, { chainId, ...scan })).map(getLogKey))
  const news = logs.filter((log) => !settled.has(getLogKey(log)))
  const all = await queryAll(deps, news, scan)
  const agreed = all.flatMap((one) => one ?? [])
  for (const one of agreed) reportInvented(deps, one, reports)
  await recordRecovered(deps, agreed)
  if (shortage !== null) throw shortage
  const receipts = agreed.flatMap(({ effects }) => effects.value ?? [])
  return {
    /** Whether a quorum of operators, or the trusted node, listed the logs of the range. */
    isByQuorum,
    /** Whether a listed transaction was neither shown nor denied by a quorum. The range must then be scanned again. */
    isUnsure: all.includes(null),
    /**
     * Unrelated transfers into the splits of escrow charges. They change a balance, but our rows do not contain them.
     */
    strays: straysOf(receipts, { deps, scan }),
  }
}

async function listLogs(
  { deployment, sources, log }: ScanDeps,
  scan: ChargeScan,
): Promise<{
  readonly reports: readonly LogsReport[]
  readonly isByQuorum: boolean
  /** The error to throw after recording; `null` if enough nodes listed the logs. */
  readonly shortage: AppError | null
}> {
  const emitters = deployment.tokens.map(({ emitter }) => emitter)
  const onLongBlock = (number: number) =>
    log.error({
      msg: 'A block is too long for a node’s API: only the logs that the feed’s API lists were searched',
      ...{ chain_id: deployment.chainId, block_number: number },
    })
  let overBudget: unknown
  const read = ({ source }: SourceVoter) =>
    source.findLogs({ ...scan, emitters, onLongBlock }).catch((error: unknown) => {
      if (isOverBudget(error)) overBudget = error
      throw error
    })
  const responses =
    scan.isThorough === true
      ? await queryNodes(sources.scanners, read)
      : await queryOperators(sources.scanners, read)
  const reports = responses?.reports ?? []
  const isByQuorum = responses !== null && hasQuorum(responses, getQuorumRule(sources.scanners))
  const shortage =
    isByQuorum || (scan.acceptsOne === true && reports.length > 0)
      ? null
      : new AppError(
          'rpc_unavailable',
          `fewer operators than the quorum of ${sources.scanners.quorum} list the logs of blocks ${scan.fromBlock} to ${scan.toBlock}`,
          { cause: overBudget ?? responses?.silent[0]?.error },
        )
  return { reports, isByQuorum, shortage }
}

type LogsReport = NodeReport<readonly FoundLog[]>

/**
 * Queries the transactions one after the other, because usually few are missing, and missing transactions are not
 * urgent. The result of a transaction is `null` if no quorum shows or denies it.
 */
async function queryAll(
  deps: ScanDeps,
  logs: readonly FoundLog[],
  { toBlock, confirmedHeadNumber }: ChargeScan,
): Promise<readonly (AgreedEffects | null)[]> {
  const deep = Math.min(toBlock, confirmedHeadNumber)
  const blockOf = new Map<Hex, number>()
  for (const { txHash, blockNumber } of logs)
    blockOf.set(txHash, Math.max(blockNumber, blockOf.get(txHash) ?? 0))
  const all: (AgreedEffects | null)[] = []
  for (const [txHash, blockNumber] of blockOf) {
    const verdict = await queryEffects(deps.sources, { txHash, blockNumber })
    deps.metrics.noteVerdict(deps.deployment.chainId, verdict)
    if (verdict.outcome !== 'agreed') reportUnsure(deps, txHash, verdict.outcome)
    // A transaction that has moved above the range since its log was listed is skipped. A later range includes it.
    if (verdict.outcome === 'agreed' && (verdict.agreed.value?.blockNumber ?? 0) > toBlock) continue
    all.push(
      verdict.outcome === 'agreed' ? { txHash, effects: verdict.agreed, confirmedHeadNumber: deep } : null,
    )
  }
  return all
}

function reportUnsure({ deployment, log }: ScanDeps, txHash: Hex, outcome: 'disagreed' | 'waiting'): void {
  log.error({
    msg: 'A node lists a transaction that no quorum confirms or denies: its range is scanned again',
    ...{ chain_id: deployment.chainId, tx_hash: txHash, outcome },
  })
}

/**
 * Reports each node that lists other logs of a transaction than the quorum shows, with both versions. A log that a node
 * invents in a real transaction changes none of our rows, so no other check would detect the node.
 */
function reportInvented(
  { deployment: { chainId }, log, metrics }: ScanDeps,
  { txHash, effects }: AgreedEffects,
  reports: readonly LogsReport[],
): void {
  const shown = new Set(effects.value === null ? [] : logKeysOf(effects.value))
  const denied = reports.flatMap(({ value, ...from }) => {
    const logs = value.filter((one) => one.txHash === txHash && !shown.has(getLogKey(one)))
    return logs.length > 0 ? [{ ...from, value: logs }] : []
  })
  for (const { node, value } of denied)
    log.error({
      msg:
        effects.value === null
          ? 'A node lists a transaction that a quorum denies: it does not count'
          : 'A node lists a log that differs from the quorum’s: it does not count',
      ...{ chain_id: chainId, tx_hash: txHash, node, listed: value.slice(0, MAX_TOLD).map(getLogKey) },
      ...{ shown: [...shown].slice(0, MAX_TOLD), shown_by: effects.by },
    })
  if (denied.length > 0) metrics.noteVerdict(chainId, { outcome: 'agreed', agreed: effects, denied })
}

/** Maximum logs of each version that an alert quotes. */
const MAX_TOLD = 10

function logKeysOf({ txHash, blockHash, logs }: PositionedReceipt): readonly string[] {
  return logs.map(({ logIndex }) => getLogKey({ txHash, blockHash, logIndex: logIndex ?? 0 }))
}

function straysOf(
  receipts: readonly PositionedReceipt[],
  { deps, scan }: { readonly deps: ScanDeps; readonly scan: ChargeScan },
): readonly UnrelatedTransfer[] {
  const escrowAt = new Map(scan.charges.filter(isEscrow).map((charge) => [charge.splitAddress, charge]))
  const tokenOf = new Map(deps.deployment.tokens.map((token) => [token.emitter, token]))
  return receipts
    .flatMap((receipt) => decodeReceipt(receipt).transfers)
    .flatMap((row) => {
      const charge = escrowAt.get(row.recipient)
      const token = tokenOf.get(row.emitter)
      if (charge === undefined || token === undefined) return []
      if (row.sender === charge.address || row.sender === row.recipient) return []
      const { txHash, blockHash, logIndex, recipient: account } = row
      const amountAtto = atomicToAtto(atomic(row.value), token.emitterDecimals)
      return [{ txHash, blockHash, logIndex, account, tokenAddress: token.address, amountAtto }]
    })
}
