import { ForeignNodeError } from './node-errors.ts'

/** What a node said of its chain; it is ours if the two ids are one. */
export type NodeVerdict = {
  readonly url: string
  readonly chainId: number
  readonly servedChainId: number
}

type Node = {
  readonly url: string
  /** The chain that the node is to serve. */
  readonly chainId: number
  /** Asks this very node which chain it serves. */
  readonly readChainId: () => Promise<number>
  /** Told of each reading. */
  readonly onVerdict?: ((verdict: NodeVerdict) => void) | undefined
  /** Milliseconds that only grow. */
  readonly nowMs?: (() => number) | undefined
}

/** Passes on what a node of the right chain answers. */
export type NodeIdentity = {
  /**
   * Asks, and answers what the node answered while it served its chain.
   *
   * @throws {ForeignNodeError} if it serves another one; whatever `ask` throws
   */
  readonly believe: <Answer>(ask: () => Promise<Answer>) => Promise<Answer>
}

/** A node whose balancer changes what stands behind it, without a failure that anybody saw, is believed so long. */
const BELIEVED_FOR_MS = 60_000

/** A node of another chain is asked again this often: its operator may have mended it. */
const FOREIGN_FOR_MS = 10_000

/** Requests at once share a reading of the id; one that hangs holds up none that came later. */
const READING_SHARED_FOR_MS = 500

/**
 * Makes what knows whether one node serves the chain it is configured for.
 *
 * Its chain id is read from that very node before its first answer is believed, again after each failure of it (what
 * comes back may be another machine), and once a minute. One node of another chain, in a list of two, became the
 * highest head, expired a charge that was paid, and poisoned the feed's first block.
 *
 * It knows nothing of how a node is asked: a chain that is not read by JSON-RPC brings its own `readChainId`.
 */
export function createNodeIdentity(node: Node): NodeIdentity {
  const nowMs = node.nowMs ?? (() => performance.now())
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
      // Another request failed meanwhile, so this answer may be another machine's.
      if (failures !== failuresBefore) await verify()
      return answer
    } catch (error) {
      forget()
      throw error
    }
  }

  function forget(): void {
    failures += 1
    verifiedAtMs = null
  }

  async function verify(): Promise<void> {
    if (foreign !== null && nowMs() - foreign.atMs < FOREIGN_FOR_MS) throw foreignError(foreign)
    if (verifiedAtMs !== null && nowMs() - verifiedAtMs < BELIEVED_FOR_MS) return
    if (reading === null || nowMs() - reading.sinceMs >= READING_SHARED_FOR_MS) share(read())
    await reading?.done
  }

  function share(done: Promise<void>): void {
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
    // What failed while it was read may have failed after it was answered.
    if (failures === failuresBefore) verifiedAtMs = nowMs()
  }

  function foreignError({ servedChainId }: { readonly servedChainId: number }): ForeignNodeError {
    const { url, chainId } = node
    return new ForeignNodeError({ url, chainId, servedChainId })
  }
}
