import { expect } from 'chai'
import type { Hex } from '../../../shared/domain/address.ts'
import { chainAt } from '../../support/chain-at.ts'
import { CONFIRMATIONS, type PaidCharge, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import {
  createRefundDaemon,
  declare,
  fund,
  merchantOf,
  mineDeep,
  type RefundDaemon,
  send,
} from '../../support/refund-fixture.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const DENIED = 'A quorum denies the transfer of a confirmed refund'

describe('confirmed refunds', () => {
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

  it('stay confirmed, and are marked as missing with one error if a reorganization deeper than the confirmation depth removes their transfer', async () => {
    const id = await declare(daemon, charge)
    const state = await stage.node.snapshot()
    await pay()
    await daemon.watch()
    expect(await stateOf(id)).to.deep.include({ status: 'confirmed', missingSince: null })
    await stage.reset(state)
    await stage.mine(2 * CONFIRMATIONS)
    await daemon.watch()
    expect((await stateOf(id)).missingSince, 'before the verification is due').to.equal(null)
    for (const _ of [1, 2]) await verify(id)
    expect(await stateOf(id)).to.include({ status: 'confirmed' })
    expect((await stateOf(id)).missingSince).to.be.an.instanceof(Date)
    expect(daemon.lines.filter(({ msg }) => msg === DENIED)).to.have.length(1)
  })

  it('are no longer marked as missing once a quorum shows their transfer again', async () => {
    const id = await declare(daemon, charge)
    await pay()
    await daemon.watch()
    await stage.sql`update refunds set missing_since = now() where id = ${id}`
    await verify(id)
    expect(await stateOf(id)).to.deep.include({ status: 'confirmed', missingSince: null })
  })

  it('are not marked as missing while one of two nodes does not respond', async () => {
    const id = await declare(daemon, charge)
    await pay()
    await daemon.watch()
    second.rule((method) => (method === 'eth_getTransactionReceipt' ? 'error' : 'pass'))
    await verify(id)
    expect((await stateOf(id)).missingSince).to.equal(null)
  })

  it('are verified again later if the verification fails, so that they do not delay other refunds', async () => {
    const id = await declare(daemon, charge)
    await pay()
    await daemon.watch()
    await stage.sql`update refunds set block_hash = '' where id = ${id}`
    await stage.sql`update deployments set quorum = 3`
    await verify(id)
    expect(await stateOf(id)).to.deep.include({ status: 'confirmed', isDue: false })
    expect(daemon.lines.map(({ msg }) => msg)).to.include('Could not verify a confirmed refund')
  })

  it('are verified until a quorum shows their transfer, if a node that an operator trusts confirmed them', async () => {
    const id = await declare(daemon, charge)
    const txHash = await pay()
    await stage.sql`update deployments set quorum = 2`
    const trusting = createRefundDaemon(stage, [first.url, second.url], { trustsFirst: true })
    const name = chainAt([first.url]).nodes[0]?.name ?? ''
    await stage.sql`
      insert into node_trusts (chain_id, node, reason, ends_at)
      values (31337, ${name}, 'the other is down', now() + interval '1 hour')`
    second.rule((method) => (method === 'eth_getTransactionReceipt' ? 'error' : 'pass'))
    await stage.daemonSql`
      update refunds set status = 'confirmed', tx_hash = ${txHash}, ordinal = 0, block_number = after_block + 1,
        block_hash = '', block_timestamp = 0, agreed_by = ${[`trusted:${name}`]}, counted_atomic = amount_atomic,
        seen_at = now(), confirmed_at = now() - interval '3 days', verify_at = now() where id = ${id}`
    await trusting.watch()
    expect(await stateOf(id)).to.deep.include({ agreedBy: [`trusted:${name}`], isDueAgain: true })
    second.rule(() => 'pass')
    await verify(id)
    const { agreedBy, isDueAgain } = await stateOf(id)
    expect(agreedBy).to.have.length(2)
    expect(isDueAgain).to.equal(false)
  })

  async function verify(id: string): Promise<void> {
    await stage.sql`update refunds set verify_at = now() where id = ${id}`
    await daemon.watch()
  }

  async function pay(): Promise<Hex> {
    const hash = await send(stage, { from: merchantOf(charge) })
    await mineDeep(stage)
    return hash
  }

  async function stateOf(id: string) {
    const [row] = await stage.sql<
      { status: string; missingSince: Date | null; agreedBy: string[]; isDueAgain: boolean; isDue: boolean }[]
    >`
      select status, missing_since, agreed_by, verify_at is not null as is_due_again,
        verify_at <= now() as is_due
      from refunds where id = ${id}`
    if (row === undefined) throw new Error(`refund ${id} does not exist`)
    return row
  }
})
