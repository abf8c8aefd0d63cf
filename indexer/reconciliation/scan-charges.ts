import type { PlacedReceipt } from '../../shared/chain/receipts.ts'
import { listChainRows } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import { CHAIN_TABLES } from '../../shared/db/chain-facts/daemon/presence.ts'
import {
  type LogPlace,
  listSettledLogs,
  type ReconciledCharge,
} from '../../shared/db/chain-facts/reconciliations.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { FAMILIES } from '../../shared/domain/families/families.ts'
import { atomic, atomicToAtto } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { decodeReceipt } from '../chain-feed/decode-receipt.ts'
import { isEscrow } from '../chain-feed/observe.ts'
import { type ChainNode, nameOf } from '../transport/node-heads.ts'
import { confirmReceipts } from './confirm-receipts.ts'
import { SCANS } from './families.ts'
import { findDiffering, markAlike } from './mark-alike.ts'
import { keyOf } from './record-found.ts'
import { recordMissed, type ScanDeps } from './record-missed.ts'
import type { ScanSource } from './scan-source.ts'
import { seekSecondAccount } from './second-account.ts'
import type { Stray } from './stray.ts'

/** Whose logs are looked for, where, and at whom; the range includes both ends, and is deep. */
export type ChargeScan = {
  /** Asked in this order, until two have answered. */
  readonly nodes: readonly ChainNode[]
  /** All there are: where nodes have two APIs, another of them is asked for what one alone shows. */
  readonly witnesses: readonly ChainNode[]
  readonly charges: readonly ReconciledCharge[]
  readonly fromBlock: number
  readonly toBlock: number
  readonly withStrays?: boolean
}

/** What a scan has shown. */
export type ScanResult = {
  /** How many nodes answered; what one of two leaves out the other may have. */
  readonly answers: number
  /** Something was shown that nobody else could be asked about; it is not recorded, and must be looked for again. */
  readonly isUnsure: boolean
  /** What strangers sent into the splits of escrow charges; it lies there, and no row of ours speaks of it. */
  readonly strays: readonly Stray[]
}

/** Enough to believe that there is no more than they show. */
export const ANSWERS = 2

/**
 * Looks through a range for what moved these charges' money, by two nodes where there are two, and records what our rows
 * did not have.
 *
 * Where nodes have two APIs, what our rows say alike is marked, and what they do not is recorded if somebody else tells
 * it as well; if everybody denies it, there is an alert.
 *
 * @throws {BaseError} viem's, if no node answers, or none tells of a transaction that one lists
 */
export async function scanCharges(deps: ScanDeps, scan: ChargeScan): Promise<ScanResult> {
  const accounts = await askForLogs(deps, scan)
  const told = new Set<string>()
  const looks: Look[] = []
  for (const account of accounts) {
    const look = await lookThrough(deps, scan, { ...account, told })
    looks.push(look)
    for (const key of look.told) told.add(key)
  }
  const untold = looks.flatMap((look) => look.untold).filter(({ key }) => !told.has(key))
  reportUntold(deps, untold)
  return {
    answers: accounts.length,
    // Bounded as what nobody else could be asked about is: one node must not stop everything for ever.
    isUnsure: looks.some(({ isUnsure }) => isUnsure) || untold.length > 0,
    strays: looks.flatMap(({ strays }) => strays),
  }
}

/** The logs that one node shows. */
type LogAccount = {
  readonly node: ChainNode
  readonly source: ScanSource
  readonly logs: readonly LogPlace[]
}

/**
 * NO RANGE IS BELIEVED OF ONE NODE, whether it shows something there or not. An empty answer was believed for ever, and a
 * payment was lost; so was one that a node left out beside others, which a keeper had distributed before its charge was
 * over: no balance spoke of it any more.
 */
async function askForLogs(deps: ScanDeps, { nodes, ...scan }: ChargeScan): Promise<readonly LogAccount[]> {
  const emitters = deps.deployment.tokens.map(({ emitter }) => emitter)
  const onLongBlock = (number: number) => tellOfLongBlock(deps, number)
  const { sourceOf } = SCANS[REGISTRY[deps.deployment.network].family]
  const accounts: LogAccount[] = []
  let failure: unknown = null
  for (const node of nodes) {
    if (accounts.length === ANSWERS) break
    const source = sourceOf(node)
    const logs = await source.findLogs({ ...scan, emitters, onLongBlock }).catch((error: unknown) => {
      failure = error
      return null
    })
    if (logs !== null) accounts.push({ node, source, logs })
  }
  if (accounts.length === 0) throw failure
  return accounts
}

/** What one node's account has come to. */
type Look = Pick<ScanResult, 'isUnsure' | 'strays'> & {
  /** The logs of the transactions of which the node has told what they did. */
  readonly told: readonly string[]
  /** Those that it lists, and of whose transactions it could not. */
  readonly untold: readonly Untold[]
}

type Untold = { readonly key: string; readonly node: ChainNode; readonly failure: Error }

/** Looks into what a node shows that our rows do not settle, and no node before it has told. */
async function lookThrough(
  deps: ScanDeps,
  scan: ChargeScan,
  { node, source, logs, told }: LogAccount & { readonly told: ReadonlySet<string> },
): Promise<Look> {
  if (logs.length === 0) return { isUnsure: false, strays: [], told: [], untold: [] }
  const { chainId, network } = deps.deployment
  const settled = new Set((await listSettledLogs(deps.sql, { chainId, ...scan })).map(keyOf))
  const news = logs.filter((log) => !settled.has(keyOf(log)) && !told.has(keyOf(log)))
  const { receipts, failures } = await readReceipts(source, [...new Set(news.map(({ txHash }) => txHash))])
  // A receipt that has moved above the range since its log was found is not deep: its time will come.
  const deep = receipts.filter(({ blockNumber }) => blockNumber <= scan.toBlock)
  const isAlone = FAMILIES[REGISTRY[network].family].isConfirmedApart
  const { sure, isUnsure } = isAlone
    ? await confirm(deps, { node, receipts: deep, witnesses: scan.witnesses })
    : { sure: deep, isUnsure: false }
  await recordMissed(deps, sure)
  return {
    isUnsure,
    strays: deep.flatMap((receipt) => straysOf(receipt, { deps, scan })),
    told: receipts.flatMap(placesOf).map(keyOf),
    untold: news.flatMap((log) => {
      const failure = failures.get(log.txHash)
      return failure === undefined ? [] : [{ key: keyOf(log), node, failure }]
    }),
  }
}

function placesOf({ txHash, blockHash, logs }: PlacedReceipt): readonly LogPlace[] {
  return logs.map(({ logIndex }) => ({ txHash, blockHash, logIndex: logIndex ?? 0 }))
}

/** @throws {BaseError} viem's, where nobody has another API by which it may be told */
function reportUntold({ deployment, log }: ScanDeps, untold: readonly Untold[]): void {
  const [first] = untold
  if (first === undefined) return
  const { node, failure: error } = first
  if (!FAMILIES[REGISTRY[deployment.network].family].isConfirmedApart) throw error
  log.warn({
    msg: 'A node lists a transaction and does not tell of it',
    ...{ chain_id: deployment.chainId, node: nameOf(node), error },
  })
}

function tellOfLongBlock({ deployment, log }: ScanDeps, number: number): void {
  log.error({
    msg: 'A block does more than a node can tell of: only what the feed’s API shows of it was looked for',
    ...{ chain_id: deployment.chainId, block_number: number },
  })
}

/** One after the other: what was missed is little, or has time. What was read counts, though another could not be. */
async function readReceipts(
  source: ScanSource,
  hashes: readonly Hex[],
): Promise<{ readonly receipts: readonly PlacedReceipt[]; readonly failures: ReadonlyMap<Hex, Error> }> {
  const receipts: PlacedReceipt[] = []
  const failures = new Map<Hex, Error>()
  for (const hash of hashes) {
    const receipt = await source.readReceipt(hash).catch((error: unknown) => {
      failures.set(hash, error as Error)
      return null
    })
    if (receipt !== null) receipts.push(receipt)
  }
  return { receipts, failures }
}

/** What nodes have shown at the API that the feed does not read, and who may know it as well. */
type Shown = {
  readonly node: ChainNode
  readonly receipts: readonly PlacedReceipt[]
  readonly witnesses: readonly ChainNode[]
}

/**
 * Marks what the feed says, too, if no other node denies it; answers what the ledger has not and somebody else says, and
 * whether there is more that nobody could be asked of.
 */
async function confirm(
  deps: ScanDeps,
  { node, receipts, witnesses }: Shown,
): Promise<{ readonly sure: readonly PlacedReceipt[]; readonly isUnsure: boolean }> {
  const { deployment } = deps
  const differing = await findDiffering(deps, receipts)
  const alike = receipts.filter((receipt) => !differing.includes(receipt))
  await markAlike(deps, await confirmReceipts(witnesses, { ...deployment, receipts: alike }))
  if (alike.length > 0) deps.onNews()
  const sure: PlacedReceipt[] = []
  let isUnsure = false
  for (const receipt of differing) {
    const feedHasNone = !(await hasRows(deps, receipt.txHash))
    const question = { nodes: witnesses, ...deployment, feedHasNone }
    const verdict = await seekSecondAccount({ node, receipt }, question)
    if (verdict === 'alike') sure.push(receipt)
    else {
      isUnsure ||= verdict === 'unknown'
      deps.log.error({
        msg: 'A node shows, at the API that the feed does not read, what nobody else does: it counts for nothing',
        ...{ chain_id: deployment.chainId, node: nameOf(node), tx_hash: receipt.txHash, verdict },
      })
    }
  }
  return { sure, isUnsure }
}

/** Whether the ledger has a row of a transaction, in whichever table. */
async function hasRows({ sql, deployment: { chainId } }: ScanDeps, txHash: Hex): Promise<boolean> {
  const of = { chainId, txHashes: [txHash] }
  const rows = await Promise.all(CHAIN_TABLES.map((table) => listChainRows(sql, table, of)))
  return rows.flat().length > 0
}

function straysOf(
  receipt: PlacedReceipt,
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
