import type { Anvil } from '../anvil.ts'

/** Controls the blocks of a local chain that mines no blocks by itself. */
export type BlockPace = {
  /** Stops the interval, so that only `mine` adds blocks. Resolves when no block is in progress. */
  readonly pause: () => Promise<void>
  readonly resume: () => void
  /** Adds this number of blocks immediately. */
  readonly mine: (blocks: number) => Promise<void>
}

/**
 * Makes a local chain mine a block at an interval in milliseconds, because anvil itself supports only whole seconds. As
 * on fast chains, blocks of the same second have the same timestamp. If a block takes longer than the interval, the
 * blocks due in the meantime are skipped.
 */
export function paceBlocks({ rpcUrl }: Pick<Anvil, 'rpcUrl'>, blockMs: number): BlockPace {
  let timer: NodeJS.Timeout | undefined
  let latest: Promise<void> | null = null
  const tick = () => {
    latest ??= mineOne(rpcUrl)
      // The chain has ended or was too busy. Any code that waits for a block reports the problem.
      .catch(() => undefined)
      .finally(() => {
        latest = null
      })
  }
  const resume = () => {
    timer ??= setInterval(tick, blockMs)
  }
  resume()
  return {
    resume,
    pause: async () => {
      clearInterval(timer)
      timer = undefined
      await latest
    },
    mine: async (blocks) => {
      for (let count = 0; count < blocks; count += 1) await mineOne(rpcUrl)
    },
  }
}

/** Timeout for one block on a busy machine. */
const TIMEOUT_MS = 20_000

async function mineOne(rpcUrl: string): Promise<void> {
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const { error } = (await answer.json()) as { readonly error?: unknown }
  if (error !== undefined) throw new Error(`the chain mined no block: ${JSON.stringify(error)}`)
}
