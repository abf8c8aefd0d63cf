import type { Anvil } from '../anvil.ts'

/** Controls when a local chain mines blocks. */
export type BlockPace = {
  /** Stops the interval, so that only `mine` adds blocks. Resolves when no interval block is in progress. */
  readonly pause: () => Promise<void>
  readonly resume: () => void
  readonly mine: (blocks: number) => Promise<void>
}

/**
 * Makes a local chain, which must not mine by itself, mine a block every `blockMs`, because anvil itself supports only
 * whole seconds. Blocks of the same second have the same timestamp, as on fast chains. While a block takes longer than
 * the interval, no other block starts.
 */
export function paceBlocks({ rpcUrl }: Pick<Anvil, 'rpcUrl'>, blockMs: number): BlockPace {
  let timer: NodeJS.Timeout | undefined
  let latest: Promise<void> | null = null
  const tick = () => {
    latest ??= mineOne(rpcUrl)
      // The chain has ended or is too busy. Code that waits for a block reports the problem.
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
