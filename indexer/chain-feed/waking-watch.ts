import { setTimeout as delay } from 'node:timers/promises'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createWakingReader } from './waking-reader.ts'

type Deps = {
  readonly sql: Sql
  readonly deployment: DeploymentConfig
  readonly client: ChainClient
  readonly now: Clock
  readonly log: Logger
  readonly onNews: () => void
  /** Returns whether the feed has applied the block with this number. */
  readonly isLevel: (head: number) => boolean
}

/**
 * Maximum duration of the watch. Ponder normally starts within seconds; if it takes longer than this, the feed's alerts
 * have been raised.
 */
const LIMIT_MS = 600_000
/** Maximum blocks by which Ponder may be behind a head that was read at the same time and still count as caught up. */
const LEVEL_WITHIN_BLOCKS = 2

/**
 * Creates the watch over a waking network. It reads the network at the polling interval until Ponder has caught up, so
 * that payers see a payment in the first seconds as quickly as a later payment.
 */
export function createWakingWatch(deps: Deps) {
  const { deployment, log } = deps
  const behind = LEVEL_WITHIN_BLOCKS + Math.ceil((2 * deployment.pollingIntervalMs) / deployment.blockTimeMs)
  let stopping: AbortController | null = null
  /** Resolves when every watch that was begun has ended. */
  let watching: Promise<unknown> = Promise.resolve()

  return { begin, end, stop }

  function begin(startBlock: number): void {
    end()
    stopping = new AbortController()
    watching = Promise.all([watching, watch(startBlock, stopping.signal)]).then(() => undefined)
  }

  /** Ends the watch after its current read, for example because another daemon may watch the network now. */
  function end(): void {
    stopping?.abort()
  }

  /** Ends the watch. Resolves when the current reads of this watch and of earlier ones have ended. */
  async function stop(): Promise<void> {
    end()
    await watching
  }

  async function watch(startBlock: number, signal: AbortSignal): Promise<void> {
    const { read } = createWakingReader(deps)
    const until = performance.now() + LIMIT_MS
    while (!signal.aborted && performance.now() < until) {
      const head = await read(startBlock).catch((error: unknown) => {
        log.warn({ msg: 'Could not read a waking network', chain_id: deployment.chainId, error })
        return null
      })
      if (head !== null && deps.isLevel(head - behind)) return
      await delay(deployment.pollingIntervalMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
