import { readFile, rm, writeFile } from 'node:fs/promises'
import { type PonderChain, startPonderChain } from '../support/ponder-chain.ts'
import { USDC } from '../support/ponder-fixture.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import {
  backfill,
  FILTERED_CONFIG,
  fillChain,
  PONDER_ROOT,
  perSecond,
  TRANSFERS_PER_BLOCK,
} from './backfill.ts'
import { type BenchOptions, resize } from './bench.ts'
import { type Comparison, compare } from './compare.ts'

const BLOCKS = 1_000
const UNFILTERED_CONFIG = 'bench-unfiltered.config.ts'

/**
 * Compares how fast 100,000 transfers of a token, of which 0.1 % pay charges, are indexed by Ponder with our transport,
 * by Ponder without it, and by a loop that only fetches the logs block by block.
 *
 * Ponder's time lasts from its start with an empty database until Ponder is ready.
 */
export async function benchIndexing(options: BenchOptions): Promise<readonly Comparison[]> {
  const directory = await temporaryDirectory('bench-indexing')
  const blocks = resize(BLOCKS, options)
  const transfers = blocks * TRANSFERS_PER_BLOCK
  const chain = await startPonderChain({ directory })
  try {
    const charges = await fillChain(chain, blocks)
    await writeFile(`${PONDER_ROOT}/${UNFILTERED_CONFIG}`, await unfilteredConfig())
    const rate = (work: () => Promise<void>) => perSecond(transfers, work)
    const ours = () => rate(() => backfill({ chain, charges, transfers, config: FILTERED_CONFIG }))
    const repetitions = Math.min(options.repetitions, 3)
    const unfiltered = await compare({
      ...{
        name: `index ${transfers} transfers, 0.1 % ours / Ponder without our filter`,
        aim: 1,
        repetitions,
      },
      ours,
      yardstick: () => rate(() => backfill({ chain, charges, transfers, config: UNFILTERED_CONFIG })),
    })
    const raw = await compare({
      // The target is low because the loop stores nothing, while Ponder needs 3 s to start and requests 20 blocks per
      // second.
      ...{ name: `index ${transfers} transfers, 0.1 % ours / a loop of getLogs`, aim: 0.5, repetitions },
      ours,
      yardstick: () => rate(() => fetchLogs(chain, transfers)),
    })
    return [unfiltered, raw]
  } finally {
    await rm(`${PONDER_ROOT}/${UNFILTERED_CONFIG}`, { force: true })
    await chain.stop()
  }
}

async function unfilteredConfig(): Promise<string> {
  const text = await readFile(`${PONDER_ROOT}/${FILTERED_CONFIG}`, 'utf8')
  const changed = text.replace(/rpc: createFilterTransport\(.*\)(?=,\n)/, 'rpc: [...feed.rpcUrls]')
  if (changed === text) throw new Error('ponder.config.ts no longer sets rpc: createFilterTransport(…)')
  return changed
}

/** Fetches the token's logs block by block with one request at a time, like a simple script. */
async function fetchLogs({ node }: PonderChain, transfers: number): Promise<void> {
  const tip = await node.getBlockNumber()
  let found = 0
  for (let block = 0n; block <= tip; block += 1n) {
    found += (await node.getLogs({ address: USDC, fromBlock: block, toBlock: block })).length
  }
  if (found !== transfers) throw new Error(`the loop found ${found} logs`)
}
