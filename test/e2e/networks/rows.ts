import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { type Environment, NETWORKS, type Network } from '../../../shared/domain/networks.ts'

/** A row of the table: a network in one environment. */
export type Row = {
  readonly network: Network
  readonly environment: Environment
  readonly name: string
  readonly confirmations: number
  /** Between two blocks; the registry's unless it is a sample. */
  readonly blockMs: number
  /** Whether the blocks are faster than the network's own. */
  readonly isHastened: boolean
}

/** Every EVM network of the registry, live ones first. TRON has a local node of another kind. */
export const ROWS: readonly Row[] = (['live', 'test'] as const).flatMap((environment) =>
  NETWORKS.filter((network) => REGISTRY[network].family === 'evm').flatMap((network) => {
    const { confirmations, [environment]: facts, live } = REGISTRY[network]
    if (facts === null) return []
    const name = environment === 'live' ? network : `${network}, test`
    return [{ network, environment, name, confirmations, blockMs: live.blockTimeMs, isHastened: false }]
  }),
)

/**
 * What runs: all of it in test:long, those of TEST_NETWORKS (`ethereum:live,bnb:live`), or a sample, which is the one whose
 * token differs most from all that other tests pay with, with blocks that come faster than its own.
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

/** A depth of 12 blocks in six seconds instead of 144. */
const SAMPLE_BLOCK_MS = 500
