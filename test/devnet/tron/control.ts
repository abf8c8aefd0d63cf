import type { Hex } from 'viem'

import type { TronChain } from './tron-chain.ts'

type Body = Readonly<Record<string, unknown>>

/** Maximum blocks per request: more than any test needs, but few enough not to block the node for long. */
const MAX_BLOCKS = 1_000

/** Methods with which a test controls a chain in another process. Real nodes lack them. */
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
