import { expect } from 'chai'
import { endNodeTrusts, insertNodeTrust } from '../../../shared/db/chain-facts/daemon/node-trusts.ts'
import { randomHex } from '../../support/factories.ts'
import { type FeedTransfer, payAndReport, report } from '../../support/feed-report.ts'
import { CONFIRMATIONS, type PaidCharge, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const TEN_ATTO = 10n ** 19n
const DENIED = 'A row of the feed differs from the quorum: it does not count'
const COUNTED_DENIED = 'A row that counted is denied by a quorum: see npm run charges -- strike'
const BASE = { network: 'base', environment: 'live' } as const

describe('a row that counts on the report of one node, or that changes after a quorum has shown it', () => {
  let stage: Stage
  let proxy: RpcProxy
  let charge: PaidCharge

  stageForEach(async (fresh) => {
    stage = fresh
    proxy = await startRpcProxy(stage.rpcUrl)
    charge = await stage.openCharge()
  })

  afterEach(() => proxy.stop())

  it('is credited as the chain shows it, even if the feed moves it to another block with another amount', async () => {
    const { transfer } = await payAndReport(stage, charge)
    const { turn } = stage.corroboration(nodes())
    await turn()
    expect(await votesOf()).to.deep.equal(operators())
    await stage.mine()
    const { hash: blockHash, number, timestamp } = await stage.node.getBlock()
    const place = { blockHash, blockNumber: Number(number), blockTimestamp: Number(timestamp) }
    await report(stage, charge, { ...transfer, ...place, value: 1n })
    await deepen()
    await turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: TEN_ATTO })
  })

  it('stays included until its block is at depth, even if a quorum denies its invented transaction', async () => {
    const { transfer } = await payAndReport(stage, charge)
    const other = await stage.openCharge()
    const invented = { ...transfer, txHash: randomHex(32), recipient: other.splitAddress }
    await report(stage, other, invented)
    const { turn, alerts } = stage.corroboration(nodes())
    await turn()
    expect(await inclusionOf(other)).to.equal('included')
    await deepen()
    await turn()
    expect(await inclusionOf(other)).to.equal('orphaned')
    expect(alerts()).to.deep.equal([DENIED])
  })

  it('gets the votes of the quorum that verifies it later', async () => {
    await payAndReport(stage, charge)
    await deepen()
    await countOn('before-quorum')
    await stage.corroboration(nodes()).turn()
    expect(await votesOf()).to.deep.equal(operators())
  })

  it('gets no votes from a quorum that shows another amount', async () => {
    await payAndReport(stage, charge, { lie: { value: 1n } })
    await deepen()
    await countOn('before-quorum')
    await stage.corroboration(nodes()).turn()
    expect(await votesOf()).to.equal(null)
  })

  it('is orphaned with an alert if a quorum denies it, and the charge stays confirmed', async () => {
    const other = await stage.openCharge()
    await payAndReport(stage, charge, { fed: other })
    await deepen()
    await countOn('before-quorum')
    const { turn, alerts } = stage.corroboration(nodes())
    await turn()
    expect(await inclusionOf(other)).to.equal('orphaned')
    expect(alerts()).to.deep.equal([COUNTED_DENIED])
    expect(await stage.chargeOf(other)).to.include({ status: 'confirmed' })
  })

  it('is verified within three turns, even if no quorum shows ten others with lower hashes', async () => {
    await payAndReport(stage, charge)
    for (let others = 0; others < 10; others += 1) await payAndReport(stage, await stage.openCharge())
    await deepen()
    await mark('before-quorum', true)
    await stage.takeTurns()
    const paid = await stage.sql<{ txHash: string }[]>`select tx_hash from transfers order by tx_hash`
    const highest = paid.at(-1)?.txHash
    proxy.rule((method, [txHash]) =>
      method === 'eth_getTransactionReceipt' && txHash !== highest ? 'error' : 'pass',
    )
    const { turn } = stage.corroboration(nodes())
    for (let turns = 0; turns < 3; turns += 1) {
      await turn()
      stage.advance(30)
    }
    const verified = await stage.sql`select tx_hash from transfers where agreed_by = ${operators()}`
    expect(verified.map((row) => row['txHash'])).to.deep.equal([highest])
  })

  it('is verified in the next turn if no quorum showed a confirmed head when it was queried', async () => {
    for (let rows = 0; rows < 6; rows += 1) await payAndReport(stage, await stage.openCharge())
    await deepen()
    await mark('before-quorum', true)
    await stage.takeTurns()
    const { turn } = stage.corroboration(nodes())
    proxy.rule((method) => (method === 'eth_getBlockByNumber' ? 'error' : 'pass'))
    await turn()
    const verified = () => stage.sql`select from transfers where agreed_by = ${operators()}`
    expect(await verified()).to.have.length(0)
    proxy.rule(() => 'pass')
    stage.advance(30)
    await turn()
    expect(await verified()).to.have.length(5)
  })

  it('keeps its credit and is orphaned, with one alert, if the charge does not accept its pair', async () => {
    const refusing = await stage.openCharge({ acceptedPayments: ['USDT/base'] })
    await payAndReport(stage, refusing)
    await deepen()
    await countOn('before-quorum')
    const { turn, alerts } = stage.corroboration(nodes())
    for (let turns = 0; turns < 3; turns += 1) {
      await turn()
      stage.advance(60)
    }
    expect(await inclusionOf(refusing)).to.equal('orphaned')
    expect(alerts()).to.deep.equal([COUNTED_DENIED])
    expect(await stage.chargeOf(refusing)).to.include({ status: 'confirmed', receivedAtto: TEN_ATTO })
  })

  it('is denied with one alert only, even if two scans list its log again', async () => {
    const refusing = await stage.openCharge({ acceptedPayments: ['USDT/base'] })
    await payAndReport(stage, refusing)
    await deepen()
    await countOn('before-quorum')
    const said: unknown[] = []
    for (let scans = 0; scans < 3; scans += 1) {
      await stage.sql`update reconciliations set scanned_block_number = 0`
      const { lines } = await stage.reconcile()
      said.push(...lines.filter(({ level }) => level === 'error' || level === 'warn').map(({ msg }) => msg))
      if (scans === 0) await stage.corroboration(nodes()).turn()
    }
    expect(await inclusionOf(refusing)).to.equal('orphaned')
    expect(said).to.deep.equal([])
  })

  it('is included again by a scan once a quorum shows it as the ledger has it', async () => {
    await payAndReport(stage, charge)
    await deepen()
    await countOn('before-quorum')
    await stage.sql`update transfers set inclusion = 'orphaned', denied_block_hash = block_hash`
    await stage.sql`update reconciliations set scanned_block_number = 0`
    await stage.reconcile()
    expect(await inclusionOf(charge)).to.equal('included')
  })

  it('returns to its block with the votes of a quorum after the feed has moved it to a block of a fork', async () => {
    const { transfer, turn, alerts } = await payAndCount()
    await moveToFork(transfer, 1)
    expect(await onlyRow()).to.deep.include({
      blockNumber: transfer.blockNumber + 1,
      agreedBy: null,
      isDeep: false,
    })
    // No feed reports the row again: the watermark has passed its block.
    await turn()
    await stage.takeTurns()
    const { blockNumber, blockHash } = transfer
    expect(await onlyRow()).to.deep.equal({ blockNumber, blockHash, agreedBy: operators(), isDeep: true })
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: TEN_ATTO })
    expect(alerts()).to.deep.equal([])
  })

  it('is verified again only once the block that it has moved to is at confirmation depth', async () => {
    const { transfer, turn } = await payAndCount()
    await moveToFork(transfer, CONFIRMATIONS)
    await turn()
    expect(await votesOf()).to.equal(null)
    await deepen()
    await turn()
    expect(await votesOf()).to.deep.equal(operators())
  })

  it('is orphaned with one alert if the feed has moved it and no block contains it, and the charge stays confirmed', async () => {
    const before = await stage.node.snapshot()
    const { transfer, turn, alerts } = await payAndCount()
    await stage.node.revert({ id: before })
    await moveToFork(transfer, 1)
    for (let turns = 0; turns < 3; turns += 1) {
      await deepen()
      await turn()
      await stage.takeTurns()
    }
    expect(await inclusionOf(charge)).to.equal('orphaned')
    expect(alerts()).to.deep.equal([COUNTED_DENIED])
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: TEN_ATTO })
  })

  it('counts on the report of a trusted node while the operator’s order is in force', async () => {
    await insertNodeTrust(stage.sql, { ...BASE, node: 'one', seconds: 60, reason: 'a test' })
    await payAndReport(stage, charge)
    await deepen()
    await countOn('trusted:one')
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
  })

  for (const [when, isDeep] of [
    ['before confirmation depth', false],
    ['at confirmation depth', true],
  ] as const)
    it(`needs a quorum once the trust in the node that showed it ${when} has ended`, async () => {
      await insertNodeTrust(stage.sql, { ...BASE, node: 'one', seconds: 60, reason: 'a test' })
      await payAndReport(stage, charge)
      await mark('trusted:one', isDeep)
      await endNodeTrusts(stage.sql, BASE)
      await deepen()
      await stage.takeTurns()
      expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
      await stage.corroboration(nodes()).turn()
      await stage.takeTurns()
      expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
      expect(await votesOf()).to.deep.equal(operators())
    })

  it('needs the larger quorum if the quorum is raised before the row is credited', async () => {
    await payAndReport(stage, charge)
    await mark('one', true)
    await stage.sql`update deployments set quorum = 2`
    await deepen()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    await stage.corroboration(nodes()).turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
    expect(await votesOf()).to.deep.equal(operators())
  })

  /** Pays the charge, and credits the payment with the votes of a quorum. */
  async function payAndCount() {
    const { transfer } = await payAndReport(stage, charge)
    await deepen()
    const corroboration = stage.corroboration(nodes())
    await corroboration.turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
    return { transfer, ...corroboration }
  }

  /** Records the transfer as a feed does that follows a fork, which includes the transfer this many blocks later. */
  async function moveToFork(transfer: FeedTransfer, blocks: number): Promise<void> {
    const blockNumber = transfer.blockNumber + blocks
    await report(stage, charge, { ...transfer, blockNumber, blockHash: randomHex(32) })
    stage.advance(60)
  }

  async function onlyRow() {
    const [row, ...others] = await stage.sql`
      select block_number, block_hash, agreed_by, coalesce(corroborated_block_hash = block_hash, false) as is_deep
      from transfers`
    expect(others).to.deep.equal([])
    return { ...row }
  }

  /**
   * Gives the row this only vote, and lets its charge credit the row. `before-quorum` is the vote of rows that counted
   * before quorums existed.
   */
  async function countOn(vote: string): Promise<void> {
    await mark(vote, true)
    await stage.takeTurns()
    expect(await stage.sql`select from transfers where credited_at is not null`).to.have.length(1)
  }

  async function mark(vote: string, isDeep: boolean): Promise<void> {
    await stage.sql`
      update transfers set agreed_at = now(), agreed_by = ${[vote]},
        corroborated_block_hash = case when ${isDeep} then block_hash end`
  }

  async function deepen(): Promise<void> {
    await stage.mine(CONFIRMATIONS)
    await stage.moveFeed()
    stage.advance(60)
  }

  function nodes(): readonly string[] {
    return [stage.rpcUrl, proxy.url]
  }

  function operators(): readonly string[] {
    return nodes().map((url) => new URL(url).host)
  }

  async function votesOf({ chargeId }: PaidCharge = charge): Promise<readonly string[] | null | undefined> {
    const [row] = await stage.sql<{ agreedBy: string[] | null }[]>`
      select agreed_by from transfers where charge_id = ${chargeId}`
    return row?.agreedBy
  }

  async function inclusionOf({ chargeId }: PaidCharge): Promise<string | undefined> {
    const [row] = await stage.sql<{ inclusion: string }[]>`
      select inclusion from transfers where charge_id = ${chargeId}`
    return row?.inclusion
  }
})
