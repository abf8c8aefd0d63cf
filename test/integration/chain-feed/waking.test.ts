import { expect } from 'chai'
import { wakeFeed } from '../../../indexer/chain-feed/wake-feed.ts'
import { createWakingReader } from '../../../indexer/chain-feed/waking-reader.ts'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import { upsertDeployment } from '../../../shared/db/chain-facts/daemon/deployments.ts'
import { putToSleep, readSleepState } from '../../../shared/db/chain-facts/daemon/sleeping.ts'
import { transferLog } from '../../support/ponder-chain.ts'
import {
  createPonderFixture,
  FAKE_USDC,
  randomAddress,
  type Stage,
  USDC,
} from '../../support/ponder-fixture.ts'

describe('a network that wakes', function () {
  this.timeout(120_000)

  let stage: Stage
  let read: (startBlock: number) => Promise<number>
  let news: number

  before(async () => {
    stage = await createPonderFixture()
    await upsertDeployment(stage.sql, { ...stage.deployment, quorum: 1 })
  })

  after(() => stage?.close())

  beforeEach(async () => {
    await stage.owner`truncate feeds, charges, transfers cascade`
    await stage.owner`update deployments set asleep_since = null, watermark_number = 0`
    news = 0
    read = createReader()
  })

  function createReader() {
    return createWakingReader({
      ...{ sql: stage.sql, deployment: stage.deployment, client: createChainClient(stage.deployment) },
      now: () => new Date(),
      onNews: () => {
        news += 1
      },
    }).read
  }

  const sleepAt = (headNumber: number) =>
    putToSleep(stage.sql, { chainId: stage.chain.chainId, headNumber, ownerEpoch: 0 })
  const schemasOf = (address: string) => stage.sql`
    select t.ponder_schema from transfers t join charges c on c.id = t.charge_id where c.address = ${address}`

  it('starts its feed `finalityBlocks` below the head of its last check', async () => {
    await sleepAt(500)
    expect(await wakeFeed(stage.sql, stage.deployment)).to.equal(470)
    expect(await stage.sql`select start_block from feeds where retired_at is null`).to.deep.equal([
      { startBlock: 470 },
    ])
    expect(await readSleepState(stage.sql, stage.chain.chainId)).to.include({
      isAsleep: false,
      isWakeRequested: false,
    })
  })

  it('starts its feed at the watermark if an older build of the daemon has applied blocks during the sleep', async () => {
    await sleepAt(500)
    await stage.owner`update deployments set watermark_number = 600`
    expect(await wakeFeed(stage.sql, stage.deployment)).to.equal(600)
  })

  it('retires the generation from before its sleep', async () => {
    await sleepAt(500)
    await wakeFeed(stage.sql, stage.deployment)
    await sleepAt(900)
    await wakeFeed(stage.sql, stage.deployment)
    expect(await stage.sql`select start_block from feeds where retired_at is null`).to.deep.equal([
      { startBlock: 870 },
    ])
  })

  it('starts no feed if it is already awake', async () => {
    expect(await wakeFeed(stage.sql, stage.deployment)).to.equal(null)
    expect(await stage.sql`select from feeds`).to.have.lengthOf(0)
  })

  it('records a payment once, without a quorum, before its Ponder runs', async () => {
    const charge = await stage.addCharge()
    await stage.pay(charge.address, 7n)
    await stage.chain.mine()
    expect(await read(0)).to.equal(await stage.chain.tip())
    await read(0)
    await createReader()(0)
    expect(await stage.transfersTo(charge.address)).to.have.lengthOf(1)
    expect(await schemasOf(charge.address)).to.deep.equal([{ ponderSchema: null }])
    expect(await stage.sql`select from transfers where agreed_at is not null`).to.have.lengthOf(0)
    expect(news).to.equal(1)
  })

  it('does not change a row that the feed has shown', async () => {
    const charge = await stage.addCharge()
    await stage.pay(charge.address, 7n)
    await stage.chain.mine()
    await read(0)
    await stage.owner`update transfers set ponder_schema = 'ponder_base', inclusion = 'missing'`
    await createReader()(0)
    expect(await schemasOf(charge.address)).to.deep.equal([{ ponderSchema: 'ponder_base' }])
    expect((await stage.transfersTo(charge.address))[0]).to.include({ inclusion: 'missing' })
  })

  it('ignores other tokens, other addresses and blocks below its start', async () => {
    const [early, charge] = [await stage.addCharge(), await stage.addCharge()]
    await stage.pay(early.address, 7n)
    await stage.chain.mine()
    await stage.chain.speak(FAKE_USDC, [transferLog({ to: charge.address, amount: 5n })])
    await stage.chain.speak(USDC, [transferLog({ to: randomAddress(), amount: 5n })], 'payer2')
    await stage.chain.mine()
    await read(await stage.chain.tip())
    expect(await stage.sql`select from transfers`).to.have.lengthOf(0)
  })
})
