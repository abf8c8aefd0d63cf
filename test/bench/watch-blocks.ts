import { setTimeout as delay } from 'node:timers/promises'
import type { Devnet } from '../devnet/devnet.ts'
import { findToken } from '../devnet/send-tokens.ts'
import { USDC_ON_BASE } from '../support/scenario.ts'

/** Times at which a poll first showed each block or a later block, by `performance.now()`; `NaN` if no poll did. */
export type BlockClock = { readonly minedAt: (block: bigint) => number; readonly stop: () => Promise<void> }

/** Polls the head of the live base chain every 5 ms. */
export function watchBlocks(devnet: Devnet): BlockClock {
  const { client } = findToken(devnet.description, USDC_ON_BASE)
  const seen = new Map<bigint, number>()
  const stopping = new AbortController()
  const running = (async () => {
    let next = await client.getBlockNumber({ cacheTime: 0 })
    while (!stopping.signal.aborted) {
      const head = await client.getBlockNumber({ cacheTime: 0 })
      for (; next <= head; next += 1n) seen.set(next, performance.now())
      await delay(5)
    }
  })()
  return {
    minedAt: (block) => seen.get(block) ?? Number.NaN,
    stop: () => {
      stopping.abort()
      return running
    },
  }
}
