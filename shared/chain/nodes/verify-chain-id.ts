import { isUnsent } from '../pacing/throttle.ts'
import { WrongChainError } from './node-errors.ts'

/** The chain id that a node reported. The node is usable if it equals `chainId`. */
export type ChainIdCheck = {
  readonly url: string
  readonly chainId: number
  readonly servedChainId: number
}

type Node = {
  readonly url: string
  /** The configured chain id of the node. */
  readonly chainId: number
  /** Reads the chain id from this node. */
  readonly readChainId: () => Promise<number>
  /** Called after each reading. */
  readonly onVerdict?: ((verdict: ChainIdCheck) => void) | undefined
  /** Returns a monotonic time in milliseconds. */
  readonly nowMs?: (() => number) | undefined
}

/** Guards the responses of a node: it returns only responses of the right chain. */
export type ChainIdGuard = {
  /**
   * Sends a request. Returns the response if the node served the configured chain at that time.
   *
   * @throws {WrongChainError} if the node serves another chain; also any error of `ask`
   */
  readonly believe: <Answer>(ask: () => Promise<Answer>) => Promise<Answer>
}

/**
 * Time for which a verified chain id is trusted. It is short, because a load balancer may switch the machine behind a
 * node without any visible failure.
 */
const TRUSTED_FOR_MS = 60_000

/** Interval after which a node of another chain is verified again; its operator might have fixed it. */
const FOREIGN_FOR_MS = 10_000

/**
 * Time for which concurrent requests share one read of the id. A hanging read then does not block later requests.
 */
const READING_SHARED_FOR_MS = 500

/**
 * Creates the guard that verifies whether one node serves the chain it is configured for.
 *
 * The chain id is read from this node before its first response is trusted, again after each of its failures (another
 * machine might respond afterwards), and once a minute. Before this guard existed, one of two nodes served another
 * chain: it determined the highest head, made a paid charge expire, and corrupted the feed's first block.
 *
 * The guard does not depend on the protocol: a chain without JSON-RPC passes its own `readChainId`.
 */
export function createChainIdGuard(node: Node): ChainIdGuard {
  const { nowMs = () => performance.now() } = node
  let verifiedAtMs: number | null = null
  let foreign: { readonly servedChainId: number; readonly atMs: number } | null = null
  let reading: { readonly done: Promise<void>; readonly sinceMs: number } | null = null
  let failures = 0

  return { believe }

  async function believe<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    await verify()
    const failuresBefore = failures
    try {
      const answer = await ask()
      // Another request has failed in the meantime, so this response might come from another machine.
      if (failures !== failuresBefore) await verify()
      return answer
    } catch (error) {
      // A request that was not sent shows nothing about the node.
      if (!isUnsent(error)) invalidate()
      throw error
    }
  }

  function invalidate(): void {
    failures += 1
    verifiedAtMs = null
  }

  async function verify(): Promise<void> {
    if (foreign !== null && nowMs() - foreign.atMs < FOREIGN_FOR_MS) throw foreignError(foreign)
    if (verifiedAtMs !== null && nowMs() - verifiedAtMs < TRUSTED_FOR_MS) return
    if (reading === null || nowMs() - reading.sinceMs >= READING_SHARED_FOR_MS) shareReading(read())
    await reading?.done
  }

  function shareReading(done: Promise<void>): void {
    const mine = { done, sinceMs: nowMs() }
    reading = mine
    const end = () => {
      if (reading === mine) reading = null
    }
    done.then(end, end)
  }

  async function read(): Promise<void> {
    const failuresBefore = failures
    const servedChainId = await node.readChainId()
    const { url, chainId } = node
    node.onVerdict?.({ url, chainId, servedChainId })
    foreign = servedChainId === chainId ? null : { servedChainId, atMs: nowMs() }
    if (foreign !== null) throw foreignError(foreign)
    // A request that failed during the reading might have failed after the response was sent.
    if (failures === failuresBefore) verifiedAtMs = nowMs()
  }

  function foreignError({ servedChainId }: { readonly servedChainId: number }): WrongChainError {
    const { url, chainId } = node
    return new WrongChainError({ url, chainId, servedChainId })
  }
}
