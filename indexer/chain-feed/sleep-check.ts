import {
  advanceSleepHead,
  hasRecentCharges,
  hasRowsAbove,
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

/** Interval of the checks, well below the age at which a sleeping network's chain data is stale. */
const INTERVAL_MS = 60_000
const MIN_INTERVAL_MS = 1_000

/**
 * Time after a charge's last activity for which range scans cover it; equal to `SCANNED_MS` in
 * indexer/reconciliation/next-comparison.ts.
 */
const SCANNED_SECONDS = 25 * 3_600

/**
 * Creates the check that lets one network sleep and wakes it. Only the owner of the deployment runs it.
 *
 * The quorum's head must have been read before `look` searches for work, so that a charge that is committed after the
 * search is paid above that head. The insertion of a charge wakes the network immediately, by a trigger. `look` finds
 * charges whose transaction was not yet committed when the network fell asleep, and all other work.
 */
export function createSleepCheck(deps: SleepCheckDeps) {
  const { sql, deployment, sleepAfterSeconds, log } = deps
  const { chainId, finalityBlocks } = deployment
  const wantedMs = Math.max(MIN_INTERVAL_MS, sleepAfterSeconds * 1_000)
  const intervalMs = sleepAfterSeconds === 0 ? INTERVAL_MS : Math.min(INTERVAL_MS, wantedMs)
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let lastHeight: number | null = null
  let wasAsleep = false
  const nowMs = () => deps.now().getTime()

  return {
    look,
    readState,
    /** Returns whether the interval has passed since the last check to which a quorum responded. */
    isDue,
  }

  /** Reads the sleep state. If the network has fallen asleep since the last read, the next check is due immediately. */
  async function readState(): Promise<SleepState> {
    const state = await readSleepState(sql, chainId)
    if (state.isAsleep && !wasAsleep) lookedAtMs = Number.NEGATIVE_INFINITY
    wasAsleep = state.isAsleep
    return state
  }

  function isDue(): boolean {
    return hasPassed(intervalMs, { sinceMs: lookedAtMs, nowMs: nowMs() })
  }

  /**
   * If a check is due, decides whether the network falls asleep or wakes.
   *
   * @param height - the highest block that a quorum has reached; `null` if too few nodes responded
   * @param isPublished - whether the contracts were read and the pairs published since the start of the process
   */
  async function look(height: number | null, isPublished: boolean): Promise<void> {
    if (!isDue()) return
    const state = await readState()
    const head = chooseHead(state, height)
    if (head !== null) {
      lookedAtMs = nowMs()
      await recordHealthHead(sql, { chainId, headNumber: head })
    }
    const hasWork = await hasWatchedWork(sql, chainId)
    const isFeedLevel = head !== null && (state.headNumber ?? -1) >= head - finalityBlocks
    const isRecentlyActive = !hasWork && isFeedLevel && (await isActive(state, head - finalityBlocks))
    const facts = { ...state, hasWork, isRecentlyActive, isFeedLevel, isPublished }
    const decision = decideSleep(facts, sleepAfterSeconds)
    if (decision === 'wake') await wake()
    else if (head === null) return
    else if (decision === 'sleep') await fallAsleep(state, head)
    else if (state.isAsleep) await stayAsleep(head)
    else if (hasWork || isRecentlyActive) await recordWatched(sql, chainId)
  }

  /**
   * Returns the head to use. For a sleeping network, this is the lower head of the last two checks, so that one wrong
   * height, which no block confirms, cannot make the network skip blocks.
   */
  function chooseHead({ isAsleep }: SleepState, height: number | null): number | null {
    const earlier = lastHeight
    lastHeight = height
    if (!isAsleep || height === null) return height
    return earlier === null ? null : Math.min(earlier, height)
  }

  /**
   * Returns whether recent charges or rows keep an awake network from falling asleep. Searches only if nothing else
   * does, because many charges may have to be read.
   */
  async function isActive({ isAsleep, idleSeconds }: SleepState, finalBlock: number): Promise<boolean> {
    if (isAsleep || idleSeconds < sleepAfterSeconds) return false
    if (await hasRowsAbove(sql, { chainId, blockNumber: finalBlock })) return true
    return hasRecentCharges(sql, { chainId, seconds: sleepAfterSeconds })
  }

  async function wake(): Promise<void> {
    await requestWake(sql, chainId)
    deps.onSleepChange()
  }

  async function fallAsleep({ ownerEpoch, headNumber: feedHead }: SleepState, height: number): Promise<void> {
    const headNumber = Math.min(height, feedHead ?? 0)
    if (!(await putToSleep(sql, { chainId, headNumber, ownerEpoch }))) return
    log.info({ msg: 'A network sleeps: nothing on it must be watched', chain_id: chainId, head: headNumber })
    deps.onSleepChange() // a charge may have been created at the same moment
  }

  async function stayAsleep(height: number): Promise<void> {
    const scannedNumber = (await mustScan()) ? null : Math.max(0, height - finalityBlocks)
    await advanceSleepHead(sql, { chainId, headNumber: height, scannedNumber })
  }

  /**
   * Returns whether range scans still cover a charge although the network sleeps, which is possible only if networks
   * are configured to fall asleep after less than 25 hours.
   */
  async function mustScan(): Promise<boolean> {
    return sleepAfterSeconds < SCANNED_SECONDS && hasRecentCharges(sql, { chainId, seconds: SCANNED_SECONDS })
  }
}
