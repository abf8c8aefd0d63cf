import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { requestRepair } from '../../../shared/db/chain-facts/daemon/feed-repairs.ts'
import { toTopic } from '../../../shared/domain/log-topics.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import { type PonderChain, startPonderChain } from '../../support/ponder-chain.ts'
import {
  createPonderFixture,
  createTestFeed,
  PONDER_TIMEOUT_MS,
  type Stage,
} from '../../support/ponder-fixture.ts'

const PLACE = { network: 'base', environment: 'live' } as const

/** Head of the other chain, far above the head of the feed's own chain. */
const FOREIGN_HEAD = 500

/** Runs only in `npm run test:long`. The other files of this folder test each step of a repair separately. */
describe('a feed that once followed a node of another chain', function () {
  this.timeout(3 * PONDER_TIMEOUT_MS)

  let stage: Stage
  let directory: string
  let foreign: PonderChain
  let feed: ReturnType<typeof createTestFeed> | null = null

  before(async () => {
    stage = await createPonderFixture()
    directory = await mkdtemp(join(tmpdir(), 'foreign-'))
    // This chain has our chain id, because the feed rejects a node with another chain id.
    foreign = await startPonderChain({ directory, chainId: stage.chain.chainId })
    await foreign.mine(FOREIGN_HEAD)
  })

  after(async () => {
    await feed?.stop()
    await foreign?.stop()
    await stage?.close()
    await rm(directory, { recursive: true, force: true })
  })

  /** Starts a feed whose configuration has no first block, so that it starts at the head of the node. */
  async function startFeed(rpcUrl: string) {
    await feed?.stop()
    const { startBlock: _, ...deployment } = stage.deployment
    feed = createTestFeed(stage, { deployment: { ...deployment, ...nodesAt([rpcUrl]) } })
    await feed.start()
    return feed
  }

  const headOfFeed = async () => {
    const [row] = await stage.sql<{ headNumber: number | null }[]>`select head_number from deployments`
    return row?.headNumber ?? -1
  }

  const hasLine = (msg: string) => feed?.lines.some((line) => line['msg'] === msg) ?? false

  const mends = async () => {
    const [row] = await stage.sql<{ repairCount: number }[]>`select repair_count from deployments`
    return row?.repairCount ?? 0
  }

  async function mend(fromBlock: number | null = null): Promise<void> {
    const before = await mends()
    expect(await requestRepair(stage.owner, { ...PLACE, fromBlock })).to.equal(true)
    await waitFor(async () => (await mends()) > before, {
      what: 'the repair of the feed',
      timeoutMs: PONDER_TIMEOUT_MS,
    })
  }

  it('is detected, and shows a payment of its own chain after the repair', async () => {
    await startFeed(foreign.rpcUrl)
    await waitFor(async () => (await headOfFeed()) >= FOREIGN_HEAD, {
      what: 'the feed to follow the other chain',
      timeoutMs: PONDER_TIMEOUT_MS,
    })
    await startFeed(stage.proxy.url)
    await waitFor(() => hasLine('Feed is ahead of its chain; pairs are disabled until it is repaired'), {
      what: 'the feed to be found ahead of its chain',
      timeoutMs: PONDER_TIMEOUT_MS,
    })
    const charge = await stage.addCharge()
    await stage.pay(charge.address, 5n)
    await stage.chain.mine(3)
    await mend()
    await stage.level()
    expect((await stage.transfersTo(charge.address)).map(({ inclusion }) => inclusion)).to.deep.equal([
      'included',
    ])
    const [state] =
      await stage.sql`select feed_ahead_since, repair_requested_at, repair_count from deployments`
    expect(state).to.deep.equal({ feedAheadSince: null, repairRequestedAt: null, repairCount: 1 })
  })

  it('deletes Ponder’s cache of the other chain, and uses a new schema name even if it starts at the same block', async () => {
    const before = await stage.schema()
    const [feedBefore] = await stage.sql<{ startBlock: number }[]>`
      select start_block from feeds where ponder_schema = ${before}`
    const charge = await stage.addCharge()
    await stage.pay(charge.address, 7n)
    await stage.chain.mine(100) // Ponder stores only final blocks, and finalizes them at twice its depth of 30 blocks.
    const topic = toTopic(charge.address)
    const isKept = async () =>
      (await stage.sql`select from ponder_sync.logs where topic2 = ${topic}`).length === 1
    await waitFor(isKept, { what: 'Ponder to keep the payment', timeoutMs: PONDER_TIMEOUT_MS })
    // A payment on the other chain, as Ponder stores it: under the chain id of this chain.
    const forgeries = await stage.sql`
      insert into ponder_sync.logs (chain_id, block_number, log_index, transaction_index, block_hash, transaction_hash,
        address, topic0, topic1, topic2, data)
      select chain_id, block_number, log_index + 100, transaction_index, block_hash, transaction_hash, address, topic0,
        topic1, topic2, data from ponder_sync.logs
      where chain_id = ${stage.chain.chainId} and topic2 = ${topic}
      returning log_index`
    expect(forgeries, 'stored by Ponder').to.have.length(1)
    await mend(feedBefore?.startBlock ?? 0)
    await stage.level()
    expect(await stage.schema()).not.to.equal(before)
    const paid = await stage.transfersTo(charge.address)
    expect(paid.map(({ inclusion }) => inclusion)).to.deep.equal(['included'])
  })

  it('is not repaired from a block that the chain does not have', async () => {
    const schema = await stage.schema()
    await requestRepair(stage.owner, { ...PLACE, fromBlock: 1_000_000 })
    await waitFor(() => hasLine('Rejected a feed repair: its chain does not have the start block'), {
      what: 'the rejection of the repair request',
      timeoutMs: PONDER_TIMEOUT_MS,
    })
    expect(await stage.schema()).to.equal(schema)
  })
})
