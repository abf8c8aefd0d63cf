import { findQuorumHeight } from '../../shared/chain/nodes/node-health.ts'
import { type ConfirmedHead, queryConfirmedHead } from '../../shared/chain/nodes/query-confirmed-head.ts'
import type { ChainHeads } from '../../shared/chain/nodes/query-head.ts'
import { queryNodes } from '../../shared/chain/nodes/query-nodes.ts'
import { isAsleep } from '../../shared/db/chain-facts/daemon/sleeping.ts'
import {
  claimReconciliation,
  listReconciledCharges,
  type ReconciledCharge,
  recordScan,
} from '../../shared/db/chain-facts/reconciliations.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { getMinId } from '../../shared/domain/ids.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'
import { createBalanceSweep } from './balance-sweep.ts'
import { getBlocksPerRange, MIN_BLOCKS_PER_RANGE } from './block-ranges.ts'
import { SCANNED_MS } from './next-comparison.ts'
import { scanCharges } from './scan-charges.ts'
import type { SearchDeps } from './search-charge.ts'

export type ReconciliationDeps = CheckedChain &
  SearchDeps & {
    /** Seconds between two turns of a chain, across all daemons. */
    readonly intervalSeconds: number
    readonly metrics: { readonly countUnexplained: (chainId: number) => void }
    /** Charges whose balances are compared in one turn; fewer if the nodes have request limits. */
    readonly chargesPerTurn?: number
  }

/**
 * Maximum charges per query, because nodes limit the addresses in one filter. On EVM chains, each page of charges costs
 * a node two or three requests per turn.
 */
const CHARGES_PER_QUERY = 300

/**
 * Creates the job that compares our rows with the chain, independently of Ponder. A turn compares the logs of blocks at
 * confirmation depth and, once it has scanned the newest of these blocks, the balances of several thousand charges in
 * rotation (`balance-sweep.ts`).
 *
 * A range counts as scanned only after a quorum of operators has listed its logs, and a quorum has shown or denied
 * every transaction that any node lists. Otherwise the range is scanned again, and until then no charge ends unpaid.
 */
export function createChainReconciler(deps: ReconciliationDeps) {
  const { deployment, sources } = deps
  const { chainId } = deployment
  const balances = createBalanceSweep(deps, listCharges)
  /**
   * Blocks scanned per turn. After a failure, the number is reduced to a size that every node accepts, because a node
   * might have rejected the range for its size.
   */
  let blocksPerTurn = Math.min(sources.maxBlocks, getBlocksPerRange(deployment.blockTimeMs))
  let reportedNodes = ''

  return { turn }

  async function turn(): Promise<'more' | 'idle'> {
    // A sleeping network has no open charge. `sleep-check.ts` advances the scanned block, unless scans still cover a
    // recent charge.
    if (await isAsleep(deps.sql, chainId)) return 'idle'
    const deep = await queryConfirmedHead(deps.chain, deployment)
    reportNodes(deep)
    const firstBlock = Math.max(0, deep.number - 1)
    const claim = { chainId, firstBlock, intervalSeconds: deps.intervalSeconds }
    const scannedBlockNumber = await claimReconciliation(deps.sql, claim)
    if (scannedBlockNumber === null) return 'idle'

    const end = await findScanEnd(deep)
    const toBlock = Math.min(end, scannedBlockNumber + blocksPerTurn)
    if (toBlock > scannedBlockNumber)
      await scanAll({ fromBlock: scannedBlockNumber + 1, toBlock }).catch((error: unknown) => {
        blocksPerTurn = Math.min(sources.maxBlocks, MIN_BLOCKS_PER_RANGE)
        throw error
      })
    const isBehind = toBlock < end
    await recordScan(deps.sql, { chainId, scannedBlockNumber: toBlock, isDueAgain: isBehind })
    if (isBehind) return 'more'
    await balances.compare(deep)
    return 'idle'
  }

  /**
   * Returns the last block to scan: the confirmed head. On TRON, it is at most the solidified block that a quorum has
   * reached, which is often one block lower.
   */
  async function findScanEnd({ number }: ConfirmedHead): Promise<number> {
    if (!sources.hasOwnEnd) return number
    const { reports } = await queryNodes(sources.scanners, ({ source }) => source.readEnd())
    const ends = reports.map(({ node, operator, value }) => ({ node, operator, number: value.number }))
    const height = findQuorumHeight(ends, sources.scanners.quorum)
    if (height === null)
      throw new AppError(
        'rpc_unavailable',
        `too few nodes (${ends.length}) returned their last solidified block`,
      )
    return Math.min(number, height)
  }

  /**
   * Scans a range for all charges. The charges are listed after the range's end was read, so a charge that is created
   * later cannot have been paid in the range.
   */
  async function scanAll(range: Range): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const charges = await listCharges(after, CHARGES_PER_QUERY)
      if (charges.length > 0) {
        const { isUnsure } = await scanCharges(deps, {
          charges,
          ...range,
          confirmedHeadNumber: range.toBlock,
        })
        if (isUnsure)
          throw new AppError(
            'rpc_unavailable',
            `no quorum confirms or denies a transaction in blocks ${range.fromBlock} to ${range.toBlock}`,
          )
      }
      after = charges.length === CHARGES_PER_QUERY ? charges.at(-1)?.id : undefined
    }
  }

  function listCharges(after: string, limit: number): Promise<readonly ReconciledCharge[]> {
    const recentAt = new Date(deps.now().getTime() - SCANNED_MS)
    const recentId = getMinId('ch', recentAt.getTime())
    const { environment } = deployment
    return listReconciledCharges(deps.sql, { chainId, environment, recentId, recentAt, after, limit })
  }

  /** Reports again only after the set of reported nodes has changed. */
  function reportNodes({
    stopped,
    forked,
  }: Pick<ChainHeads, 'stopped'> & Pick<ConfirmedHead, 'forked'>): void {
    const names = [...stopped, ...forked].toSorted().join(', ')
    if (names !== '' && names !== reportedNodes)
      deps.log.error({
        msg: 'Nodes have stalled, or are on a branch other than the quorum’s',
        ...{ chain_id: chainId, stopped: stopped.join(', '), forked: forked.join(', ') },
      })
    reportedNodes = names
  }
}

type Range = { readonly fromBlock: number; readonly toBlock: number }
