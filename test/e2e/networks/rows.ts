import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { type Environment, NETWORKS, type Network } from '../../../shared/domain/networks.ts'

/** A network in one environment: a row of the table. */
export type Row = {
  readonly network: Network
  readonly environment: Environment
  readonly name: string
  readonly confirmations: number
  /** The registry's block time, except in the sample. */
  readonly blockMs: number
  /** Whether the blocks come faster than on the real network. */
  readonly isHastened: boolean
}

/** Every EVM network of the registry, live networks first. Excludes TRON, whose local node is of another kind. */
export const ROWS: readonly Row[] = (['live', 'test'] as const).flatMap((environment) =>
  NETWORKS.filter((network) => REGISTRY[network].family === 'evm').flatMap((network) => {
    const { confirmations, [environment]: facts, live } = REGISTRY[network]
    if (facts === null) return []
    const name = environment === 'live' ? network : `${network}, test`
    return [{ network, environment, name, confirmations, blockMs: live.blockTimeMs, isHastened: false }]
  }),
)

/**
 * Returns the rows to run: the rows of TEST_NETWORKS (such as `ethereum:live,bnb:live`), all rows in test:long, or a
 * sample. The sample is ethereum, whose USDT differs most from the tokens of other tests, with a shorter block time.
 */
export function rowsToRun(env: Readonly<Record<string, string | undefined>>): readonly Row[] {
  const named = env['TEST_NETWORKS']?.split(',')
  if (named !== undefined) {
    const rows = ROWS.filter(({ network, environment }) => named.includes(`${network}:${environment}`))
    if (rows.length !== named.length)
      throw new Error(`TEST_NETWORKS is ${named.join()}: must name networks as ethereum:live,base:test`)
    return rows
  }
  if (env['TEST_LONG'] === '1') return ROWS
  return ROWS.filter(({ name }) => name === 'ethereum').map((row) => ({
    ...row,
    blockMs: SAMPLE_BLOCK_MS,
    isHastened: true,
  }))
}

/** Block time of the sample, with which 12 blocks take 6 s instead of 144 s. */
const SAMPLE_BLOCK_MS = 500
