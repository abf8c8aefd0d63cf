import { isUnsent } from '../pacing/throttle.ts'
import { WrongChainError } from './node-errors.ts'

/** A node's configured chain id, and the chain id that the node reported. The node is usable if they are equal. */
export type ChainIdCheck = {
  readonly url: string
  readonly chainId: number
  readonly servedChainId: number
}

type Node = {
  readonly url: string
  readonly chainId: number
  readonly readChainId: () => Promise<number>
  /** Called each time the chain id has been read. */
  readonly onVerdict?: ((verdict: ChainIdCheck) => void) | undefined
  /** Returns a monotonic time in milliseconds. */
  readonly nowMs?: (() => number) | undefined
}

/** Returns responses of a node only while the node serves the configured chain. */
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
 * node unnoticed.
 */
const TRUSTED_FOR_MS = 60_000

/** Time for which a node of another chain is rejected before its chain id is read again. Its operator might fix it. */
const FOREIGN_FOR_MS = 10_000

/**
 * Time for which requests share one read of the chain id. Later requests start a new read, so a hanging read does not
 * block them.
 */
const READING_SHARED_FOR_MS = 500

/**
 * Creates the guard of one node's responses.
 *
 * The guard reads the chain id before it returns the first response, again after each failure (another machine might
 * respond afterwards), and once a minute. Before this guard existed, a node of another chain determined the highest
 * head, made a paid charge expire, and corrupted the feed's first block.
 *
 * The guard does not depend on the protocol: for a chain without JSON-RPC, the caller passes another `readChainId`.
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
    // If a request failed during this read, another machine might respond from now on, so the id must be read again.
    if (failures === failuresBefore) verifiedAtMs = nowMs()
  }

  function foreignError({ servedChainId }: { readonly servedChainId: number }): WrongChainError {
    const { url, chainId } = node
    return new WrongChainError({ url, chainId, servedChainId })
  }
}
