import { setTimeout as delay } from 'node:timers/promises'
import type { NodePacers } from '../../shared/chain/pacing/node-pacers.ts'
import { type Feed, retireOtherFeeds } from '../../shared/db/chain-facts/daemon/feeds.ts'
import {
  clearPonderLock,
  endPonderSessions,
  incrementOwnerEpoch,
} from '../../shared/db/chain-facts/daemon/ponder-maintenance.ts'
import {
  hasCheckpoint,
  installTriggers,
  readSnapshot,
} from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { findGenerations } from './generation.ts'
import type { PonderMetrics } from './ponder-metrics.ts'
import { createPonderProcess } from './ponder-process.ts'
import { requireUnchangedTokens } from './require-unchanged-tokens.ts'
import { listEmitters } from './watched-deployment.ts'

/** Dependencies of the owner of one deployment's Ponder. */
export type PonderOwnerDeps = {
  readonly sql: Sql
  /** Connection URL of the user that Ponder logs in as. */
  readonly ponderDatabaseUrl: string
  readonly deployment: DeploymentConfig
  readonly maxHeapMb: number
  readonly log: Logger
  /** Returns the first block to watch on a deployment that was never watched. */
  readonly firstBlock: () => Promise<number>
  /** Records the port on which each Ponder serves its metrics. */
  readonly ponderMetrics?: Pick<PonderMetrics, 'note'> | undefined
  /** The pacers of this process's nodes. They pace Ponder's requests as well. */
  readonly pacers?: Pick<NodePacers, 'pacerOf' | 'isLimited'> | undefined
  /** Called when Ponder has committed a block. */
  readonly onBlock: () => void
}

type Generation = Feed & { readonly process: ReturnType<typeof createPonderProcess> }

/** Maximum number of blocks by which a new generation's head may be behind the current head when it takes over. */
const LEVEL_WITHIN_BLOCKS = 2

/**
 * Maximum number of checks for the end of a killed process's sessions. The sessions end within a second, except in the
 * middle of a statement.
 */
const FREE_LOCK_ATTEMPTS = 20
const FREE_LOCK_REST_MS = 100

/**
 * Runs the Ponder processes of one deployment while this daemon owns it: the current generation, and the next
 * generation until it has caught up.
 */
export function createPonderOwner(deps: PonderOwnerDeps) {
  const { sql, deployment, log } = deps
  let current: Generation | null = null
  let next: Generation | null = null
  let listening: { unlisten: () => Promise<void> } | null = null
  const triggered = new Set<string>()

  return {
    ...{ own, disown, abandon, currentSchema, switchOver, restart },
    isOwner: () => current !== null,
    /** Returns the contracts whose transfers the current generation reads. */
    emitters: () => current?.emitters ?? [],
  }

  /**
   * Starts the Ponder processes, unless they are already running.
   *
   * @throws {ConfigError} if a newer daemon has watched a token that this daemon's configuration lacks, because
   * payments in that token would no longer be read
   */
  async function own(): Promise<void> {
    if (current) return
    await requireUnchangedTokens(sql, [deployment])
    const { chainId, network, environment } = deployment
    const spec = { chainId, network, environment, emitters: listEmitters(deployment) }
    const found = await findGenerations(sql, spec, deps.firstBlock)
    const epoch = await takeOver(deps, [found.current, ...(found.next === null ? [] : [found.next])])
    await listen(found.current)
    current = startGeneration(deps, found.current, epoch)
    next = found.next && startGeneration(deps, found.next, epoch)
    log.info({ msg: 'Acquired the owner lock of a deployment', chain_id: chainId, ...fieldsOf(found) })
  }

  /**
   * Kills all processes immediately, because another daemon may own the deployment at any moment. Does not wait for a
   * query, so it may be called while other functions wait for a database that does not respond.
   */
  function abandon(): void {
    for (const generation of [current, next]) generation?.process.kill()
    current = null
    next = null
    triggered.clear()
    void listening?.unlisten().catch(() => undefined)
    listening = null
  }

  /** Stops all processes, and returns when they have exited. */
  async function disown(): Promise<void> {
    const stopping = [current, next].filter((generation) => generation !== null)
    current = null
    next = null
    triggered.clear()
    await listening?.unlisten().catch(() => undefined) // If this fails, the connection and the subscription are already closed.
    listening = null
    await Promise.all(stopping.map((generation) => generation.process.stop()))
  }

  /** Returns the schema to read, or `null` until Ponder has created its tables and its heads are recorded durably. */
  async function currentSchema(): Promise<string | null> {
    return current && (await hasHeads(sql, current, triggered)) ? current.ponderSchema : null
  }

  /**
   * Makes the next generation the current one once it has caught up. The old generation keeps watching until then.
   *
   * @returns whether the switch was made
   */
  async function switchOver(headNumber: number): Promise<boolean> {
    if (!next || !current || !(await hasHeads(sql, next, triggered))) return false
    const snapshot = await readSnapshot(sql, {
      schema: next.ponderSchema,
      fromBlock: headNumber,
      confirmations: deployment.confirmations,
    })
    if (snapshot === null || snapshot.head.number < headNumber - LEVEL_WITHIN_BLOCKS) return false
    const retired = current
    current = next
    next = null
    // Stop the old process first. If a later step fails, that step is retried or not needed, but no other code would
    // stop this process.
    await retired.process.stop()
    await listen(current)
    await retireOtherFeeds(sql, { chainId: deployment.chainId, ponderSchema: current.ponderSchema })
    log.info({ msg: 'Switched to a new generation', ponder_schema: current.ponderSchema })
    return true
  }

  /** Restarts the current generation, with the nodes in this order. */
  async function restart(rpcUrls: readonly string[]): Promise<void> {
    await current?.process.restart(rpcUrls)
  }

  async function listen(feed: Feed): Promise<void> {
    await listening?.unlisten()
    listening = await sql.listen(`${viewsSchemaOf(feed)}_live_query`, deps.onBlock)
  }
}

function startGeneration(deps: PonderOwnerDeps, feed: Feed, epoch: number): Generation {
  const { emitters, startBlock } = feed
  const settings = { ...feedSettings(deps, epoch), emitters, startBlock }
  const process = createPonderProcess(
    { settings, schema: feed.ponderSchema, viewsSchema: viewsSchemaOf(feed), maxHeapMb: deps.maxHeapMb },
    {
      log: deps.log,
      pacerOf: deps.pacers?.pacerOf,
      afterExit: (schema) => freeLock(deps, schema),
      onPort: (port) =>
        deps.ponderMetrics?.note({ chainId: deps.deployment.chainId, ponderSchema: feed.ponderSchema }, port),
    },
  )
  process.start()
  return { ...feed, process }
}

/**
 * Returns whether Ponder has created its tables and its heads are recorded. Installs the triggers that record the
 * heads; `triggered` caches the schemas that have these triggers.
 */
async function hasHeads(sql: Sql, { ponderSchema }: Feed, triggered: Set<string>): Promise<boolean> {
  if (triggered.has(ponderSchema)) return true
  if (!(await hasCheckpoint(sql, ponderSchema))) return false
  await installTriggers(sql, ponderSchema)
  triggered.add(ponderSchema)
  return true
}

/**
 * Takes over from an earlier owner. From here on, that owner's Ponders can no longer commit, whether they are dead,
 * silent or about to resume. Returns the new owner epoch.
 */
async function takeOver(deps: PonderOwnerDeps, feeds: readonly Feed[]): Promise<number> {
  const { sql, deployment, log } = deps
  const epoch = await incrementOwnerEpoch(sql, deployment.chainId)
  for (const { ponderSchema } of feeds) {
    const sessions = await endPonderSessions(sql, ponderSchema)
    if (sessions > 0)
      log.warn({ msg: 'Ended sessions of an earlier Ponder', ponder_schema: ponderSchema, sessions })
    await freeLock(deps, ponderSchema)
  }
  return epoch
}

/**
 * Clears the schema lock of a killed process, whose sessions end within a second. If a session persists, the lock is
 * left to expire by Ponder's own rule.
 */
async function freeLock({ sql, log }: PonderOwnerDeps, schema: string): Promise<void> {
  for (let attempt = 0; attempt < FREE_LOCK_ATTEMPTS; attempt += 1) {
    if (await clearPonderLock(sql, schema)) return
    await delay(FREE_LOCK_REST_MS)
  }
  log.warn({ msg: 'Kept the lock of a schema that is in use', ponder_schema: schema })
}

function feedSettings({ deployment, ponderDatabaseUrl, pacers }: PonderOwnerDeps, epoch: number) {
  const { chainId, family, rpcUrls, pollingIntervalMs } = deployment
  return {
    ...{ chainId, family, rpcUrls, pollingIntervalMs, databaseUrl: withEpoch(ponderDatabaseUrl, epoch) },
    limitedUrls: rpcUrls.filter((url) => pacers?.isLimited(url)),
  }
}

/** Adds the owner epoch to the sessions of this Ponder; see `require_owner_epoch` in migration 000004. */
function withEpoch(databaseUrl: string, epoch: number): string {
  const url = new URL(databaseUrl)
  const options = [url.searchParams.get('options'), `-c svc.owner_epoch=${epoch}`]
  url.searchParams.set('options', options.filter((option) => option !== null).join(' '))
  return url.href
}

function viewsSchemaOf({ ponderSchema }: Feed): string {
  return `${ponderSchema}_v`
}

function fieldsOf(found: { current: Feed; next: Feed | null }) {
  return { ponder_schema: found.current.ponderSchema, next_schema: found.next?.ponderSchema }
}
