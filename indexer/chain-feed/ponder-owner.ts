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

export type PonderOwnerDeps = {
  readonly sql: Sql
  /** Connection URL of the user that Ponder logs in as. */
  readonly ponderDatabaseUrl: string
  readonly deployment: DeploymentConfig
  readonly maxHeapMb: number
  readonly log: Logger
  /** Returns the first block to watch on a deployment that was never watched. */
  readonly firstBlock: () => Promise<number>
  readonly ponderMetrics?: Pick<PonderMetrics, 'note'> | undefined
  /** The pacers of this process's nodes, which also pace Ponder's requests. */
  readonly pacers?: Pick<NodePacers, 'pacerOf' | 'isLimited'> | undefined
  /** Called when Ponder has committed a block. */
  readonly onBlock: () => void
}

type Generation = Feed & { readonly process: ReturnType<typeof createPonderProcess> }

/** Maximum blocks by which the next generation's head may be behind the feed's head when it becomes the current one. */
const LEVEL_WITHIN_BLOCKS = 2

/**
 * Maximum checks whether a killed process's sessions have ended. They end within a second, except in the middle of a
 * statement.
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
   * @throws {ConfigError} from `requireUnchangedTokens`, if a newer daemon watches a token that this configuration
   * lacks
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
   * Kills all processes immediately, because another daemon may become the owner at any moment. Waits for no query, so
   * that it works while the database does not respond.
   */
  function abandon(): void {
    for (const generation of [current, next]) generation?.process.kill()
    current = null
    next = null
    triggered.clear()
    void listening?.unlisten().catch(() => undefined)
    listening = null
  }

  /** Stops all processes. Resolves when they have exited. */
  async function disown(): Promise<void> {
    const stopping = [current, next].filter((generation) => generation !== null)
    current = null
    next = null
    triggered.clear()
    await listening?.unlisten().catch(() => undefined) // A closed connection has no subscription.
    listening = null
    await Promise.all(stopping.map((generation) => generation.process.stop()))
  }

  /** Returns the schema to read; `null` if this daemon is not the owner, or Ponder has not created its tables yet. */
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
    // Stop the retired process before the other steps. If one of them failed first, no other code would stop the
    // process.
    await retired.process.stop()
    await listen(current)
    await retireOtherFeeds(sql, { chainId: deployment.chainId, ponderSchema: current.ponderSchema })
    log.info({ msg: 'Switched to a new generation', ponder_schema: current.ponderSchema })
    return true
  }

  /** Restarts the current generation's Ponder, which then queries the nodes in this order. */
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
 * Returns whether Ponder has created its tables. If so, installs the triggers that record its heads; `triggered` caches
 * the schemas that have these triggers.
 */
async function hasHeads(sql: Sql, { ponderSchema }: Feed, triggered: Set<string>): Promise<boolean> {
  if (triggered.has(ponderSchema)) return true
  if (!(await hasCheckpoint(sql, ponderSchema))) return false
  await installTriggers(sql, ponderSchema)
  triggered.add(ponderSchema)
  return true
}

/**
 * Takes over from an earlier owner, whose Ponder processes can no longer commit afterwards, even if they were suspended
 * and resume. Returns the new owner epoch.
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
 * Clears the schema lock of a killed process once its sessions have ended. If a session persists, the lock stays until
 * it expires by Ponder's own rule.
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

/** Adds the owner epoch to the settings of Ponder's sessions; see `require_owner_epoch` in migration 000004. */
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
