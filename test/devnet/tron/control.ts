import type { Hex } from 'viem'

import type { TronChain } from './tron-chain.ts'

type Body = Readonly<Record<string, unknown>>

/** Above the blocks that any test waits for, and few enough not to keep the node busy. */
const MAX_BLOCKS = 1_000

/** What a test does to a chain in another process, which no real node lets anybody do. */
export const CONTROL_METHODS: Readonly<Record<string, (chain: TronChain, body: Body) => Promise<object>>> = {
  mine: async (chain, { blocks = 1 }) => {
    for (let left = Math.min(Number(blocks), MAX_BLOCKS); left > 0; left -= 1) await chain.mine()
    return headOf(chain)
  },
  fork: async (chain, { depth, without, later }) => {
    const left = ((without ?? []) as readonly string[]).map((id): Hex => `0x${id.replace(/^0x/, '')}`)
    await chain.fork({ depth: Number(depth), without: left, later: later === true })
    return headOf(chain)
  },
  habits: async ({ habits }, body) => {
    const { refusedPercent, lagBlocks, drops, hasNullFields, standsStill } = { ...habits, ...body }
    const changed = { refusedPercent, lagBlocks, drops, hasNullFields, standsStill }
    Object.assign(habits, changed)
    return changed
  },
}

function headOf(chain: TronChain): object {
  const { number, hash } = chain.head()
  return { number, hash }
}
