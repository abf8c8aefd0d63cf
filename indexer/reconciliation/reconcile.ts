import {
  claimReconciliation,
  listReconciledCharges,
  type ReconciledCharge,
  recordScan,
} from '../../shared/db/chain-facts/reconciliations.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { earliestId } from '../../shared/domain/ids.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import { type ChainNode, nameOf } from '../transport/node-heads.ts'
import { createBalanceRound } from './balance-round.ts'
import { SCANS } from './families.ts'
import { findScanEnd } from './find-scan-end.ts'
import { blocksPerRange, LEAST_BLOCKS_PER_RANGE } from './ranges-since.ts'
import { type DeepBlock, readDeepBlock } from './read-deep-block.ts'
import type { ScanDeps } from './record-missed.ts'
import { ANSWERS, scanCharges } from './scan-charges.ts'
import type { SearchDeps } from './search-charge.ts'

/** What the reconciliation of one chain works with. */
export type ReconciliationDeps = Omit<SearchDeps, keyof ScanDeps | 'blockTimeMs'> &
  Omit<ScanDeps, 'deployment' | 'metrics'> & {
    readonly deployment: WatchedDeployment & { readonly confirmations: number; readonly blockTimeMs: number }
    /** One for each node, which are asked apart. */
    readonly nodes: readonly ChainNode[]
    /** Whichever daemon claims it first does it, once in so many seconds. */
    readonly intervalSeconds: number
    readonly metrics: ReconciliationMetrics
  }

/** What an operator watches of it. */
export type ReconciliationMetrics = {
  readonly countFound: (chainId: number, rows: number) => void
  readonly countUnexplained: (chainId: number) => void
}

/** As many addresses as nodes take in one filter; each page of so many charges costs two or three requests a turn. */
const CHARGES_PER_QUERY = 300
/** So long a range waits to be confirmed by a second node; then the others of its chain have waited long enough. */
const CONFIRMATION_PATIENCE_MS = 600_000
/** Final charges are looked at for a day: what is late comes soon (specification, "expiresIn": an hour at most). */
const RECENT_MS = 25 * 3_600_000

/**
 * Makes the job that compares our rows with the chain, without Ponder: each turn the logs of the blocks that have
 * become deep, and the balances of some thousand charges, round and round.
 *
 * What the watcher missed it records by the one identity, at depth by its own reading, and the charges take their
 * turns as ever. A range is looked through by two nodes, where there are two. A balance that our rows do not explain
 * makes it read that charge's whole life; one that remains unexplained is an alert.
 */
export function createReconciliation(deps: ReconciliationDeps): {
  readonly turn: () => Promise<'more' | 'idle'>
} {
  const { deployment } = deps
  const { chainId } = deployment
  const balances = createBalanceRound(deps, listCharges)
  /** Since when a second node was wanted and none answered. */
  let unconfirmedSinceMs: number | null = null
  /** Looked at in one turn; as few as every node answers once a turn has failed, for a node may have refused so many. */
  const { mostBlocks } = SCANS[REGISTRY[deployment.network].family]
  let blocksPerTurn = Math.min(mostBlocks, blocksPerRange(deployment.blockTimeMs))
  let stoppedNames = ''

  return { turn }

  async function turn(): Promise<'more' | 'idle'> {
    const deep = await readDeepBlock(deps.nodes, { ...deployment, now: deps.now() })
    reportStopped(deep)
    const firstBlock = Math.max(0, deep.number - 1)
    const claim = { chainId, firstBlock, intervalSeconds: deps.intervalSeconds }
    const scannedNumber = await claimReconciliation(deps.sql, claim)
    if (scannedNumber === null) return 'idle'

    const end = await findScanEnd(deep, { ...deployment, now: deps.now() })
    const toBlock = Math.min(end, scannedNumber + blocksPerTurn)
    if (toBlock > scannedNumber)
      await scanAll(deep, { fromBlock: scannedNumber + 1, toBlock }).catch((error: unknown) => {
        blocksPerTurn = Math.min(mostBlocks, LEAST_BLOCKS_PER_RANGE)
        throw error
      })
    const isBehind = toBlock < end
    await recordScan(deps.sql, { chainId, scannedNumber: toBlock, isDueAgain: isBehind })
    if (isBehind) return 'more'
    await balances.compare(deep)
    return 'idle'
  }

  /**
   * Read after the end of the range was: a charge made later cannot have been paid in it. A node that is silent just now
   * is waited for like one that does not answer here: what is passed is not looked at again.
   */
  async function scanAll({ nodes, silent }: DeepBlock, range: Range): Promise<void> {
    const wanted = Math.min(ANSWERS, nodes.length + silent.length)
    let isConfirmed = true
    for (let after: string | undefined = ''; after !== undefined; ) {
      const charges = await listCharges(after, CHARGES_PER_QUERY)
      if (charges.length > 0) {
        const { isUnsure, answers } = await scanCharges(deps, {
          ...{ nodes, witnesses: deps.nodes, charges },
          ...range,
        })
        if (isUnsure || answers < wanted) isConfirmed = false
      }
      after = charges.length === CHARGES_PER_QUERY ? charges.at(-1)?.id : undefined
    }
    if (isConfirmed) unconfirmedSinceMs = null
    else passUnconfirmed(range)
  }

  function listCharges(after: string, limit: number): Promise<readonly ReconciledCharge[]> {
    const recentId = earliestId('ch', deps.now().getTime() - RECENT_MS)
    const { environment } = deployment
    return listReconciledCharges(deps.sql, { chainId, environment, recentId, after, limit })
  }

  /**
   * @throws {AppError} `rpc_unavailable` while a second node is there that has not answered, for ten minutes: one that
   *   never answers logs must not stop everything
   */
  function passUnconfirmed(range: Range): void {
    const nowMs = deps.now().getTime()
    unconfirmedSinceMs ??= nowMs
    const blocks = `blocks ${range.fromBlock} to ${range.toBlock}`
    if (nowMs - unconfirmedSinceMs < CONFIRMATION_PATIENCE_MS)
      throw new AppError('rpc_unavailable', `no second node confirms what one shows of ${blocks}`)
    deps.log.error({
      msg: 'A range is passed that no second node has confirmed',
      chain_id: chainId,
      blocks,
    })
  }

  /** Once for each set of nodes that have stopped. */
  function reportStopped({ stopped }: DeepBlock): void {
    const names = stopped.map(nameOf).toSorted().join(', ')
    if (names !== '' && names !== stoppedNames)
      deps.log.error({ msg: 'A node has stopped and is left out', chain_id: chainId, node: names })
    stoppedNames = names
  }
}

type Range = { readonly fromBlock: number; readonly toBlock: number }
