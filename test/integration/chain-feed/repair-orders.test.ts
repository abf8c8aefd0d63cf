import { expect } from 'chai'
import { createPublicClient, custom, numberToHex } from 'viem'
import { foundry } from 'viem/chains'
import { repairFeed } from '../../../indexer/chain-feed/repair-feed.ts'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import { findRepairOrder, requestRepair } from '../../../shared/db/chain-facts/daemon/feed-repairs.ts'
import { chainAt } from '../../support/chain-at.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'

const CHAIN_ID = 8453
const PLACE = { network: 'base', environment: 'live' } as const
const HEAD = 100

/** The feed's node has `HEAD` as its last block. No Ponder runs; `stops` counts the calls of `stopPonder`. */
describe('an order to repair a feed', () => {
  let database: TestDatabase
  let stops: number

  before(async () => {
    database = await createTestDatabase()
  })

  beforeEach(async () => {
    stops = 0
    await database.sql`truncate deployments, feeds cascade`
    await database.sql`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, watermark_number)
      values (${CHAIN_ID}, 'base', 'live', 'evm', 3, 1000, 500)`
  })

  after(() => database?.drop())

  it('is rejected and deleted for a block above every node’s head', async () => {
    const { msgs } = await carryOut({ fromBlock: HEAD + 1 })
    expect(msgs).to.deep.equal(['Rejected a feed repair: its chain does not have the start block'])
    expect(await feed()).to.deep.equal({ repairCount: 0, watermarkNumber: 500 })
    expect(stops, 'Ponder keeps running').to.equal(0)
    expect(await findRepairOrder(database.sql, CHAIN_ID)).to.equal(null)
  })

  it('is executed if its block is the head itself', async () => {
    await carryOut({ fromBlock: HEAD })
    expect(await feed()).to.deep.equal({ repairCount: 1, watermarkNumber: HEAD })
    expect(stops).to.equal(1)
  })

  it('starts at the lowest first block of any feed if it names no block, and ignores first blocks above the head', async () => {
    await watchFrom([HEAD + 1, HEAD - 20])
    await carryOut({ fromBlock: null })
    expect(await feed()).to.deep.equal({ repairCount: 1, watermarkNumber: HEAD - 20 })
  })

  it('starts at the configured first block if it names no block and the first block of every feed is above the head', async () => {
    await watchFrom([HEAD + 1])
    await carryOut({ fromBlock: null, startBlock: HEAD - 30 })
    expect(await feed()).to.deep.equal({ repairCount: 1, watermarkNumber: HEAD - 30 })
  })

  it('starts at a block older than the first feed if it names no block and every other first block is above the head', async () => {
    await watchFrom([HEAD + 1])
    const { from } = await carryOut({ fromBlock: null, startBlock: HEAD + 2 })
    expect(from).to.be.within(0, HEAD)
    expect(await feed()).to.deep.equal({ repairCount: 1, watermarkNumber: from })
  })

  it('stays pending if it replaces an order while that order is rejected', async () => {
    await carryOut({ fromBlock: HEAD + 1, replacedBy: null })
    expect(await findRepairOrder(database.sql, CHAIN_ID)).to.deep.equal({ fromBlock: null })
  })

  it('stays pending if it replaces an order while that order is executed', async () => {
    await carryOut({ fromBlock: HEAD, replacedBy: HEAD - 20 })
    expect(await feed()).to.deep.equal({ repairCount: 1, watermarkNumber: HEAD })
    expect(await findRepairOrder(database.sql, CHAIN_ID)).to.deep.equal({ fromBlock: HEAD - 20 })
  })

  /** Executes an order. Another order from the block `replacedBy` is recorded once the head has been queried. */
  async function carryOut(order: {
    readonly fromBlock: number | null
    readonly startBlock?: number
    readonly replacedBy?: number | null
  }) {
    const { fromBlock, startBlock, replacedBy } = order
    await requestRepair(database.sql, { ...PLACE, fromBlock })
    const sql = connectForTest(database.url.daemon)
    const { log, lines } = recordingLog()
    const client = chainOf(HEAD, async () => {
      if (replacedBy !== undefined) await requestRepair(database.sql, { ...PLACE, fromBlock: replacedBy })
    })
    const chain = chainAt(['http://node.test'], { chainId: CHAIN_ID, connect: () => client })
    await repairFeed(
      {
        ...{ sql, client, chain, log },
        deployment: {
          chainId: CHAIN_ID,
          ...(startBlock !== undefined && { startBlock }),
        },
        stopPonder: () => {
          stops += 1
          return Promise.resolve()
        },
      },
      { fromBlock },
    )
    await sql.end()
    return { msgs: lines.map(({ msg }) => msg), from: lines.at(-1)?.['from_block'] }
  }

  /** Inserts feeds with these first blocks, created an hour ago. */
  async function watchFrom(startBlocks: readonly number[]): Promise<void> {
    for (const [at, startBlock] of startBlocks.entries())
      await database.sql`
        insert into feeds (chain_id, ponder_schema, emitters, start_block, created_at)
        values (${CHAIN_ID}, ${`schema_${at}`}, '{}', ${startBlock}, now() - interval '1 hour')`
  }

  async function feed() {
    const [row] = await database.sql`select repair_count, watermark_number from deployments`
    return row
  }
})

/**
 * Returns a client of a chain with one block per minute, whose last block was created now.
 *
 * @param onHead - runs before the response with the head
 */
function chainOf(head: number, onHead: () => Promise<void>): ChainClient {
  const request = async ({
    method,
    params,
  }: {
    readonly method: string
    readonly params?: readonly unknown[]
  }) => {
    if (method === 'eth_chainId') return numberToHex(CHAIN_ID)
    if (method === 'eth_blockNumber') {
      await onHead()
      return numberToHex(head)
    }
    const [tag] = params ?? []
    const number = tag === 'latest' ? head : Number(tag)
    const timestamp = Math.floor(Date.now() / 1000) - 60 * (head - number)
    return { number: numberToHex(number), timestamp: numberToHex(timestamp), transactions: [] }
  }
  const transport = custom({ request }, { retryCount: 0 })
  return createPublicClient({ chain: foundry, transport }) as ChainClient
}
