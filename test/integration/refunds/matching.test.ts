import { expect } from 'chai'
import { inTransaction } from '../../../shared/db/transaction.ts'
import type { Hex } from '../../../shared/domain/address.ts'
import { TRANSFER_TOPIC } from '../../../shared/domain/log-topics.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import {
  addressOf,
  anotherProcess,
  CONFIRMATIONS,
  type PaidCharge,
  type Stage,
} from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import {
  createRefundDaemon,
  declare,
  expire,
  fund,
  merchantOf,
  mineDeep,
  PAYER,
  type RefundDaemon,
  send,
} from '../../support/refund-fixture.ts'
import { type RpcFate, type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import { waitForLockWait } from '../../support/wait-for-lock-wait.ts'

describe('the daemon that watches refunds', () => {
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

  it('marks a refund as seen once a block has its transfer, and confirms it at confirmation depth, exactly once', async () => {
    const id = await declare(daemon, charge)
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'awaiting_payment', txHash: null })
    const txHash = await pay()
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'seen', txHash, countedAtomic: null })
    await mineDeep(stage)
    const other = anotherProcess(stage)
    await Promise.all([
      daemon.watch(),
      createRefundDaemon(stage, [second.url, first.url], { sql: other }).watch(),
    ])
    await daemon.watch()
    await other.end()
    expect(await stateOf(id)).to.include({ status: 'confirmed', txHash, countedAtomic: 1_000_000n })
    expect(await listEvents()).to.deep.equal(['charge.refunded'])
    const entries = await stage.sql<{ legs: readonly { account: string; amount: string }[] }[]>`
      select legs from accounting_entries where category = 'refund'`
    const legs = entries.flatMap(({ legs }) => legs.map(({ account, amount }) => [account, amount]))
    expect(legs).to.have.deep.members([
      ['wallet', '-1000000'],
      ['liability', '1000000'],
    ])
  })

  it('does not change the status, the settlement or the payouts of the charge', async () => {
    const before = await snapshot()
    const id = await declare(daemon, charge)
    await pay()
    await daemon.watch()
    await mineDeep(stage)
    await daemon.watch()
    const canceled = await declare(daemon, charge, { amount: '2' })
    await daemon.request(charge.chargeId, { action: 'cancel', refundId: canceled })
    const expired = await declare(daemon, charge, { amount: '3' })
    await expire(stage, daemon, expired)
    expect(await stateOf(id)).to.include({ status: 'confirmed' })
    expect(await stateOf(canceled)).to.include({ status: 'canceled' })
    expect(await stateOf(expired)).to.include({ status: 'expired' })
    expect(await listEvents()).to.deep.equal(['charge.refunded', 'charge.refund_expired'])
    expect(await snapshot()).to.deep.equal(before)
  })

  it('ignores an equal transfer from a stranger’s wallet', async () => {
    const id = await declare(daemon, charge)
    const stranger = addressOf(ACCOUNTS.payer2.address)
    await stage.callToken('mint', [stranger, 5_000_000n])
    await send(stage, { from: stranger })
    await expectNothing(id)
  })

  it('ignores a transfer that was mined before the declaration', async () => {
    await pay()
    await expectNothing(await declare(daemon, charge))
  })

  it('ignores a transfer of a different token with the same name', async () => {
    const id = await declare(daemon, charge)
    const forged = await deployForged()
    await stage.callToken('mint', [merchantOf(charge), 5_000_000n], forged)
    await send(stage, { from: merchantOf(charge), token: forged })
    await expectNothing(id)
  })

  for (const [what, amount] of [
    ['one atomic unit less, as with a token that takes a fee', 999_999n],
    ['one atomic unit more', 1_000_001n],
    ['zero, as sent to poison the wallet’s history', 0n],
  ] as const)
    it(`ignores a transfer of ${what}`, async () => {
      const id = await declare(daemon, charge)
      await send(stage, { from: merchantOf(charge), amount })
      await expectNothing(id)
    })

  it('ignores a transfer to a different address', async () => {
    const id = await declare(daemon, charge)
    await send(stage, { from: merchantOf(charge), to: addressOf(`0x${'ab'.repeat(20)}`) })
    await expectNothing(id)
  })

  it('confirms one refund if two equal transfers are sent, and ignores the second transfer', async () => {
    const id = await declare(daemon, charge)
    const txHash = await pay()
    await pay()
    await mineDeep(stage)
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'confirmed', txHash })
    const next = await declare(daemon, charge)
    await expectNothing(next)
    expect(await listEvents()).to.deep.equal(['charge.refunded'])
  })

  it('stops showing a refund as seen if a reorganization removes its transfer, and finds the new transfer', async () => {
    const id = await declare(daemon, charge)
    const state = await stage.node.snapshot()
    const txHash = await pay()
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'seen', txHash })
    await stage.reset(state)
    await stage.mine(CONFIRMATIONS + 1)
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'awaiting_payment', txHash: null, ordinal: null })
    const again = await pay()
    await mineDeep(stage)
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'confirmed', txHash: again })
    expect(await listEvents()).to.deep.equal(['charge.refunded'])
  })

  it('does not confirm a refund while one of two nodes is silent or denies the transfer', async () => {
    const id = await declare(daemon, charge)
    const txHash = await pay()
    await mineDeep(stage)
    second.rule((method) => (method === 'eth_getTransactionReceipt' ? 'error' : 'pass'))
    await daemon.watch()
    second.rule((method) => (method === 'eth_getTransactionReceipt' ? { result: null } : 'pass'))
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'awaiting_payment', txHash: null })
    second.rule(() => 'pass')
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'confirmed', txHash })
  })

  it('finds a transfer that one of two nodes does not list', async () => {
    const id = await declare(daemon, charge)
    const txHash = await pay()
    await mineDeep(stage)
    first.rule((method) => (method === 'eth_getLogs' ? { result: [] } : 'pass'))
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'confirmed', txHash })
  })

  it('confirms a refund that was paid after it was canceled or has expired', async () => {
    const canceled = await declare(daemon, charge)
    await daemon.request(charge.chargeId, { action: 'cancel', refundId: canceled })
    const expired = await declare(daemon, charge, { amount: '2' })
    await expire(stage, daemon, expired)
    await pay()
    await send(stage, { from: merchantOf(charge), amount: 2_000_000n })
    await mineDeep(stage)
    await daemon.watch()
    expect(await stateOf(canceled)).to.include({ status: 'confirmed', countedAtomic: 1_000_000n })
    expect(await stateOf(expired)).to.include({ status: 'confirmed', countedAtomic: 2_000_000n })
  })

  it('counts a canceled refund that was paid anyway only up to the remaining amount, and logs an error', async () => {
    const canceled = await declare(daemon, charge, { amount: '5' })
    await daemon.request(charge.chargeId, { action: 'cancel', refundId: canceled })
    await declare(daemon, charge, { amount: '10' })
    await send(stage, { from: merchantOf(charge), amount: 5_000_000n })
    await mineDeep(stage)
    await daemon.watch()
    expect(await stateOf(canceled)).to.include({ status: 'confirmed', countedAtomic: 2_000_000n })
    expect(daemon.lines.filter(({ level }) => level === 'error').map(({ msg }) => msg)).to.deep.equal([
      'A part of a paid refund does not count',
    ])
  })

  it('matches a transfer to an open refund rather than to an equal canceled refund', async () => {
    const canceled = await declare(daemon, charge)
    await daemon.request(charge.chargeId, { action: 'cancel', refundId: canceled })
    const open = await declare(daemon, charge)
    await pay()
    await mineDeep(stage)
    await daemon.watch()
    expect(await stateOf(open)).to.include({ status: 'confirmed' })
    expect(await stateOf(canceled)).to.include({ status: 'canceled' })
  })

  it('confirms a refund immediately if a check names its transaction', async () => {
    const id = await declare(daemon, charge)
    const txHash = await pay()
    await mineDeep(stage)
    expect(await daemon.request(charge.chargeId, { action: 'check', refundId: id, txHash })).to.include({
      outcome: 'done',
    })
    expect(await stateOf(id)).to.include({ status: 'confirmed', txHash })
  })

  it('ignores a named transaction that does not pay the refund', async () => {
    const id = await declare(daemon, charge)
    const txHash = await send(stage, { from: merchantOf(charge), amount: 7n })
    await mineDeep(stage)
    await daemon.request(charge.chargeId, { action: 'check', refundId: id, txHash })
    const unknown = { action: 'check', refundId: id, txHash: `0x${'00'.repeat(32)}` } as const
    expect(await daemon.request(charge.chargeId, unknown)).to.include({ outcome: 'done' })
    expect(await stateOf(id)).to.include({ status: 'awaiting_payment' })
  })

  it('ignores a named transaction from before the declaration', async () => {
    const txHash = await pay()
    const id = await declare(daemon, charge)
    await expectNothingIn(id, txHash)
  })

  it('ignores a named transaction from a stranger’s wallet', async () => {
    const stranger = addressOf(ACCOUNTS.payer2.address)
    await stage.callToken('mint', [stranger, 5_000_000n])
    const id = await declare(daemon, charge)
    await expectNothingIn(id, await send(stage, { from: stranger }))
  })

  it('matches one transfer to only one of two equal canceled refunds', async () => {
    const ids = []
    for (const _ of [1, 2]) {
      const id = await declare(daemon, charge)
      await daemon.request(charge.chargeId, { action: 'cancel', refundId: id })
      ids.push(id)
    }
    const txHash = await pay()
    await mineDeep(stage)
    for (const refundId of ids)
      expect(await daemon.request(charge.chargeId, { action: 'check', refundId, txHash })).to.include({
        outcome: 'done',
      })
    const states = await Promise.all(ids.map(stateOf))
    expect(states.map(({ status }) => status)).to.deep.equal(['confirmed', 'canceled'])
  })

  it('matches a transfer to an open refund, even if an equal canceled refund is checked first', async () => {
    const ended = await declare(daemon, charge)
    await daemon.request(charge.chargeId, { action: 'cancel', refundId: ended })
    const open = await declare(daemon, charge)
    const txHash = await pay()
    await mineDeep(stage)
    for (const refundId of [ended, open])
      await daemon.request(charge.chargeId, { action: 'check', refundId, txHash })
    expect((await stateOf(ended)).status).to.equal('canceled')
    expect((await stateOf(open)).status).to.equal('confirmed')
  })

  it('waits for the lock on the charge before it declares a refund', async () => {
    let isDeclared = false
    const locker = anotherProcess(stage)
    const now = performance.now.bind(performance)
    const startedAt = now()
    // The clock stands still, so that the head stays fresh, however long a busy machine holds the lock.
    performance.now = () => startedAt
    try {
      const declared = await inTransaction(locker, async (db) => {
        await db`select from charges where id = ${charge.chargeId} for no key update`
        const declaring = declare(daemon, charge).finally(() => {
          isDeclared = true
        })
        await waitForLockWait(stage.daemonSql, () => isDeclared)
        expect(isDeclared).to.equal(false)
        return { declaring }
      })
      expect((await stateOf(await declared.declaring)).status).to.equal('awaiting_payment')
    } finally {
      performance.now = now
      await locker.end()
    }
  })

  it('rejects a declaration if the read of the head takes too long', async () => {
    const now = performance.now.bind(performance)
    let lateMs = 0
    performance.now = () => now() + lateMs
    first.rule((method) => {
      // The worker responds without a result after 8 s.
      if (method === 'eth_getBlockByNumber') lateMs = 8_000
      return 'pass'
    })
    const error = await declare(daemon, charge)
      .catch(String)
      .finally(() => {
        performance.now = now
      })
    expect(error).to.include('the network did not respond in time')
    expect(await stage.sql`select from refunds`).to.have.length(0)
  })

  it('does not read the transactions of a flood of zero transfers', async () => {
    const id = await declare(daemon, charge)
    const txHash = await pay()
    await stage.mine(200)
    const reads = new Set<unknown>()
    for (const proxy of [first, second])
      proxy.rule(async (method, params) => {
        if (method === 'eth_getTransactionReceipt') reads.add(params[0])
        return method === 'eth_getLogs' ? { result: await listWith(params, 201, { data: word(0n) }) } : 'pass'
      })
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'confirmed', txHash })
    expect([...reads]).to.deep.equal([txHash])
  })

  it('delays only the refund for which a node invents transfers', async () => {
    const id = await declare(daemon, charge)
    const other = await declare(daemon, charge, { amount: '2' })
    await stage.mine(200)
    first.rule(async (method, params) =>
      method === 'eth_getLogs' ? { result: await listWith(params, 201, { data: word(1_000_000n) }) } : 'pass',
    )
    await daemon.watch()
    expect(await scannedOf(other)).to.be.greaterThan(await scannedOf(id))
    await send(stage, { from: merchantOf(charge), amount: 2_000_000n })
    await pay()
    await mineDeep(stage)
    await daemon.watch()
    expect((await stateOf(other)).status).to.equal('confirmed')
    first.rule(() => 'pass')
    await daemon.watch()
    expect((await stateOf(id)).status).to.equal('confirmed')
  })

  it('delays only the refund whose addresses a flood of transfers uses, if nodes refuse to list the flood', async () => {
    const id = await declare(daemon, charge)
    const to = addressOf(`0x${'ab'.repeat(20)}`)
    const other = await declare(daemon, charge, { destination: to })
    const txHash = await pay()
    await send(stage, { from: merchantOf(charge), to })
    await stage.mine(200)
    for (const proxy of [first, second]) proxy.rule(refuseLongLists)
    await daemon.watch()
    expect((await stateOf(other)).status).to.equal('confirmed')
    expect((await stateOf(id)).status).to.equal('awaiting_payment')
    await daemon.request(charge.chargeId, { action: 'check', refundId: id, txHash: null })
    expect(await stateOf(id)).to.include({ status: 'confirmed', txHash })
  })

  it('reads fewer blocks per request if nodes refuse to list a flood of transfers', async () => {
    const id = await declare(daemon, charge)
    await stage.mine(4)
    const txHash = await pay()
    await stage.mine(200)
    for (const proxy of [first, second]) proxy.rule(refuseLongLists)
    for (const _ of [1, 2, 3]) await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'confirmed', txHash })
  })

  it('reads 20 of the transactions that only one node lists, and every transaction that both nodes list', async () => {
    const id = await declare(daemon, charge)
    for (const amount of ['2', '3']) await declare(daemon, charge, { amount })
    const txHash = await pay()
    await stage.mine(200)
    const reads = new Set<unknown>()
    second.rule((method, params) => {
      if (method === 'eth_getTransactionReceipt') reads.add(params[0])
      return 'pass'
    })
    first.rule(async (method, params) => {
      if (method !== 'eth_getLogs') return 'pass'
      const listOf = (dollars: bigint) => listWith(params, 9, { data: word(dollars * 1_000_000n) })
      const [one = [], ...others] = await Promise.all([1n, 2n, 3n].map(listOf))
      return { result: [...one, ...others.flatMap((list) => list.slice(-9))] }
    })
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'confirmed', txHash })
    expect(reads).to.include(txHash)
    expect(reads.size).to.equal(21)
  })

  it('does not rely on the logs of a node that does not have the last block of the range', async () => {
    const id = await declare(daemon, charge)
    const txHash = await pay()
    await stage.mine(200)
    for (const proxy of [first, second]) {
      let blocks = 0
      proxy.rule((method, params) => {
        if (method === 'eth_getLogs') return { result: [] }
        if (method !== 'eth_getBlockByNumber' || params[0] === 'latest') return 'pass'
        blocks += 1
        return blocks === 1 ? 'pass' : { result: null }
      })
    }
    await daemon.watch().catch(() => undefined)
    for (const proxy of [first, second]) proxy.rule(() => 'pass')
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'confirmed', txHash })
  })

  it('does not miss a transfer whose receipt a node hides, even if the node lists the transfer in a wrong block', async () => {
    const id = await declare(daemon, charge)
    const txHash = await pay()
    await stage.mine(200)
    for (const block of ['0x4000000000000', null]) {
      first.rule(async (method, params) => {
        if (method === 'eth_getTransactionReceipt') return 'error'
        return method === 'eth_getLogs'
          ? { result: await listWith(params, 0, { blockNumber: block }) }
          : 'pass'
      })
      await daemon.watch()
      expect((await stateOf(id)).status).to.equal('awaiting_payment')
    }
    first.rule(() => 'pass')
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'confirmed', txHash })
  })

  for (const where of ['the same charge', 'another charge'])
    it(`matches a transfer to the canceled refund declared before it, not to one declared after it on ${where}`, async () => {
      const canceled = await declare(daemon, charge)
      const sent = await send(stage, { from: merchantOf(charge) })
      await daemon.request(charge.chargeId, { action: 'cancel', refundId: canceled })
      await stage.mine()
      const later = where === 'the same charge' ? charge : await payAnother()
      const after = await declare(daemon, later, { from: merchantOf(charge) })
      await mineDeep(stage)
      await daemon.watch()
      expect(await stateOf(canceled)).to.include({ status: 'confirmed', txHash: sent })
      expect((await stateOf(after)).status).to.equal('awaiting_payment')
    })

  async function expectNothingIn(id: string, txHash: Hex): Promise<void> {
    await mineDeep(stage)
    const response = await daemon.request(charge.chargeId, { action: 'check', refundId: id, txHash })
    expect(response).to.include({ outcome: 'done' })
    expect(await stateOf(id)).to.include({ status: 'awaiting_payment', txHash: null })
  }

  async function expectNothing(id: string): Promise<void> {
    await mineDeep(stage)
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'awaiting_payment', txHash: null })
  }

  /** Sends a dollar from the merchant's wallet to the payer, in a separate block. */
  async function pay(): Promise<Hex> {
    const hash = await send(stage, { from: merchantOf(charge), to: PAYER })
    await stage.mine()
    return hash
  }

  /** Pays a second charge, and registers the wallet of the first charge's merchant as its payout recipient. */
  async function payAnother(): Promise<PaidCharge> {
    const another = await stage.openCharge()
    await stage.callToken('mint', [another.splitAddress, 12_000_000n])
    await stage.settle()
    await stage.sql`
      insert into recipients (id, organization_id, environment, address, family, payout)
      values ('rc_wallet', 'org_1', 'live', ${merchantOf(charge)}, 'evm', true)`
    return another
  }

  /**
   * Returns the node's logs. If `count` is 0, they get the fields of `change` that are not null. Otherwise they are
   * unchanged, and `count` invented logs of other transactions follow, which have these fields.
   */
  async function listWith(
    params: readonly unknown[],
    count: number,
    change: { readonly data?: string; readonly blockNumber?: string | null },
  ): Promise<readonly object[]> {
    const logs = (await stage.node.request({ method: 'eth_getLogs', params } as never)) as readonly object[]
    const topic = (address: string) => `0x${address.slice(2).padStart(64, '0')}`
    const block = { blockNumber: (params[0] as { fromBlock: string }).fromBlock, blockHash: word(7n) }
    const invented = Array.from({ length: count }, (_, at) => ({
      ...{
        address: stage.token,
        transactionHash: word(BigInt(change.data ?? 0) + BigInt(at) + 1n),
        logIndex: '0x0',
        data: word(0n),
        ...block,
      },
      topics: [TRANSFER_TOPIC, topic(merchantOf(charge)), topic(PAYER)],
      ...change,
    }))
    return [...(count === 0 ? logs.map((log) => ({ ...log, ...change })) : logs), ...invented]
  }

  async function scannedOf(id: string): Promise<number> {
    const [row] = await stage.sql<
      [{ scannedBlock: number }]
    >`select scanned_block from refunds where id = ${id}`
    return row.scannedBlock
  }

  async function stateOf(id: string) {
    const [row] = await stage.sql<
      { status: string; txHash: string | null; ordinal: number | null; countedAtomic: bigint | null }[]
    >`
      select status, tx_hash, ordinal, counted_atomic from refunds where id = ${id}`
    if (row === undefined) throw new Error(`refund ${id} does not exist`)
    return row
  }

  async function listEvents(): Promise<readonly string[]> {
    const rows = await stage.sql<{ type: string }[]>`
      select type from events where charge_id = ${charge.chargeId} and type like 'charge.refund%' and type <> 'charge.refund_declared'
      order by number`
    return rows.map(({ type }) => type)
  }

  async function snapshot(): Promise<unknown> {
    return [
      await stage.sql`select to_jsonb(c)::text as row from charges c`,
      await stage.sql`select to_jsonb(p)::text as row from payouts p`,
      await stage.sql`select to_jsonb(l)::text as row from charge_ledgers l`,
    ]
  }

  async function deployForged() {
    await stage.node.setAutomine(true)
    try {
      return await stage.deployToken()
    } finally {
      await stage.node.setAutomine(false)
    }
  }
})

/** Rejects log queries for the payer's address over more than four blocks, as nodes do if a result is too long. */
function refuseLongLists(method: string, params: readonly unknown[]): RpcFate {
  if (method !== 'eth_getLogs') return 'pass'
  const [{ topics, fromBlock, toBlock }] = params as [
    { topics: readonly (readonly string[])[]; fromBlock: string; toBlock: string },
  ]
  const isOfPayer = topics[2]?.includes(word(BigInt(PAYER))) === true
  if (!isOfPayer || Number(toBlock) - Number(fromBlock) < 4) return 'pass'
  return { error: { code: -32_005, message: 'query returned more than 10000 results' } }
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
