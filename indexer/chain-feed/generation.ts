import { createHash } from 'node:crypto'
import { type FeedMark, getFeedMark } from '../../shared/db/chain-facts/daemon/deployments.ts'
import { type Feed, insertFeed, listFeeds } from '../../shared/db/chain-facts/daemon/feeds.ts'
import { dropPonderCache } from '../../shared/db/chain-facts/daemon/ponder-maintenance.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { Environment, Network } from '../../shared/domain/networks.ts'
import { FILTER_VERSION } from '../transport/log-filter.ts'

/** What a generation of Ponder's tables depends on; anything else may change under it. */
export type GenerationSpec = {
  readonly chainId: number
  readonly network: Network
  readonly environment: Environment
  /** Lowercase, sorted. */
  readonly emitters: readonly Address[]
}

/** Changed with indexer/ponder/ponder.schema.ts, ponder.config.ts, src/ or Ponder itself: its build id changes. */
const TABLES_VERSION = 3

/**
 * Answers the generations to run: the one in use, and after it a new one when tokens, filter or tables have changed.
 *
 * A new generation starts at the low-water mark, before which everything is final and applied, in a schema of its own,
 * so that a new token makes a backfill and not a crash over Ponder's build id; the old one keeps watching, with its
 * own tokens, until the new one is level. Only the owner of the deployment may call this.
 *
 * @param firstBlock - answers where to begin on a chain that was never watched
 */
export async function findGenerations(
  db: Db,
  spec: GenerationSpec,
  firstBlock: () => Promise<number>,
): Promise<{ readonly current: Feed; readonly next: Feed | null }> {
  const feeds = await listFeeds(db, spec.chainId)
  const mark = await getFeedMark(db, spec.chainId)
  const prefix = schemaPrefix(spec, mark)
  const [current] = feeds
  const wanted = feeds.find(({ ponderSchema }) => ponderSchema.startsWith(prefix))
  if (current && wanted) return { current, next: wanted === current ? null : wanted }
  const startBlock = await startOf({ mark, current, firstBlock })
  const fresh = { ponderSchema: `${prefix}${startBlock}`, startBlock, emitters: spec.emitters }
  await dropPonderCache(db, spec.chainId)
  await insertFeed(db, { ...fresh, chainId: spec.chainId })
  return current ? { current, next: fresh } : { current: fresh, next: null }
}

/**
 * The low-water mark: from the head, a payment that the old generation has not shown yet, or shows and loses, would be
 * nobody's. A feed that was mended begins at its mark.
 */
async function startOf(of: {
  readonly mark: FeedMark
  readonly current: Feed | undefined
  readonly firstBlock: () => Promise<number>
}): Promise<number> {
  if (of.current) return Math.max(of.mark.finalizedNumber, of.current.startBlock)
  return of.mark.feedMends > 0 ? of.mark.finalizedNumber : of.firstBlock()
}

/**
 * `ponder_base_live_1a2b3c4d_`; the start block follows. Below the 45 characters Ponder allows.
 *
 * A mended feed may begin where an earlier one did, and must not find its tables and its checkpoint: the count of mends
 * makes another name.
 */
function schemaPrefix({ network, environment, ...spec }: GenerationSpec, { feedMends }: FeedMark): string {
  const mends = feedMends > 0 ? [feedMends] : []
  const hash = createHash('sha256').update(JSON.stringify([spec, FILTER_VERSION, TABLES_VERSION, ...mends]))
  return `ponder_${network}_${environment}_${hash.digest('hex').slice(0, 8)}_`
}
