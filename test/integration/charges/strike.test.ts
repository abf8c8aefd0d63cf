import { expect } from 'chai'
import { carryOutStrikes } from '../../../indexer/charges/strike-loop.ts'
import { createTurnFailureTracker } from '../../../indexer/charges/turn-failure-tracker.ts'
import { createChainSources } from '../../../indexer/corroboration/chain-sources.ts'
import { listTimeline } from '../../../shared/db/charges/api/timeline.ts'
import {
  countDeniedRows,
  insertStrikes,
  listStrikeResults,
  type StrikeKind,
} from '../../../shared/db/charges/daemon/strikes.ts'
import { chainAt } from '../../support/chain-at.ts'
import { MINIMUM_PAYOUT } from '../../support/factories.ts'
import { payAndReport } from '../../support/feed-report.ts'
import { inventedDistribution, inventedTransfer, letLieCount } from '../../support/lying-node.ts'
import {
  CONFIRMATIONS,
  connectChain,
  GRACE_SECONDS,
  type PaidCharge,
  type Stage,
  watchedDeployment,
} from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { connectForTest } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

/**
 * Timeout of a request to a node. It is long, because the daemon rejects an order while a node is silent, and a node on
 * a busy machine is only slow.
 */
const NODE_TIMEOUT_MS = 30_000
const TEN = 10_000_000n
const TEN_ATTO = 10n ** 19n

describe('striking counted rows that every node denies', () => {
  let stage: Stage
  let proxy: RpcProxy
  let charge: PaidCharge
  let other: PaidCharge

  stageForEach(async (fresh) => {
    stage = fresh
    proxy = await startRpcProxy(stage.rpcUrl)
    charge = await stage.openCharge()
    other = await stage.openCharge()
  })

  afterEach(() => proxy.stop())

  describe('an invented payment', () => {
    beforeEach(async () => {
      await mint(other)
      await letLieCount(stage, proxy, { charge, logs: [inventedTransfer(stage, charge, 3n * TEN)] })
      expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: 3n * TEN_ATTO })
    })

    it('is removed from every sum, and the charge keeps its status', async () => {
      expect(await strike('transfer')).to.deep.equal(['struck', null])
      expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: 0n })
      expect(await moneyOf()).to.deep.equal({
        ...{
          isOverpaid: false,
          paidWith: [],
          creditedAtomic: 0n,
          settlementAtomic: 0n,
          distributedAtomic: 0n,
        },
        ...{ credits: 0, searched: 0 },
      })
    })

    it('is no longer paid out, and the strike appends no event', async () => {
      const before = await eventsOf()
      await strike('transfer')
      await stage.takeTurns()
      stage.advance(GRACE_SECONDS)
      await stage.cast().turn()
      const { id, status } = await stage.payoutOf(charge)
      expect(status).to.equal('completed')
      expect((await stage.relayerTransactions()).filter(({ payoutId }) => payoutId === id)).to.deep.equal([])
      expect(await eventsOf()).to.deep.equal(before)
    })

    it('is marked in the timeline of its charge', async () => {
      await strike('transfer')
      const entries = await timeline()
      expect(entries).to.have.length(1)
      expect(entries[0]).to.include({
        type: 'transaction.detected',
        doubt: 'struck',
        amountAtto: 3n * TEN_ATTO,
      })
      expect(entries[0]?.struckAt).to.be.instanceOf(Date)
      expect(entries[0]?.creditedAt).to.be.instanceOf(Date)
    })

    it('causes only one charge.overpaid event, even if the charge is overpaid again after the strike', async () => {
      await strike('transfer')
      await mint(charge, 2n * TEN)
      await stage.mine(CONFIRMATIONS)
      await stage.reconcile()
      await stage.takeTurns()
      expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: 2n * TEN_ATTO })
      expect((await eventsOf()).filter((type) => type === 'charge.overpaid')).to.have.length(1)
    })

    it('is not struck while one node is silent, and the response names that node', async () => {
      const dead = 'http://127.0.0.1:1'
      const [outcome, answer] = await strike('transfer', [stage.rpcUrl, sameNode(), dead])
      expect(outcome).to.equal('refused')
      expect(answer).to.include('no response from 127.0.0.1:1')
      expect(await stage.chargeOf(charge)).to.include({ receivedAtto: 3n * TEN_ATTO })
    })

    it('is not struck while one node shows it, and the response names that node', async () => {
      const [outcome, answer] = await strike('transfer', [stage.rpcUrl, sameNode(), proxy.url])
      expect(outcome).to.equal('refused')
      expect(answer).to.equal(`the row is shown by ${new URL(proxy.url).host}`)
      expect(await stage.chargeOf(charge)).to.include({ receivedAtto: 3n * TEN_ATTO })
    })

    it('is not struck while one node lists its transaction but has lost the receipt', async () => {
      proxy.rule((method) => (method === 'eth_getTransactionReceipt' ? { result: null } : 'pass'))
      const [outcome, answer] = await strike('transfer', [stage.rpcUrl, sameNode(), proxy.url])
      expect(outcome).to.equal('refused')
      expect(answer).to.include(`no response from ${new URL(proxy.url).host}`)
    })

    it('is not struck while one node shows another block at its height', async () => {
      proxy.rule(async (method, params) => {
        if (method !== 'eth_getBlockByNumber' || params[0] === 'latest') return 'pass'
        const block = await stage.node.request({ method, params } as never)
        return { result: { ...(block as object), hash: `0x${'0f'.repeat(32)}` } }
      })
      const [outcome, answer] = await strike('transfer', [stage.rpcUrl, sameNode(), proxy.url])
      expect(outcome).to.equal('refused')
      expect(answer).to.include(`of ${new URL(proxy.url).host} differs from the quorum's`)
    })

    it('is not struck while its charge is quarantined', async () => {
      await stage.sql`update charges set quarantined_at = now() where id = ${charge.chargeId}`
      const [outcome, answer] = await strike('transfer')
      expect(outcome).to.equal('refused')
      expect(answer).to.include('is quarantined: release it first')
    })

    it('is not struck by the daemon without an operator’s order', async () => {
      const [row] = await stage.sql<
        { id: number }[]
      >`select id from transfers where charge_id = ${charge.chargeId}`
      expect(await stage.daemonSql`select * from strike_row(1)`).to.have.length(0)
      const failure = await stage.daemonSql`delete from transfers where id = ${row?.id ?? 0}`.catch(
        ({ code }: { code: string }) => code,
      )
      expect(failure).to.equal('42501')
    })

    it('is not struck by an order that is already decided', async () => {
      const { rowId } = await targetOf('transfer')
      const orderId = await order('transfer', rowId)
      await stage.sql`update strike_orders set decided_at = now(), outcome = 'refused'`
      expect(await stage.daemonSql`select * from strike_row(${orderId})`).to.have.length(0)
      expect(await stage.chargeOf(charge)).to.include({ receivedAtto: 3n * TEN_ATTO })
    })

    it('can have only one pending strike order, and no further order once it is struck', async () => {
      const target = await targetOf('transfer')
      const order = { targets: [target], reason: 'invented' }
      const [first] = await insertStrikes(stage.sql, order)
      const [second] = await insertStrikes(stage.sql, order)
      expect(second?.orderId).to.equal(first?.orderId)
      await carryOut([stage.rpcUrl, sameNode()])
      expect(await insertStrikes(stage.sql, order)).to.deep.equal([])
    })
  })

  it('replaces an amount that one node invented with the amount that all nodes show', async () => {
    await mint(charge)
    await letLieCount(stage, proxy, { charge, logs: [inventedTransfer(stage, charge, 9n * TEN)] })
    expect(await stage.chargeOf(charge)).to.include({ receivedAtto: 9n * TEN_ATTO })
    expect(await strike('transfer')).to.deep.equal(['struck', null])
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: TEN_ATTO })
  })

  it('keeps a charge partially paid if its only payment is struck, and does not append charge.partially_paid again', async () => {
    await mint(other)
    await letLieCount(stage, proxy, { charge, logs: [inventedTransfer(stage, charge, TEN / 2n)] })
    await strike('transfer')
    expect(await stage.chargeOf(charge)).to.include({ status: 'partially_paid', receivedAtto: 0n })
    await mint(charge)
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: TEN_ATTO })
    expect((await eventsOf()).filter((type) => type === 'charge.partially_paid')).to.have.length(1)
  })

  describe('an invented distribution', () => {
    beforeEach(async () => {
      await mint(charge)
      await letLieCount(stage, proxy, {
        charge,
        logs: [inventedDistribution(stage, charge, TEN)],
        keepsTruth: true,
      })
      await stage.takeTurns()
      expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', settlementStatus: 'completed' })
      expect(await stage.payoutOf(charge)).to.include({ status: 'completed' })
    })

    it('is removed; the payout is reopened and paid, and charge.settled is not appended again', async () => {
      expect(await strike('split-event')).to.deep.equal(['struck', null])
      expect(await stage.payoutOf(charge)).to.include({ status: 'pending' })
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
      stage.advance(GRACE_SECONDS)
      await stage.cast().turn()
      await stage.mine(CONFIRMATIONS)
      await stage.reconcile()
      await stage.takeTurns()
      expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
      expect(await stage.payoutOf(charge)).to.include({ status: 'completed' })
      expect((await eventsOf()).filter((type) => type === 'charge.settled')).to.have.length(1)
      expect((await moneyOf()).distributedAtomic).to.equal(TEN)
    })

    it('is marked in the timeline next to the valid payment', async () => {
      await strike('split-event')
      const shown = (await timeline()).map(({ type, doubt }) => `${type} ${doubt ?? 'counts'}`)
      expect(shown).to.have.members(['transaction.detected counts', 'split.distributed struck'])
    })
  })

  it('settles a charge whose payout was blocked only by an invented payment', async () => {
    await mint(charge)
    await letLieCount(stage, proxy, {
      charge,
      logs: [inventedTransfer(stage, charge, TEN)],
      keepsTruth: true,
    })
    await stage.takeTurns()
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    await stage.takeTurns()
    const isStuck = (await stage.payoutOf(charge)).status !== 'completed'
    expect(isStuck, 'owes more than its split has').to.equal(true)
    const [row] = await stage.sql<{ id: number }[]>`
      select id from transfers where charge_id = ${charge.chargeId} and ordinal = 1`
    await order('transfer', row?.id ?? 0)
    await carryOut([stage.rpcUrl, sameNode()])
    expect(await stage.payoutOf(charge)).to.include({ status: 'completed' })
    expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed', receivedAtto: TEN_ATTO })
  })

  it('keeps the settlement amount if the struck payment was credited after the confirming payment in the same turn', async () => {
    await mint(charge)
    await letLieCount(stage, proxy, {
      charge,
      logs: [inventedTransfer(stage, charge, TEN / 2n)],
      keepsTruth: true,
    })
    await stage.takeTurns()
    expect(await moneyOf()).to.include({ creditedAtomic: TEN + TEN / 2n, settlementAtomic: TEN, credits: 2 })
    const [row] = await stage.sql<{ id: number }[]>`
      select id from transfers where charge_id = ${charge.chargeId} and ordinal = 1`
    await order('transfer', row?.id ?? 0)
    await carryOut([stage.rpcUrl, sameNode()])
    expect(await moneyOf()).to.include({ creditedAtomic: TEN, settlementAtomic: TEN, credits: 1 })
  })

  it('lowers the settlement amount even if a payment after the confirmation could replace the struck payment', async () => {
    await mint(other)
    await letLieCount(stage, proxy, { charge, logs: [inventedTransfer(stage, charge, TEN)] })
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
    await mint(charge, 2n * TEN)
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    await stage.takeTurns()
    expect(await moneyOf()).to.include({ creditedAtomic: 3n * TEN, settlementAtomic: TEN, credits: 2 })
    const [row] = await stage.sql<{ id: number }[]>`
      select id from transfers where charge_id = ${charge.chargeId} order by credited_at limit 1`
    await order('transfer', row?.id ?? 0)
    await carryOut([stage.rpcUrl, sameNode()])
    expect(await moneyOf()).to.include({ creditedAtomic: 2n * TEN, settlementAtomic: 0n, credits: 1 })
  })

  it('keeps the remaining late payments of an expired charge in its settlement amount', async () => {
    await mint(other)
    await letLieCount(stage, proxy, { charge, logs: [inventedTransfer(stage, charge, TEN)] })
    await mint(charge, 2n * TEN)
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    await stage.takeTurns()
    await stage.sql`
      update charges set status = 'expired', confirmed_at = null, on_time_atto = 0 where id = ${charge.chargeId}`
    await stage.sql`update transfers set on_time = false where charge_id = ${charge.chargeId}`
    await stage.sql`update charge_ledgers set settlement_atomic = credited_atomic`
    const [row] = await stage.sql<{ id: number }[]>`
      select id from transfers where charge_id = ${charge.chargeId} order by credited_at limit 1`
    await order('transfer', row?.id ?? 0)
    await carryOut([stage.rpcUrl, sameNode()])
    expect(await moneyOf()).to.include({ creditedAtomic: 2n * TEN, settlementAtomic: 2n * TEN, credits: 1 })
  })

  it('is requested by an alert if a quorum denies a row, and the timeline marks the row as denied', async () => {
    await mint(other)
    await letLieCount(stage, proxy, { charge, logs: [inventedTransfer(stage, charge, TEN)] })
    await stage.sql`update transfers set agreed_by = '{trusted:liar}'`
    const { turn, alerts } = stage.corroboration([stage.rpcUrl, sameNode()])
    await turn()
    expect(alerts()).to.deep.equal([
      'A row that counted is denied by a quorum: see npm run charges -- strike',
    ])
    expect((await timeline()).map(({ doubt }) => doubt)).to.deep.equal(['denied'])
    expect(await countDeniedRows(stage.daemonSql)).to.equal(1)
    expect(await strike('transfer')).to.deep.equal(['struck', null])
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: 0n })
    expect(await countDeniedRows(stage.daemonSql)).to.equal(0)
  })

  it('is requested by an alert if a quorum shows another amount than the counted row', async () => {
    await mint(charge)
    await letLieCount(stage, proxy, { charge, logs: [inventedTransfer(stage, charge, 9n * TEN)] })
    await stage.sql`update transfers set agreed_by = '{trusted:liar}'`
    const { turn, alerts } = stage.corroboration([stage.rpcUrl, sameNode()])
    await turn()
    expect(alerts()).to.include('A row that counted is denied by a quorum: see npm run charges -- strike')
    expect(await countDeniedRows(stage.daemonSql)).to.equal(1)
    expect(await stage.chargeOf(charge)).to.include({ receivedAtto: 9n * TEN_ATTO })
    expect(await strike('transfer')).to.deep.equal(['struck', null])
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: TEN_ATTO })
    expect(await countDeniedRows(stage.daemonSql)).to.equal(0)
  })

  it('is requested by an alert if the charge does not accept the pair of the counted row, and then struck', async () => {
    charge = await stage.openCharge({ acceptedPayments: ['USDT/base'] })
    await payAndReport(stage, charge)
    await stage.mine(CONFIRMATIONS)
    await stage.moveFeed()
    await stage.sql`
      update transfers set agreed_at = now(), agreed_by = '{before-quorum}', corroborated_block_hash = block_hash`
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: TEN_ATTO })
    const { turn, alerts } = stage.corroboration([stage.rpcUrl, sameNode()])
    await turn()
    expect(alerts()).to.deep.equal([
      'A row that counted is denied by a quorum: see npm run charges -- strike',
    ])
    expect(await strike('transfer')).to.deep.equal(['struck', null])
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: 0n })
    expect(await countDeniedRows(stage.daemonSql)).to.equal(0)
  })

  async function mint(of: PaidCharge, amount = TEN): Promise<void> {
    await stage.callToken('mint', [of.splitAddress, amount])
  }

  /** Returns the fixture's node under another host name, which counts as a second operator. */
  function sameNode(): string {
    return stage.rpcUrl.replace('127.0.0.1', 'localhost')
  }

  async function targetOf(kind: StrikeKind) {
    const table = kind === 'transfer' ? 'transfers' : 'split_events'
    const [row] = await stage.sql<{ id: number }[]>`
      select id from ${stage.sql(table)} where charge_id = ${charge.chargeId}`
    return { kind, rowId: row?.id ?? 0 }
  }

  async function order(kind: StrikeKind, rowId: number): Promise<number> {
    const operator = connectForTest(stage.database.url.operator)
    try {
      const [one] = await insertStrikes(operator, {
        targets: [{ kind, rowId }],
        reason: 'invented by a node',
      })
      return one?.orderId ?? 0
    } finally {
      await operator.end()
    }
  }

  async function strike(kind: StrikeKind, rpcUrls = [stage.rpcUrl, sameNode()]) {
    const { rowId } = await targetOf(kind)
    const orderId = await order(kind, rowId)
    await carryOut(rpcUrls)
    const [answer] = await listStrikeResults(stage.sql, [orderId])
    return [answer?.outcome, answer?.answer] as const
  }

  async function carryOut(rpcUrls: readonly string[]): Promise<void> {
    const chain = chainAt(rpcUrls, { chainId: 31337, connect: (url) => connectChain(url, NODE_TIMEOUT_MS) })
    await carryOutStrikes({
      ...{ sql: stage.daemonSql, now: () => stage.time.now, log: recordingLog().log },
      ...{
        graceSeconds: GRACE_SECONDS,
        expiry: { silentSeconds: 900 },
        minimumPayoutOf: () => MINIMUM_PAYOUT,
      },
      ...{ checkoutBaseUrl: null, swapProvider: null, failedTurns: createTurnFailureTracker() },
      ...{ onEvents: () => undefined, chain, sources: createChainSources(chain, 'evm') },
      deployment: watchedDeployment(stage),
    })
  }

  async function eventsOf(): Promise<readonly string[]> {
    const rows = await stage.sql<{ type: string }[]>`
      select type from events where charge_id = ${charge.chargeId} and category = 'payments' order by number`
    return rows.map(({ type }) => type)
  }

  async function timeline() {
    const tenant = { organizationId: 'org_1', environment: 'live' } as const
    const entries = await listTimeline(stage.sql, { tenant, id: charge.chargeId })
    return entries.filter(({ token }) => token !== null)
  }

  async function moneyOf() {
    const [row] = await stage.sql<
      {
        isOverpaid: boolean
        paidWith: string[]
        creditedAtomic: bigint
        settlementAtomic: bigint
        distributedAtomic: bigint
        credits: number
        searched: number
      }[]
    >`
      select c.is_overpaid, c.paid_with, l.credited_atomic, l.settlement_atomic, l.distributed_atomic,
        (select count(*) from transfers t where t.charge_id = c.id and t.credited_at is not null)::int as credits,
        (select count(*) from charges_by_paid_with p where p.charge_id = c.id)::int as searched
      from charges c join charge_ledgers l on l.charge_id = c.id where c.id = ${charge.chargeId}`
    if (row === undefined) throw new Error('the charge has no ledger')
    return row
  }
})
