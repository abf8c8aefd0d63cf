import { setTimeout as delay } from 'node:timers/promises'
import { createPublicClient, http } from 'viem'

/**
 * Records when each block of a chain is first seen, in Unix milliseconds, by polling every 5 ms. The URL must be one
 * whose requests the bench does not count. The time is NaN for a block that no poll returned as the head.
 */
export function watchBlocks(rpcUrl: string) {
  const node = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 })
  const seen = new Map<bigint, number>()
  const stopping = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const head = await node.getBlockNumber()
      if (!seen.has(head)) seen.set(head, Date.now())
      await delay(5)
    }
  })()
  return {
    minedAt: (block: bigint) => seen.get(block) ?? Number.NaN,
    stop: () => {
      stopping.abort()
      return running
    },
  }
}
