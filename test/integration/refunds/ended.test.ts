import { expect } from 'chai'
import { readUnreadAges } from '../../../shared/db/refunds/daemon/update-refund.ts'

import { listDueRefunds, listWatchedRefunds } from '../../../shared/db/refunds/daemon/watched-refunds.ts'
import { listPaidPairs } from '../../../shared/db/refunds/paid-pairs.ts'

import type { Hex } from '../../../shared/domain/address.ts'
import { getRefundable } from '../../../shared/domain/refund/refund-limits.ts'
import { CONFIRMATIONS, type PaidCharge, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import {
  BLOCKS_UNTIL_REREAD,
  createRefundDaemon,
  declare,
  expire,
  fund,
  merchantOf,
  mineDeep,
  passDeadline,
  type RefundDaemon,
  send,
} from '../../support/refund-fixture.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

describe('expiring, expired and canceled refunds', () => {
  let stage: Stage
  let first: RpcProxy
  let second: RpcProxy
  let daemon: RefundDaemon
  let charge: PaidCharge

  stageForEach(async (fresh) => {
    stage = fresh
    first = await startRpcProxy(stage.rpcUrl)
    second = await startRpcProxy(stage.rpcUrl)
    daemon = createRefundDaemon(stage, [first.url, second.url])
    charge = await stage.openCharge()
    await stage.callToken('mint', [charge.splitAddress, 12_000_000n])
    await stage.settle()
    await fund(stage, charge)
  })

  afterEach(() => Promise.all([first.stop(), second.stop()]))

  it('do not expire before the blocks up to their deadline were read twice', async () => {
    const id = await declare(daemon, charge)
    await passDeadline(stage, id)
    await mineDeep(stage)
    await daemon.watch()
    await daemon.expire()
    expect(await statusOf(id)).to.equal('awaiting_payment')
    await stage.mine(BLOCKS_UNTIL_REREAD)
    await daemon.expire()
    expect(await statusOf(id)).to.equal('awaiting_payment')
    await daemon.watch()
    await daemon.expire()
    expect(await statusOf(id)).to.equal('expired')
  })

  it('do not expire while a node fails to list logs', async () => {
    const id = await declare(daemon, charge)
    first.rule((method) => (method === 'eth_getLogs' ? 'error' : 'pass'))
    await expire(stage, daemon, id).catch(() => undefined)
    await daemon.expire()
    expect(await statusOf(id)).to.equal('awaiting_payment')
  })

  it('expire even if no node serves the old blocks that another refund needs', async () => {
    const lagging = await declare(daemon, charge)
    const { number } = await stage.node.getBlock()
    await stage.mine(1_200)
    const id = await declare(daemon, charge, { amount: '2' })
    for (const proxy of [first, second])
      proxy.rule((method, params) => {
        if (method !== 'eth_getLogs') return 'pass'
        const [{ fromBlock }] = params as [{ fromBlock: string }]
        const isOld = Number(fromBlock) < Number(number) + 1_100
        return isOld ? { error: { code: -32_000, message: 'history has been pruned' } } : 'pass'
      })
    await expire(stage, daemon, id).catch(() => undefined)
    expect(await statusOf(id)).to.equal('expired')
    expect(await statusOf(lagging)).to.equal('awaiting_payment')
  })

  it('count as unread since their deadline if no daemon reads their chain', async () => {
    const id = await declare(daemon, charge)
    await passDeadline(stage, id)
    await stage.sql`update refunds set expires_at = now() - interval '2 hours' where id = ${id}`
    const seconds = (await readUnreadAges(stage.daemonSql)).get(31_337)
    expect(seconds).to.be.within(7_200, 7_300)
  })

  it('expire in random order, so that refunds that cannot expire do not delay other refunds', async () => {
    for (const amount of ['1', '2']) await passDeadline(stage, await declare(daemon, charge, { amount }))
    await stage.sql`update refunds set reread_until = now()`
    const firsts = new Set<string>()
    for (let at = 0; at < 60; at += 1)
      for (const { id } of await listDueRefunds(stage.daemonSql, 1)) firsts.add(id)
    expect(firsts.size).to.equal(2)
  })

  it('are watched even if seen and open refunds reach their limits', async () => {
    const canceled = await declare(daemon, charge)
    await daemon.request(charge.chargeId, { action: 'cancel', refundId: canceled })
    const seen = await declare(daemon, charge, { amount: '2' })
    await pay(2_000_000n)
    await daemon.watch()
    const open = await declare(daemon, charge, { amount: '3' })
    const limits = { open: 1, seen: 1, ended: 1 }
    const watched = await listWatchedRefunds(stage.daemonSql, { chainId: 31_337, limits })
    expect(watched.map(({ id }) => id)).to.have.members([canceled, seen, open])
  })

  it('are confirmed by a transfer that no node listed at first', async () => {
    const id = await declare(daemon, charge)
    const txHash = await pay()
    for (const proxy of [first, second])
      proxy.rule((method) => (method === 'eth_getLogs' ? { result: [] } : 'pass'))
    await stage.mine(200)
    await daemon.watch()
    expect(await statusOf(id)).to.equal('awaiting_payment')
    for (const proxy of [first, second]) proxy.rule(() => 'pass')
    await expire(stage, daemon, id)
    expect(await stateOf(id)).to.include({ status: 'confirmed', txHash })
  })

  for (const end of ['canceled', 'expired'] as const)
    it(`become seen if they are paid after they were ${end}, and reserve their amount again`, async () => {
      const id = await declare(daemon, charge, { amount: '5' })
      if (end === 'expired') await expire(stage, daemon, id)
      else await daemon.request(charge.chargeId, { action: 'cancel', refundId: id })
      expect(await refundable()).to.equal(12_000_000n)
      const txHash = await pay(5_000_000n)
      await daemon.watch()
      expect(await stateOf(id)).to.include({ status: 'seen', txHash })
      expect(await refundable()).to.equal(7_000_000n)
      await mineDeep(stage)
      await daemon.watch()
      expect(await stateOf(id)).to.include({ status: 'confirmed', txHash, countedAtomic: 5_000_000n })
    })

  it('are canceled again if a reorganization removes their transfer', async () => {
    const id = await declare(daemon, charge)
    await daemon.request(charge.chargeId, { action: 'cancel', refundId: id })
    const state = await stage.node.snapshot()
    await pay()
    await daemon.watch()
    expect(await statusOf(id)).to.equal('seen')
    await stage.reset(state)
    await stage.mine(CONFIRMATIONS + 1)
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'canceled', txHash: null })
    expect(await refundable()).to.equal(12_000_000n)
  })

  it('count only up to the amount that open refunds have not reserved', async () => {
    const ended = await declare(daemon, charge, { amount: '5' })
    await daemon.request(charge.chargeId, { action: 'cancel', refundId: ended })
    const open = await declare(daemon, charge, { amount: '10' })
    await pay(5_000_000n)
    await daemon.watch()
    expect(await statusOf(ended)).to.equal('seen')
    const txHash = await pay(10_000_000n)
    await mineDeep(stage)
    await daemon.request(charge.chargeId, { action: 'check', refundId: open, txHash })
    await daemon.watch()
    expect(await stateOf(open)).to.include({ status: 'confirmed', countedAtomic: 10_000_000n })
    expect(await stateOf(ended)).to.include({ status: 'confirmed', countedAtomic: 2_000_000n })
  })

  it('prevent an equal new refund until their transfer is confirmed', async () => {
    const id = await declare(daemon, charge)
    await daemon.request(charge.chargeId, { action: 'cancel', refundId: id })
    await pay()
    await daemon.watch()
    await stage.mine()
    const message = await declare(daemon, charge).then(String, String)
    expect(message).to.include('refund_ambiguous')
    await mineDeep(stage)
    await daemon.watch()
    expect(await statusOf(await declare(daemon, charge))).to.equal('awaiting_payment')
  })

  async function pay(amount = 1_000_000n): Promise<Hex> {
    const hash = await send(stage, { from: merchantOf(charge), amount })
    await stage.mine()
    return hash
  }

  async function refundable(): Promise<bigint> {
    const [pair] = await listPaidPairs(stage.sql, { chargeId: charge.chargeId })
    if (pair === undefined) throw new Error('the charge was not paid')
    return getRefundable(pair)
  }

  async function statusOf(id: string): Promise<string> {
    return (await stateOf(id)).status
  }

  async function stateOf(id: string) {
    const [row] = await stage.sql<{ status: string; txHash: string | null; countedAtomic: bigint | null }[]>`
      select status, tx_hash, counted_atomic from refunds where id = ${id}`
    if (row === undefined) throw new Error(`refund ${id} does not exist`)
    return row
  }
})
