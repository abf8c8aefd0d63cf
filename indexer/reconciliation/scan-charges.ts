import { type CanonicalReceipt, readCanonicalReceipt } from '../../shared/chain/receipts.ts'
import {
  type LogPlace,
  listSettledLogs,
  type ReconciledCharge,
} from '../../shared/db/chain-facts/reconciliations.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { type AttoDollars, atomic, atomicToAtto } from '../../shared/domain/money.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { decodeReceipt } from '../chain-feed/decode-receipt.ts'
import { isEscrow, type WatchedDeployment } from '../chain-feed/observe.ts'
import type { ChainNode } from '../transport/node-heads.ts'
import { keyOf, recordFound } from './record-found.ts'
import { scanLogs } from './scan-logs.ts'

/** What a scan works with. */
export type ScanDeps = {
  readonly sql: Sql
  readonly deployment: WatchedDeployment
  readonly log: Logger
  readonly metrics: { readonly countFound: (chainId: number, rows: number) => void }
  /** Called when rows were recorded. */
  readonly onNews: () => void
}

/** Whose logs are looked for, where, and at whom; the range includes both ends, and is deep. */
export type ChargeScan = {
  /** Asked in this order, until one shows something. */
  readonly nodes: readonly ChainNode[]
  readonly charges: readonly ReconciledCharge[]
  readonly fromBlock: number
  readonly toBlock: number
  readonly withStrays?: boolean
}

/** What a scan has shown. */
export type ScanResult = {
  /** How many nodes answered: one that showed something is enough, of two that showed nothing each confirms the other. */
  readonly answers: number
  readonly isEmpty: boolean
  /** What strangers sent into the splits of escrow charges; it lies there, and no row of ours speaks of it. */
  readonly strays: readonly Stray[]
}

/** A transfer that pays no charge, and yet changes what an address of one holds. */
export type Stray = LogPlace & {
  readonly account: Address
  readonly tokenAddress: Address
  readonly amountAtto: AttoDollars
}

/** Enough to confirm that there is nothing. */
const ANSWERS = 2

/**
 * Looks through a range for what moved these charges' money, and records what our rows did not have.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function scanCharges(deps: ScanDeps, scan: ChargeScan): Promise<ScanResult> {
  const { chainId } = deps.deployment
  const { node, logs, answers } = await askForLogs(deps, scan)
  if (logs.length === 0) return { answers, isEmpty: true, strays: [] }
  const settled = new Set((await listSettledLogs(deps.sql, { chainId, ...scan })).map(keyOf))
  const hashes = logs.filter((log) => !settled.has(keyOf(log))).map(({ txHash }) => txHash)
  const receipts = await readReceipts(node, [...new Set(hashes)])
  // A receipt that has moved above the range since its log was found is not deep: its time will come.
  const deep = receipts.filter(({ blockNumber }) => blockNumber <= scan.toBlock)
  if (deep.length > 0) await record(deps, deep)
  return { answers, isEmpty: false, strays: deep.flatMap((receipt) => straysOf(receipt, { deps, scan })) }
}

/** An empty range is a claim: it was believed for ever, of one node, and a payment in it was lost. */
async function askForLogs(deps: ScanDeps, { nodes, ...scan }: ChargeScan) {
  const emitters = deps.deployment.tokens.map(({ emitter }) => emitter)
  let answers = 0
  let failure: unknown = null
  for (const node of nodes) {
    const logs = await scanLogs(node.client, { ...scan, emitters }).catch((error: unknown) => {
      failure = error
      return null
    })
    if (logs === null) continue
    answers += 1
    if (logs.length > 0 || answers === ANSWERS) return { node, logs, answers }
  }
  const [node] = nodes
  if (answers === 0 || node === undefined) throw failure
  return { node, logs: [], answers }
}

/** One after the other: what was missed is little, or has time. */
async function readReceipts(node: ChainNode, hashes: readonly Hex[]): Promise<readonly CanonicalReceipt[]> {
  const receipts: CanonicalReceipt[] = []
  for (const hash of hashes) {
    const receipt = await readCanonicalReceipt(node.client, hash)
    if (receipt !== null) receipts.push(receipt)
  }
  return receipts
}

async function record(deps: ScanDeps, receipts: readonly CanonicalReceipt[]): Promise<void> {
  const { chainId } = deps.deployment
  const found = await recordFound(deps, deps.deployment, receipts)
  deps.metrics.countFound(chainId, found.length)
  for (const row of found) {
    const fields = {
      chain_id: chainId,
      charge_id: row.chargeId,
      tx_hash: row.txHash,
      log_index: row.logIndex,
    }
    deps.log.warn({ msg: 'Recorded what the watcher had not', ...fields })
  }
  deps.onNews()
}

function straysOf(
  receipt: CanonicalReceipt,
  { deps, scan }: { readonly deps: ScanDeps; readonly scan: ChargeScan },
): readonly Stray[] {
  const escrowAt = new Map(scan.charges.filter(isEscrow).map((charge) => [charge.splitAddress, charge]))
  const tokenOf = new Map(deps.deployment.tokens.map((token) => [token.emitter, token]))
  return decodeReceipt(receipt).transfers.flatMap((row) => {
    const charge = escrowAt.get(row.recipient)
    const token = tokenOf.get(row.emitter)
    if (charge === undefined || token === undefined) return []
    if (row.sender === charge.address || row.sender === row.recipient) return []
    const { txHash, blockHash, logIndex, recipient: account } = row
    const amountAtto = atomicToAtto(atomic(row.value), token.emitterDecimals)
    return [{ txHash, blockHash, logIndex, account, tokenAddress: token.address, amountAtto }]
  })
}
