import type { Anvil } from '../anvil.ts'

/** The blocks of a local chain that mines none by itself. */
export type BlockPace = {
  /** From here on there is a block only by `mine`; returns when none is on its way. */
  readonly pause: () => Promise<void>
  readonly resume: () => void
  /** Adds so many at once. */
  readonly mine: (blocks: number) => Promise<void>
}

/**
 * Lets a local chain have a block every so many milliseconds, those of one second with one timestamp, as fast chains
 * have: anvil itself counts whole seconds. A block that takes longer is followed by the next when its time comes.
 */
export function paceBlocks({ rpcUrl }: Pick<Anvil, 'rpcUrl'>, blockMs: number): BlockPace {
  let timer: NodeJS.Timeout | undefined
  let latest: Promise<void> | null = null
  const tick = () => {
    latest ??= mineOne(rpcUrl)
      // The chain has ended, or was too busy: whoever waits for a block says so.
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

/** A block on a busy machine. */
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
