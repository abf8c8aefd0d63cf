import { setTimeout as delay } from 'node:timers/promises'
import { createPublicClient, http } from 'viem'

/**
 * Polls the head of a chain every 5 ms, and records the time at which a poll first showed each block or a later block.
 * `minedAt` returns it in Unix milliseconds, or NaN if no poll did. The bench must not count requests to the URL.
 */
export function watchBlocks(rpcUrl: string) {
  const node = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 })
  const seen = new Map<bigint, number>()
  const stopping = new AbortController()
  const running = (async () => {
    let next = await node.getBlockNumber()
    while (!stopping.signal.aborted) {
      const head = await node.getBlockNumber()
      for (; next <= head; next += 1n) seen.set(next, Date.now())
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
