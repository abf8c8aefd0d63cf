import { createHash } from 'node:crypto'
import { type FeedWatermark, getFeedWatermark } from '../../shared/db/chain-facts/daemon/deployments.ts'
import { type Feed, insertFeed, listFeeds } from '../../shared/db/chain-facts/daemon/feeds.ts'
import { deletePonderRanges } from '../../shared/db/chain-facts/daemon/ponder-maintenance.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { Environment, Network } from '../../shared/domain/networks.ts'
import { FILTER_VERSION } from '../transport/log-filter.ts'

/** Settings that require a new generation of Ponder's tables if they change. */
export type GenerationSettings = {
  readonly chainId: number
  readonly network: Network
  readonly environment: Environment
  /** Lowercase, sorted. */
  readonly emitters: readonly Address[]
}

/**
 * Increase this number with every change in indexer/ponder (ponder.schema.ts, ponder.config.ts, src/) or of Ponder's
 * version, because each of these changes Ponder's build id.
 */
const TABLES_VERSION = 5

/**
 * Returns the generations to run: the current one and, if tokens, filter or tables have changed, the next one. Inserts
 * the generation that does not exist yet. Only the owner of the deployment may call this.
 *
 * A new generation starts at the watermark, below which every block is final and applied. It has its own schema, in
 * which Ponder fetches the past transfers of a new token. In the old schema, Ponder would exit because of the changed
 * build id. The old generation keeps watching its own tokens until the new one has caught up.
 *
 * @param firstBlock - returns the first block to read on a chain that was never watched
 */
export async function findGenerations(
  db: Db,
  spec: GenerationSettings,
  firstBlock: () => Promise<number>,
): Promise<{ readonly current: Feed; readonly next: Feed | null }> {
  const feeds = await listFeeds(db, spec.chainId)
  const mark = await getFeedWatermark(db, spec.chainId)
  const prefix = schemaPrefix(spec, mark)
  const [current] = feeds
  const wanted = feeds.find(({ ponderSchema }) => ponderSchema.startsWith(prefix))
  if (current && wanted) return { current, next: wanted === current ? null : wanted }
  const startBlock = await startOf({ mark, current, firstBlock })
  await deletePonderRanges(db, spec.chainId)
  const fresh = await insertGeneration(db, spec, startBlock)
  return current ? { current, next: fresh } : { current: fresh, next: null }
}

/** Inserts a generation that starts at this block, or reactivates it if it exists. */
export async function insertGeneration(db: Db, spec: GenerationSettings, startBlock: number): Promise<Feed> {
  const prefix = schemaPrefix(spec, await getFeedWatermark(db, spec.chainId))
  const fresh = { ponderSchema: `${prefix}${startBlock}`, startBlock, emitters: spec.emitters }
  await insertFeed(db, { ...fresh, chainId: spec.chainId })
  return fresh
}

/**
 * Returns the first block of a new generation: the watermark, or `firstBlock` for a chain that was never watched. A
 * generation that started at the head would miss payments that the old generation has not shown yet, or no longer
 * shows.
 */
async function startOf(of: {
  readonly mark: FeedWatermark
  readonly current: Feed | undefined
  readonly firstBlock: () => Promise<number>
}): Promise<number> {
  if (of.current) return Math.max(of.mark.watermarkNumber, of.current.startBlock)
  return of.mark.repairCount > 0 ? of.mark.watermarkNumber : of.firstBlock()
}

/**
 * Returns the schema's name without the start block at its end, such as `ponder_base_live_1a2b3c4d_`. The whole name is
 * shorter than Ponder's limit of 45 characters.
 *
 * A repaired feed might start at the same block as an earlier feed, and must not find that feed's tables and
 * checkpoint. The hash in the name therefore includes the number of repairs.
 */
function schemaPrefix(
  { network, environment, ...spec }: GenerationSettings,
  { repairCount }: FeedWatermark,
): string {
  const mends = repairCount > 0 ? [repairCount] : []
  const hash = createHash('sha256').update(JSON.stringify([spec, FILTER_VERSION, TABLES_VERSION, ...mends]))
  return `ponder_${network}_${environment}_${hash.digest('hex').slice(0, 8)}_`
}
