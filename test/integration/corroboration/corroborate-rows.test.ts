import { expect } from 'chai'
import { type FeedTransfer, payAndReport } from '../../support/feed-report.ts'
import { addressOf, CONFIRMATIONS, type PaidCharge, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const TEN_ATTO = 10n ** 19n
const DENIED = 'A row of the feed differs from the quorum: it does not count'
const LATE = 'A transaction still waits for a quorum two minutes after reaching depth: it does not count'
const STRANGER = addressOf(`0x${'5a'.repeat(20)}`)

describe('the corroboration of rows of the feed', () => {
  let stage: Stage
  let proxy: RpcProxy
  let charge: PaidCharge

  stageForEach(async (fresh) => {
    stage = fresh
    proxy = await startRpcProxy(stage.rpcUrl)
    charge = await stage.openCharge()
  })

  afterEach(() => proxy.stop())

  it('credits a payment only once a quorum shows it at depth', async () => {
    await payAndFeed()
    await stage.takeTurns()
    expect(await status(), 'by the feed alone').to.equal('pending')
    const { turn } = stage.corroboration([stage.rpcUrl, proxy.url])
    await turn()
    await stage.takeTurns()
    expect(await rowOf()).to.deep.include({ agreedBy: operators(), corroboratedBlockHash: null })
    expect(await status(), 'above its depth').to.equal('pending')
    await deepen()
    await turn()
    await stage.takeTurns()
    expect(await status()).to.equal('confirmed')
  })

  it('credits a payment as soon as it is at depth, even if the nodes were last queried shortly before', async () => {
    await payAndFeed()
    const { turn } = stage.corroboration([stage.rpcUrl, proxy.url])
    await turn()
    await stage.mine(CONFIRMATIONS - 1)
    await stage.moveFeed()
    await turn()
    await stage.takeTurns()
    expect(await status()).to.equal('confirmed')
  })

  it('does not count a row while the second node is silent for 299 s, and raises one alert', async () => {
    await payAndFeed()
    await deepen()
    proxy.rule((method) => (method === 'eth_getTransactionReceipt' ? 'error' : 'pass'))
    const { turn, alerts } = stage.corroboration([stage.rpcUrl, proxy.url])
    for (const seconds of [0, 60, 59, 60, 60, 60]) {
      stage.advance(seconds)
      await turn()
      await stage.takeTurns()
      expect(await status()).to.equal('pending')
    }
    expect(alerts()).to.deep.equal([LATE])
    proxy.rule(() => 'pass')
    stage.advance(60)
    await turn()
    await stage.takeTurns()
    expect(await status()).to.equal('confirmed')
  })

  it('does not count a row that only nodes of one operator show', async () => {
    await payAndFeed()
    await deepen()
    const { turn } = stage.corroboration([stage.rpcUrl, stage.rpcUrl])
    await turn()
    await stage.takeTurns()
    expect(await status()).to.equal('pending')
    expect(await rowOf()).to.include({ agreedBy: null })
  })

  it('raises one alert per waiting transaction while the second node is down', async () => {
    await payAndFeed()
    await payAndFeed({}, await stage.openCharge())
    await deepen()
    proxy.rule(() => 'error')
    const { turn, alerts, verdicts } = stage.corroboration([stage.rpcUrl, proxy.url])
    await turn()
    expect(verdicts(), 'a verdict for each').to.deep.equal(['waiting', 'waiting'])
    expect(alerts()).to.deep.equal([])
    for (const seconds of [130, 60, 60]) {
      stage.advance(seconds)
      await turn()
    }
    expect(alerts()).to.deep.equal([LATE, LATE])
  })

  it('raises an alert for a row that a quorum showed before depth, but that no quorum shows at depth', async () => {
    await payAndFeed()
    const { turn, alerts } = stage.corroboration([stage.rpcUrl, proxy.url])
    await turn()
    await deepen()
    proxy.rule(() => 'error')
    stage.advance(130)
    await turn()
    expect(alerts()).to.deep.equal([LATE])
  })

  it('raises an alert for a waiting row even if the feed reports a future block time', async () => {
    await payAndFeed({ blockTimestamp: 4_000_000_000 })
    await deepen()
    proxy.rule(() => 'error')
    stage.advance(130)
    const { turn, alerts } = stage.corroboration([stage.rpcUrl, proxy.url])
    await turn()
    expect(alerts()).to.deep.equal([LATE])
  })

  it('does not count a row while two nodes show different amounts, and uses the amount that two of three show', async () => {
    await payAndFeed()
    await deepen()
    proxy.rule(async (method, params) => {
      if (method !== 'eth_getTransactionReceipt') return 'pass'
      const receipt = (await stage.node.request({ method, params } as never)) as { logs: object[] }
      return {
        result: { ...receipt, logs: receipt.logs.map((log) => ({ ...log, data: `0x${'0'.repeat(63)}1` })) },
      }
    })
    await stage.corroboration([stage.rpcUrl, proxy.url]).turn()
    await stage.takeTurns()
    expect(await status()).to.equal('pending')
    await stage.corroboration([proxy.url, stage.rpcUrl, sameNode()]).turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: TEN_ATTO })
  })

  const LIES: Readonly<Record<string, Partial<FeedTransfer>>> = {
    'another amount': { value: 1n },
    'another sender': { sender: STRANGER },
    'another time': { blockTimestamp: 4_000_000_000 },
  }
  for (const [title, lie] of Object.entries(LIES))
    it(`credits a payment as the chain shows it if the feed reports ${title}`, async () => {
      const truth = await payAndFeed(lie)
      expect(await contentOf()).to.not.deep.equal(truth)
      await deepen()
      await stage.corroboration([stage.rpcUrl, proxy.url]).turn()
      await stage.takeTurns()
      expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: TEN_ATTO })
      expect(await contentOf()).to.deep.equal(truth)
    })

  it('orphans a payment that the feed invents in a real transaction, and raises an alert', async () => {
    const other = await stage.openCharge()
    await payAndFeed({}, other)
    await deepen()
    const { turn, alerts } = stage.corroboration([stage.rpcUrl, proxy.url])
    await turn()
    await stage.takeTurns()
    expect(await rowOf(other)).to.include({ inclusion: 'orphaned', isDenied: true, agreedBy: null })
    expect(alerts()).to.deep.equal([DENIED])
    expect(await status(other)).to.equal('pending')
    expect(await status(), 'the charge that was paid').to.equal('confirmed')
  })

  it('does not deny a row before it is at depth, because a node might lag', async () => {
    const other = await stage.openCharge()
    await payAndFeed({}, other)
    await stage.corroboration([stage.rpcUrl, proxy.url]).turn()
    expect(await rowOf(other)).to.include({ inclusion: 'included', isDenied: false })
  })

  it('marks a row without a feed as missing if a reorganization removes it after a quorum has shown it', async () => {
    const before = await stage.node.snapshot()
    await payAndFeed()
    await stage.sql`update transfers set ponder_schema = null`
    const { turn, alerts } = stage.corroboration([stage.rpcUrl, proxy.url])
    await turn()
    expect(await rowOf()).to.include({ inclusion: 'included', isDenied: false })
    await stage.node.revert({ id: before })
    await stage.mine(1)
    await deepen()
    await turn()
    expect(await rowOf()).to.include({ inclusion: 'missing', isDenied: false })
    expect(alerts()).to.deep.equal([])
  })

  it('treats a node as silent if it lists a transaction but has lost its receipt', async () => {
    await payAndFeed()
    await deepen()
    proxy.rule((method) => (method === 'eth_getTransactionReceipt' ? { result: null } : 'pass'))
    await stage.corroboration([proxy.url, stage.rpcUrl]).turn()
    expect(await rowOf()).to.include({ inclusion: 'included', isDenied: false, agreedBy: null })
  })

  it('checks the block of a row again at depth, even if a quorum showed the row when it was detected', async () => {
    await payAndFeed()
    const { turn } = stage.corroboration([stage.rpcUrl, proxy.url])
    await turn()
    await deepen()
    await stage.sql`update transfers set block_hash = ${`0x${'0f'.repeat(32)}`}`
    proxy.rule((method) => (method === 'eth_getTransactionReceipt' ? 'error' : 'pass'))
    stage.advance(60)
    await turn()
    await stage.takeTurns()
    expect(await status()).to.equal('pending')
  })

  /**
   * Pays 10 dollars to the charge on chain. The feed reports the payment with the changes in `lie`, and for the charge
   * `fed`.
   */
  async function payAndFeed(lie: Partial<FeedTransfer> = {}, fed: PaidCharge = charge) {
    return (await payAndReport(stage, charge, { lie, fed })).truth
  }

  async function contentOf() {
    const [row] = await stage.sql`
      select sender, value_atomic, block_timestamp from transfers where inclusion = 'included'`
    return row
  }

  async function deepen(): Promise<void> {
    await stage.mine(CONFIRMATIONS)
    await stage.moveFeed()
    stage.advance(1)
  }

  function operators(): readonly string[] {
    return [stage.rpcUrl, proxy.url].map((url) => new URL(url).host)
  }

  /** Returns the fixture's node under another host name, which counts as a third operator. */
  function sameNode(): string {
    return stage.rpcUrl.replace('127.0.0.1', 'localhost')
  }

  async function status(of: PaidCharge = charge): Promise<string> {
    return (await stage.chargeOf(of)).status
  }

  async function rowOf({ chargeId }: PaidCharge = charge) {
    const [row] = await stage.sql<
      {
        inclusion: string
        isDenied: boolean
        agreedBy: string[] | null
        corroboratedBlockHash: string | null
      }[]
    >`
      select inclusion, coalesce(denied_block_hash = block_hash, false) as is_denied, agreed_by, corroborated_block_hash
      from transfers where charge_id = ${chargeId}`
    return row
  }
})
