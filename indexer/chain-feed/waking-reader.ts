import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { readCanonicalReceipt } from '../../shared/chain/nodes/receipts.ts'
import { listAllChainRows } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import { CHAIN_TABLES, type ChainTable } from '../../shared/db/chain-facts/daemon/chain-tables.ts'
import { lockFeedWatermark } from '../../shared/db/chain-facts/daemon/deployments.ts'
import { type ObservedRow, recordChainRows } from '../../shared/db/chain-facts/daemon/observed-rows.ts'
import { listReconciledCharges, type ReconciledCharge } from '../../shared/db/chain-facts/reconciliations.ts'
import type { Db, Sql } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { getMinId } from '../../shared/domain/ids.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { partitionStorable } from './dead-letter-logs.ts'
import { decodeReceipt } from './decode-receipt.ts'
import { getRowKey, matchOrdinals } from './match-ordinals.ts'
import { observeRows } from './observe-rows.ts'
import { scanLogs } from './scan-logs.ts'
import { buildWatchedDeployment, listEmitters } from './watched-deployment.ts'

type Deps = {
  readonly sql: Sql
  readonly deployment: DeploymentConfig
  readonly client: ChainClient
  readonly now: Clock
  /** Called after rows were recorded. */
  readonly onNews: () => void
}

/**
 * Maximum blocks per read, the newest ones. Every public node serves this many blocks per request. Ponder reads the
 * earlier blocks.
 */
const MAX_BLOCKS = 1_000
/** Maximum charges per log query, because nodes limit the addresses in one filter. */
const CHARGES_PER_QUERY = 300
/** Time after a charge's last activity for which its logs are read. Open charges are always read. */
const RECENT_MS = 25 * 3_600_000

/**
 * Creates the reader that records payments on a network that has just woken, while its Ponder starts. Like Ponder, it
 * queries a single node. It reads the logs of the open and recent charges.
 *
 * The reader records only rows that are not in our tables yet, because the feed updates all others. Like Ponder's rows,
 * they are reports of a single node: payers see them, but they count only if a quorum shows them. If a reorganization
 * removes a row before Ponder shows it, the quorum denies the row at confirmation depth.
 */
export function createWakingReader(deps: Deps) {
  const { client } = deps
  const seen = new Set<string>()

  return { read }

  /**
   * Records the new rows of the blocks from `startBlock` to the head, at most the newest `MAX_BLOCKS`.
   *
   * @returns the head
   */
  async function read(startBlock: number): Promise<number> {
    const head = Number(await client.getBlockNumber({ cacheTime: 0 }))
    const range = { fromBlock: Math.max(startBlock, head - MAX_BLOCKS + 1), toBlock: head }
    for (let after: string | undefined = ''; after !== undefined && range.fromBlock <= head; ) {
      const charges = await listCharges(deps, after)
      await readFor(charges, range)
      after = charges.length === CHARGES_PER_QUERY ? charges.at(-1)?.id : undefined
    }
    return head
  }

  async function readFor(
    charges: readonly ReconciledCharge[],
    range: { readonly fromBlock: number; readonly toBlock: number },
  ): Promise<void> {
    const logs = await scanLogs(client, { charges, emitters: listEmitters(deps.deployment), ...range })
    const places = new Map(logs.map(({ txHash, blockHash }) => [`${txHash}/${blockHash}`, txHash]))
    for (const [place, txHash] of places) {
      if (seen.has(place)) continue
      if (await recordTransaction(deps, charges, txHash)) seen.add(place)
    }
  }
}

function listCharges({ sql, deployment, now }: Deps, after: string): Promise<readonly ReconciledCharge[]> {
  const { chainId, environment } = deployment
  const recentAt = new Date(now().getTime() - RECENT_MS)
  const recentId = getMinId('ch', recentAt.getTime())
  return listReconciledCharges(sql, {
    ...{ chainId, environment, recentId, recentAt, after },
    limit: CHARGES_PER_QUERY,
  })
}

/** Records the transaction's new rows. Returns whether the node returned the transaction's receipt. */
async function recordTransaction(
  deps: Deps,
  charges: readonly ReconciledCharge[],
  txHash: Hex,
): Promise<boolean> {
  const { chainId } = deps.deployment
  const receipt = await readCanonicalReceipt(deps.client, txHash)
  if (receipt === null) return false
  const observed = observeRows(decodeReceipt(receipt), buildWatchedDeployment(deps.deployment), charges)
  const recorded = await inTransaction(deps.sql, async (db) => {
    await lockFeedWatermark(db, chainId)
    let count = 0
    for (const table of CHAIN_TABLES)
      count += await recordNew(db, { chainId, table, txHash }, observed[table])
    return count
  })
  if (recorded > 0) deps.onNews()
  return true
}

async function recordNew(
  db: Db,
  { chainId, table, txHash }: { readonly chainId: number; readonly table: ChainTable; readonly txHash: Hex },
  rows: readonly ObservedRow[],
): Promise<number> {
  const known = await listAllChainRows(db, table, { chainId, txHashes: [txHash] })
  const keys = new Set(known.map(getRowKey))
  const fresh = matchOrdinals(partitionStorable(rows).fit, known).filter((row) => !keys.has(getRowKey(row)))
  if (fresh.length > 0) await recordChainRows(db, table, { rows: fresh, ponderSchema: null })
  return fresh.length
}
