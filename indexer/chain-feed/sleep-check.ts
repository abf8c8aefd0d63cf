import {
  advanceSleepHead,
  hasRecentCharges,
  hasWatchedWork,
  putToSleep,
  readSleepState,
  recordHealthHead,
  recordWatched,
  requestWake,
  type SleepState,
} from '../../shared/db/chain-facts/daemon/sleeping.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { type Clock, hasPassed } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { decideSleep } from './decide-sleep.ts'

type SleepCheckDeps = {
  readonly sql: Sql
  readonly deployment: Pick<DeploymentConfig, 'chainId' | 'finalityBlocks'>
  /** Time without anything to watch after which the network sleeps; 0 if it never sleeps. */
  readonly sleepAfterSeconds: number
  readonly log: Logger
  /** Called when the network has fallen asleep, or must wake. */
  readonly onSleepChange: () => void
  readonly now: Clock
}

/** Interval at which the heads of a sleeping network are read, well below the age at which chain data is stale. */
const INTERVAL_MS = 60_000
const MIN_INTERVAL_MS = 1_000

/** Age up to which range scans cover charges, the same as `SCANNED_MS` in indexer/reconciliation/next-comparison.ts. */
const SCANNED_SECONDS = 25 * 3_600

/**
 * Creates the check that lets one network sleep and wakes it. Only the owner of the deployment runs it.
 *
 * The quorum's head must have been read before `look` searches for work: a charge that is committed after the search is
 * paid above that head. The insertion of the charge wakes the network immediately, by a trigger. The check covers
 * charges whose transaction was open while the network fell asleep, and all other work.
 */
export function createSleepCheck(deps: SleepCheckDeps) {
  const { sql, deployment, sleepAfterSeconds, log } = deps
  const { chainId, finalityBlocks } = deployment
  const wantedMs = Math.max(MIN_INTERVAL_MS, sleepAfterSeconds * 1_000)
  const intervalMs = sleepAfterSeconds === 0 ? INTERVAL_MS : Math.min(INTERVAL_MS, wantedMs)
  let lookedAtMs = Number.NEGATIVE_INFINITY
  const nowMs = () => deps.now().getTime()

  return {
    look,
    /** Returns whether the network sleeps. */
    readState: () => readSleepState(sql, chainId),
    /** Returns whether a minute has passed since the last check to which a quorum responded. */
    isDue,
  }

  function isDue(): boolean {
    return hasPassed(intervalMs, { sinceMs: lookedAtMs, nowMs: nowMs() })
  }

  /**
   * Checks once a minute whether the network must be watched.
   *
   * @param height - the highest block that a quorum has reached; `null` if too few nodes responded
   * @param isPublished - whether the contracts were read and the pairs published since the start of the process
   */
  async function look(height: number | null, isPublished: boolean): Promise<void> {
    if (!isDue()) return
    if (height !== null) lookedAtMs = nowMs()
    const state = await readSleepState(sql, chainId)
    if (height !== null) await recordHealthHead(sql, { chainId, headNumber: height })
    const hasWork = await hasWatchedWork(sql, chainId)
    const isFeedLevel = height !== null && (state.headNumber ?? -1) >= height - finalityBlocks
    const isRecentlyActive = !hasWork && (await isActive(state))
    const facts = { ...state, hasWork, isRecentlyActive, isFeedLevel, isPublished }
    const decision = decideSleep(facts, sleepAfterSeconds)
    if (decision === 'wake') await wake()
    else if (height === null) return
    else if (decision === 'sleep') await fallAsleep(height)
    else if (state.isAsleep) await stayAsleep(height)
    else if (hasWork || isRecentlyActive) await recordWatched(sql, chainId)
  }

  /** Search for recent charges only before a network falls asleep, because many charges may have to be read. */
  async function isActive({ isAsleep, idleSeconds }: SleepState): Promise<boolean> {
    if (isAsleep || idleSeconds < sleepAfterSeconds) return false
    return hasRecentCharges(sql, { chainId, seconds: sleepAfterSeconds })
  }

  async function wake(): Promise<void> {
    await requestWake(sql, chainId)
    deps.onSleepChange()
  }

  async function fallAsleep(height: number): Promise<void> {
    if (!(await putToSleep(sql, { chainId, headNumber: height }))) return
    log.info({ msg: 'A network sleeps: nothing on it must be watched', chain_id: chainId, head: height })
    lookedAtMs = Number.NEGATIVE_INFINITY // a charge may have been created at the same moment
    deps.onSleepChange()
  }

  async function stayAsleep(height: number): Promise<void> {
    const scannedNumber = (await mustScan()) ? null : Math.max(0, height - finalityBlocks)
    await advanceSleepHead(sql, { chainId, headNumber: height, scannedNumber })
  }

  /**
   * Returns whether range scans still cover a charge although the network sleeps. This is possible only if the network
   * sleeps earlier than by default.
   */
  async function mustScan(): Promise<boolean> {
    return sleepAfterSeconds < SCANNED_SECONDS && hasRecentCharges(sql, { chainId, seconds: SCANNED_SECONDS })
  }
}
