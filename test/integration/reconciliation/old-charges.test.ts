import { expect } from 'chai'
import { encodeFunctionData, erc20Abi } from 'viem'
import type { Address } from '../../../shared/domain/address.ts'
import {
  ageCharge,
  compareAll,
  oldChargeComparison,
  readComparison,
} from '../../support/old-charge-fixture.ts'
import { CONFIRMATIONS, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcFate, type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const TEN = 10_000_000n
const TEN_ATTO = 10n ** 19n
const HOUR_MS = 3_600_000
const AGES = [
  ['26 hours', 26 * HOUR_MS],
  ['10 days', 240 * HOUR_MS],
  ['100 days', 2_400 * HOUR_MS],
] as const
const DIFFERS = 'Balances of an old charge differ from our rows: searching all blocks since its creation'
const UNEXPLAINED = 'Charge balance does not match its recorded transfers'
const UNREAD = 'No quorum of nodes serves the logs up to this block: old charges are searched only above it'

type OpenCharge = Awaited<ReturnType<Stage['openCharge']>>

describe('an old charge', function () {
  this.timeout(240_000)
  let stage: Stage
  let proxy: RpcProxy
  /** The feed's node, which hides data, and two other nodes. */
  let nodes: readonly string[]

  stageForEach(async (fresh) => {
    stage = fresh
    proxy = await startRpcProxy(stage.rpcUrl)
    nodes = [proxy.url, stage.rpcUrl, stage.rpcUrl.replace('127.0.0.1', 'localhost')]
    // Brings the deployment of the tokens to confirmation depth.
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
  })

  afterEach(() => proxy.stop())

  for (const [name, ageMs] of AGES)
    describe(`at ${name}, if the feed’s node hides a transaction`, () => {
      it('is credited with a late payment before its age has doubled', async () => {
        const charge = await expired()
        await reach(charge, ageMs)
        await mint(charge.address)
        const { counts } = await findWithin(charge, { ageMs, limitMs: ageMs })
        expect(counts).to.deep.equal({ found: 1, differences: 2, unexplained: 0, unread: 0 })
        expect((await stage.chargeOf(charge)).receivedAtto).to.equal(TEN_ATTO)
      })

      it('is credited with a late payment that a keeper distributed, though no balance shows it', async () => {
        const charge = await expired()
        await reach(charge, ageMs)
        await mint(charge.address)
        await stage.distributeAsKeeper(charge)
        const { counts } = await findWithin(charge, { ageMs, limitMs: ageMs })
        expect(counts).to.deep.include({ found: 2, unexplained: 0 })
        expect((await stage.chargeOf(charge)).receivedAtto).to.equal(TEN_ATTO)
      })

      it('is settled by a keeper’s distribution within an hour', async () => {
        const charge = await confirmed()
        expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'pending' })
        await skipTo(charge, ageMs)
        await stage.distributeAsKeeper(charge)
        await findWithin(charge, { ageMs, limitMs: HOUR_MS })
        expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
      })

      it('counts a release of its escrow within an hour', async () => {
        const charge = await confirmed({ isEscrow: true })
        await skipTo(charge, ageMs)
        await release(charge)
        await findWithin(charge, { ageMs, limitMs: HOUR_MS })
        const [movement] = await stage.sql`
          select action, amount_atomic, applied_at is not null as is_applied from escrow_transfers`
        expect(movement).to.deep.include({ action: 'release', amountAtomic: TEN, isApplied: true })
      })
    })

  it('has no balance comparison while range scans cover it', async () => {
    await expired()
    stage.advance(24 * 3600)
    await oldChargeComparison(stage).turn()
    expect(await stage.sql`select from charge_comparisons`).to.have.length(0)
  })

  it('is scanned again after new activity', async () => {
    const charge = await expired()
    stage.advance(10 * 86_400)
    await stage.sql`update charges set last_activity_at = ${stage.time.now}`
    await mint(charge.address)
    await stage.mine(CONFIRMATIONS)
    expect(await stage.reconcile()).to.include({ found: 1 })
  })

  it('is compared within 25 hours after it has left the range scans again', async () => {
    const charge = await expired()
    await reach(charge, 2_400 * HOUR_MS)
    await stage.sql`update charges set last_activity_at = ${stage.time.now}`
    stage.advance(25 * 3600)
    await oldChargeComparison(stage).turn()
    expect(await dueInMs(charge)).to.be.within(0, 25 * HOUR_MS)
  })

  it('is compared immediately if it was imported', async () => {
    const charge = await stage.openCharge()
    await stage.sql`delete from charge_comparisons`
    const [copy] = await stage.sql<{ id: string }[]>`
      insert into charges (id, organization_id, environment, family, amount_micro, fee_payer, fee_percent,
        accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, request_hash,
        created_at, expires_at, last_activity_at)
      select id || '0', organization_id, environment, family, amount_micro, fee_payer, fee_percent, accepted_payments,
        accepted_chains, '0xaa' || right(address, 38), split_address, split_terms, split_recipients, request_hash,
        now() - interval '9 days', now() - interval '8 days', now() - interval '9 days'
      from charges where id = ${charge.chargeId} returning id`
    expect((await readComparison(stage.sql, copy?.id ?? ''))?.dueAt.getTime()).to.be.below(
      Date.now() + 60_000,
    )
  })

  it('is not compared together with hundreds of charges of the same age, because due times are spread over 64 days', async () => {
    const charge = await expired()
    await stage.copyCharge(charge, 400)
    await stage.sql`update charges set status = 'expired'`
    stage.advance(64 * 86_400)
    await oldChargeComparison(stage).turn()
    const days = await stage.sql<{ day: number; charges: number }[]>`
      select floor(extract(epoch from due_at - ${stage.time.now}::timestamptz) / 86400 / 8)::int as day,
        count(*)::int as charges
      from charge_comparisons group by 1 order by 1`
    expect(days.map(({ day }) => day)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7])
    for (const { charges } of days) expect(charges).to.be.within(15, 110)
  })

  describe('after 64 days', () => {
    const insertPair = async ({ chargeId }: OpenCharge) => stage.sql`
      insert into charge_ledgers (charge_id, network, token, chain_id, token_address)
      select ${chargeId}, network, token, chain_id, token_address from pairs where token = 'USDC'`
    const insertPayout = (charge: OpenCharge, status: string) => stage.sql`
      insert into payouts (charge_id, network, token, chain_id, token_address, split_address, environment,
        organization_id, status, grace_ends_at, next_attempt_at)
      select ${charge.chargeId}, network, token, chain_id, token_address, ${charge.splitAddress}, 'live', 'org_1',
        ${status}, now(), now() from pairs where token = 'USDC'`

    for (const status of ['pending', 'failed'])
      it(`is compared every hour while its settlement is ${status}`, async () => {
        const charge = await expired()
        await stage.sql`update charges set settlement_status = ${status}`
        await expectHourly(charge)
      })

    for (const status of ['pending', 'processing', 'failed'])
      it(`is compared every hour while one of its payouts is ${status}`, async () => {
        const charge = await expired()
        await insertPair(charge)
        await insertPayout(charge, status)
        await expectHourly(charge)
      })

    it('is compared every hour while its split holds a share', async () => {
      const charge = await expired()
      await stage.sql`
        insert into held_shares (charge_id, chain_id, token_address, recipient, held_atomic, next_attempt_at)
        select ${charge.chargeId}, chain_id, token_address, '0x1', 1, now() from pairs where token = 'USDC'`
      await expectHourly(charge)
    })

    it('is compared every hour while its escrow holds money', async () => {
      const charge = await stage.openCharge({ isEscrow: true })
      await stage.sql`update charges set status = 'underpaid', received_atto = 1`
      await expectHourly(charge)
    })

    it('is otherwise compared only when its age has doubled', async () => {
      const charge = await expired()
      await stage.sql`update charges set settlement_status = 'completed', settled_at = now()`
      await compareAt64Days(charge)
      expect(await dueInMs(charge)).to.be.above(50 * 86_400_000)
    })

    async function expectHourly(charge: OpenCharge): Promise<void> {
      await compareAt64Days(charge)
      expect(await dueInMs(charge)).to.be.within(0, HOUR_MS)
    }

    async function compareAt64Days(charge: OpenCharge): Promise<void> {
      stage.advance(64 * 86_400)
      const comparison = oldChargeComparison(stage)
      await compareAll(stage, comparison)
      await stage.sql`update charge_comparisons set next_at = ${stage.time.now} where charge_id = ${charge.chargeId}`
      await compareAll(stage, comparison)
    }
  })

  it('stays due for comparison while two nodes return different balances', async () => {
    const charge = await expired()
    await reach(charge, 26 * HOUR_MS)
    const { number } = await stage.node.getBlock()
    await mint(charge.address)
    await stage.mine(CONFIRMATIONS)
    hideAfter(number)
    stage.advance(300 * 86_400)
    const before = await readComparison(stage.sql, charge.chargeId)
    const comparison = oldChargeComparison(stage, [proxy.url, stage.rpcUrl])
    await compareAll(stage, comparison)
    expect(await readComparison(stage.sql, charge.chargeId)).to.deep.equal(before)
    expect(comparison.counts).to.include({ found: 0, differences: 0 })
  })

  it('is searched from the block where a killed daemon stopped', async () => {
    const charge = await longExpired()
    await stage.sql`update charge_comparisons set next_at = due_at, compared_number = 10`
    const asked = recordRanges((from) => (from < 100 ? 'error' : 'pass'))
    const killed = comparisonOfOne()
    await killed.turn()
    stage.advance(61)
    await killed.turn()
    const again = recordRanges(() => 'pass')
    stage.advance(3600)
    await compareAll(stage, comparisonOfOne())
    expect(asked.at(-1)?.[0]).to.equal(11)
    expect(Math.max(...again.map(([, to]) => to)), 'the first range is not read twice').to.be.below(200)
    expect((await readComparison(stage.sql, charge.chargeId))?.batchId).to.equal(null)
  })

  it('is searched back as far as nodes serve its logs, with an alert for the blocks that they do not serve', async () => {
    const charge = await longExpired()
    recordRanges((from) => (from < 100 ? 'error' : 'pass'))
    const comparison = comparisonOfOne()
    for (let tries = 0; tries < 8; tries += 1) {
      await compareAll(stage, comparison)
      stage.advance(3600)
    }
    expect(comparison.counts).to.include({ unread: 1 })
    expect(comparison.alerts().map(({ msg }) => msg)).to.deep.equal([UNREAD])
    expect((await readComparison(stage.sql, charge.chargeId))?.unreadNumber).to.be.within(100, 200)
  })

  it('is searched back to its creation, no matter how often a node demands fewer requests', async () => {
    const charge = await longExpired()
    recordRanges((from) => (from < 100 ? { error: { code: -32005, message: 'limit exceeded' } } : 'pass'))
    const comparison = comparisonOfOne()
    for (let tries = 0; tries < 8; tries += 1) {
      await compareAll(stage, comparison)
      stage.advance(3600)
    }
    expect(comparison.counts).to.include({ unread: 0 })
    expect((await readComparison(stage.sql, charge.chargeId))?.comparedNumber).to.equal(null)
    recordRanges(() => 'pass')
    await compareAll(stage, comparisonOfOne())
    expect(await readComparison(stage.sql, charge.chargeId)).to.deep.include({ unreadNumber: null })
    expect((await readComparison(stage.sql, charge.chargeId))?.comparedNumber).to.be.above(1_000)
  })

  it('with a mismatch does not count as searched while one of two nodes serves no logs', async () => {
    const charge = await confirmed()
    await skipTo(charge, 240 * HOUR_MS)
    await mint(charge.address)
    await stage.mine(CONFIRMATIONS)
    stage.advance(3600)
    proxy.rule((method) => (method === 'eth_getLogs' ? 'error' : 'pass'))
    await compareAll(stage, oldChargeComparison(stage, [proxy.url, stage.rpcUrl]))
    const listed = await stage.sql`select from transfers where charge_id = ${charge.chargeId}`
    expect(listed, 'the listed payment is recorded nevertheless').to.have.length(2)
    expect((await readComparison(stage.sql, charge.chargeId))?.batchId).to.not.equal(null)
    proxy.rule(() => 'pass')
    stage.advance(3600)
    await compareAll(stage, oldChargeComparison(stage, [proxy.url, stage.rpcUrl]))
    expect((await readComparison(stage.sql, charge.chargeId))?.batchId).to.equal(null)
  })

  it('stays due for comparison while nodes serve no logs', async () => {
    const charge = await longExpired()
    recordRanges(() => 'error')
    const dueAt = (await readComparison(stage.sql, charge.chargeId))?.dueAt
    const comparison = comparisonOfOne()
    for (let tries = 0; tries < 10; tries += 1) {
      await compareAll(stage, comparison)
      stage.advance(3600)
    }
    expect(comparison.counts).to.include({ unread: 0 })
    expect(await readComparison(stage.sql, charge.chargeId)).to.deep.include({ dueAt, comparedNumber: null })
  })

  it('is compared even if no quorum confirms a payment of another charge in its batch', async () => {
    const [charge, disputed] = [await expired(), await expired()]
    await reach(charge, 240 * HOUR_MS)
    await stage.sql`update charge_comparisons set span = 3`
    await mint(disputed.address)
    await stage.mine(CONFIRMATIONS)
    proxy.rule((method) => (method === 'eth_getTransactionReceipt' ? 'error' : 'pass'))
    const comparison = oldChargeComparison(stage, [proxy.url, stage.rpcUrl])
    stage.advance(300 * 86_400)
    await compareAll(stage, comparison)
    expect((await readComparison(stage.sql, charge.chargeId))?.batchId).to.equal(null)
    expect((await readComparison(stage.sql, disputed.chargeId))?.batchId).to.not.equal(null)
  })

  it('is reported only once if the search does not explain its mismatch', async () => {
    const charge = await confirmed()
    await skipTo(charge, 240 * HOUR_MS)
    await stage.sql`update transfers set amount_atto = amount_atto + 1000000000000`
    const comparison = oldChargeComparison(stage)
    for (let hours = 0; hours < 3; hours += 1) {
      stage.advance(3600)
      await compareAll(stage, comparison)
    }
    expect(comparison.counts).to.include({ differences: 1, unexplained: 1 })
    expect(comparison.alerts().map(({ msg }) => msg)).to.deep.equal([DIFFERS, UNEXPLAINED])
  })

  it('is not reported as unexplained after a third-party transfer into the split behind its escrow', async () => {
    const charge = await confirmed({ isEscrow: true })
    await skipTo(charge, 240 * HOUR_MS)
    await mint(charge.splitAddress)
    await stage.mine(CONFIRMATIONS)
    stage.advance(3600)
    const comparison = oldChargeComparison(stage)
    await compareAll(stage, comparison)
    expect(comparison.counts).to.include({ found: 0, unexplained: 0 })
  })

  it('is compared by only one of two daemons that run at the same time', async () => {
    const charge = await expired()
    await reach(charge, 26 * HOUR_MS)
    await stage.mine()
    stage.advance(300 * 86_400)
    const calls: string[] = []
    proxy.rule((method) => {
      if (method === 'eth_getLogs') calls.push(method)
      return 'pass'
    })
    await Promise.all([comparisonOfOne().turn(), comparisonOfOne().turn()])
    expect(calls).to.have.length(2)
  })

  async function expired(): Promise<OpenCharge> {
    const charge = await stage.openCharge()
    await stage.sql`update charges set status = 'expired' where id = ${charge.chargeId}`
    return charge
  }

  /** Opens a charge that has expired and was never compared, and mines 1,100 blocks. */
  async function longExpired(): Promise<OpenCharge> {
    const charge = await expired()
    stage.advance(26 * 3600)
    await oldChargeComparison(stage).turn()
    await stage.mine(1_100)
    stage.advance(26 * 3600)
    return charge
  }

  async function confirmed(terms: Parameters<Stage['openCharge']>[0] = {}): Promise<OpenCharge> {
    const charge = await stage.openCharge(terms)
    await mint(charge.address)
    await stage.settle()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
    return charge
  }

  /** Advances the clock until the charge has that age, and runs each comparison when it is due. */
  async function reach(charge: OpenCharge, ageMs: number): Promise<void> {
    const untilMs = stage.time.now.getTime() + ageMs
    stage.advance(25 * 3600)
    await ageCharge(stage, oldChargeComparison(stage), { chargeId: charge.chargeId, untilMs })
    await stage.reconcile()
  }

  /** Advances the clock until the charge has that age. Runs only the comparisons of the last hour. */
  async function skipTo(charge: OpenCharge, ageMs: number): Promise<void> {
    stage.advance(ageMs / 1000 - 3600)
    await compareAll(stage, oldChargeComparison(stage))
    const untilMs = stage.time.now.getTime() + HOUR_MS
    await ageCharge(stage, oldChargeComparison(stage), { chargeId: charge.chargeId, untilMs })
    await stage.reconcile()
  }

  /**
   * Hides the recent transaction on the feed's node, checks that range scans do not find it and that the charge is due
   * within `limitMs`, and returns the comparison that runs at that time.
   */
  async function findWithin(
    charge: OpenCharge,
    limits: { readonly ageMs: number; readonly limitMs: number },
  ) {
    const { number } = await stage.node.getBlock()
    await stage.mine(CONFIRMATIONS)
    hideAfter(number - 1n)
    expect(await stage.reconcile({ rpcUrls: nodes }), 'no range scan').to.include({ found: 0 })
    expect(await dueInMs(charge)).to.be.within(0, limits.limitMs)
    stage.time.now = (await readComparison(stage.sql, charge.chargeId))?.dueAt ?? stage.time.now
    const comparison = oldChargeComparison(stage, nodes)
    await compareAll(stage, comparison)
    await stage.takeTurns()
    return comparison
  }

  async function dueInMs({ chargeId }: OpenCharge): Promise<number> {
    const row = await readComparison(stage.sql, chargeId)
    return (row?.dueAt.getTime() ?? Number.POSITIVE_INFINITY) - stage.time.now.getTime()
  }

  /** Makes the proxy hide all logs and receipts, and return balances as of that block. */
  function hideAfter(block: bigint): void {
    proxy.rule((method, [call]) => {
      if (method === 'eth_getLogs') return { result: [] }
      if (method === 'eth_getTransactionReceipt') return { result: null }
      return method === 'eth_call' ? { params: [call, `0x${block.toString(16)}`] } : 'pass'
    })
  }

  function comparisonOfOne() {
    return oldChargeComparison(stage, [proxy.url])
  }

  /** Records the block ranges of the log queries to the proxy's node. The rule passes or fails each query. */
  function recordRanges(rule: (fromBlock: number) => RpcFate) {
    const ranges: (readonly [number, number])[] = []
    proxy.rule((method, [query]) => {
      if (method !== 'eth_getLogs') return 'pass'
      const { fromBlock, toBlock } = Object(query)
      ranges.push([Number(fromBlock), Number(toBlock)])
      return rule(Number(fromBlock))
    })
    return ranges
  }

  function mint(address: Address): Promise<void> {
    return stage.callToken('mint', [address, TEN])
  }

  /** Sends tokens from the Safe to the split. Anvil impersonates the Safe, so no releaser's signature is needed. */
  async function release({ address, splitAddress }: OpenCharge): Promise<void> {
    await stage.node.impersonateAccount({ address })
    await stage.node.setBalance({ address, value: 10n ** 18n })
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [splitAddress, TEN] })
    const params = [{ from: address, to: stage.token, data, gas: '0xf4240' }]
    await stage.node.request({ method: 'eth_sendTransaction', params } as never)
    await stage.mine()
  }
})
