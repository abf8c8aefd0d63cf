import { expect } from 'chai'

import { openPayouts } from '../../../indexer/payouts/open-payouts.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import { distribute } from '../../../shared/domain/allocation.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { ACCOUNTS, toSigner } from '../../devnet/accounts.ts'
import { createDatabaseLink } from '../../support/database-link.ts'
import {
  addressOf,
  anotherProcess,
  CONFIRMATIONS,
  catchMessage,
  FIRST_IN_BLOCK,
  GRACE_SECONDS,
  type PaidCharge,
  type Stage,
} from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { connectForTest } from '../../support/postgres.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const RELAYER = addressOf(ACCOUNTS.relayer.address)

/** A gas limit below the cost of any distribution, so that every attempt fails. */
const TOO_LITTLE_GAS = { maxGas: 1000n }

describe('the payout worker', () => {
  let stage: Stage

  stageForEach((fresh) => {
    stage = fresh
  })

  it('pays each recipient and the relayer exactly the amounts that our own computation predicts', async () => {
    const charge = await stage.pay({ amount: 10_000_001n })
    stage.advance(GRACE_SECONDS)
    const { turn } = stage.cast()
    await turn()
    await stage.mine()

    const expected = distribute({ amount: atomic(10_000_001n), split: charge.split })
    const balances = await Promise.all(charge.split.recipients.map((account) => stage.balanceOf(account)))
    expect(balances).to.deep.equal(expected.payouts)
    expect(await stage.balanceOf(RELAYER)).to.equal(expected.incentive)
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
  })

  it('pays only after the keepers’ grace period', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    stage.advance(GRACE_SECONDS - 1)
    await stage.cast().turn()
    expect(await stage.payoutOf(charge)).to.include({ status: 'pending', attempts: 0 })
  })

  it('notifies the keepers of its claim', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    const feed = await stage.feed()
    expect(feed.map(({ type }) => type)).to.deep.equal(['distribution.available', 'distribution.claimed'])
    expect(feed[1]).to.include({ network: 'base', token: 'USDC' })
    expect(feed[1]?.splitAddress?.toLowerCase()).to.equal(charge.splitAddress)
  })

  it('sends no second transaction while the feed does not show a distribution whose receipt is final', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    stage.advance(GRACE_SECONDS)
    const { turn, relayer } = stage.cast()
    await turn()
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    stage.advance(3600)
    await turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
    expect((await stage.relayerTransactions())[0]?.status).to.equal('final')
    expect(await stage.payoutOf(charge)).to.include({ status: 'processing', attempts: 1 })
  })

  it('checks an empty split again after the lease, without counting a failure', async () => {
    const charge = await stage.pay({ amount: 10_000_000n, isOnChain: false })
    stage.advance(GRACE_SECONDS)
    const { turn } = stage.cast()
    await turn()
    expect(await stage.payoutOf(charge)).to.include({ status: 'processing', attempts: 1, lastError: null })

    await stage.callToken('mint', [charge.splitAddress, 10_000_000n])
    await turn()
    expect(await stage.relayerTransactions()).to.have.length(0)
    stage.advance(60)
    await turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
    expect(await stage.payoutOf(charge)).to.include({ status: 'processing', attempts: 1 })
  })

  it('checks an empty split less and less often, but at least every hour', async () => {
    const charge = await stage.pay({ amount: 10_000_000n, isOnChain: false })
    stage.advance(GRACE_SECONDS)
    const { turn } = stage.cast()
    const waits: number[] = []
    for (let look = 1; look <= 9; look += 1) {
      await turn()
      const { nextAttemptAt } = await stage.payoutOf(charge)
      waits.push((nextAttemptAt.getTime() - stage.time.now.getTime()) / 1000)
      stage.advance(waits.at(-1) ?? 0)
    }
    expect(waits).to.deep.equal([60, 60, 120, 240, 480, 960, 1920, 3600, 3600])
    expect(await stage.payoutOf(charge)).to.include({ status: 'processing', attempts: 1, lastError: null })
  })

  it('checks an empty split again soon after more money is credited', async () => {
    const charge = await stage.pay({ amount: 10_000_000n, isOnChain: false })
    stage.advance(GRACE_SECONDS)
    const { turn } = stage.cast()
    for (let look = 1; look <= 8; look += 1) {
      await turn()
      stage.time.now = (await stage.payoutOf(charge)).nextAttemptAt
    }
    await turn()
    await stage.callToken('mint', [charge.splitAddress, 1_000_000n])
    await stage.sql`update charge_ledgers set credited_atomic = credited_atomic + 1000000`
    await inTransaction(stage.sql, (db) =>
      openPayouts(db, { chargeIds: [charge.chargeId], graceSeconds: GRACE_SECONDS, nowDate: stage.time.now }),
    )
    stage.advance(GRACE_SECONDS)
    await turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('does not pay an amount that a keeper has already distributed, even before the ledger counts it', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    await stage.distributeAsKeeper(charge)
    await stage.mine()
    await stage.callToken('mint', [charge.splitAddress, 1n])
    await stage.sql`
      insert into split_events (charge_id, kind, chain_id, token_address, tx_hash, ordinal, account, amount_atomic,
        inclusion, block_number, block_hash, block_timestamp, log_index)
      select charge_id, 'distributed', chain_id, token_address, '0x1', 0, '0x1', credited_atomic, 'included', 1, '0x', 1, 0
      from charge_ledgers where charge_id = ${charge.chargeId}`
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    expect(await stage.payoutOf(charge)).to.include({ status: 'pending', attempts: 0 })
  })

  it('waits at most ten minutes for a distribution that no quorum shows', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    await stage.mine(CONFIRMATIONS)
    await stage.moveFeed()
    await stage.sql`
      insert into split_events (charge_id, kind, chain_id, token_address, tx_hash, ordinal, account, amount_atomic,
        inclusion, block_number, block_hash, block_timestamp, log_index, detected_at)
      select charge_id, 'distributed', chain_id, token_address, '0x1', 0, '0x1', credited_atomic, 'included', 1, '0x', 1, 0,
        ${stage.time.now} from charge_ledgers where charge_id = ${charge.chargeId}`
    stage.advance(599)
    await stage.cast().turn()
    expect(await stage.payoutOf(charge)).to.include({ status: 'pending', attempts: 0 })
    stage.advance(2)
    await stage.cast().turn()
    expect(await stage.payoutOf(charge)).to.include({ status: 'processing', attempts: 1 })
  })

  it('does not fail if a keeper is faster, and accepts the keeper’s distribution as the payout', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    stage.advance(GRACE_SECONDS)
    const { turn, relayer } = stage.cast()
    await turn()
    const keeperTx = await stage.distributeAsKeeper(charge, FIRST_IN_BLOCK)
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    expect((await stage.relayerTransactions())[0]?.status).to.equal('reverted')

    await turn()
    expect(await stage.payoutOf(charge)).to.include({ status: 'processing', attempts: 1, lastError: null })
    await stage.applyDistribution(charge, keeperTx)
    stage.advance(3600)
    await turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('fails an attempt once the revert of its transaction is confirmed, and pays in the next attempt', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    stage.advance(GRACE_SECONDS)
    const { turn, relayer } = stage.cast()
    await turn()
    await pauseBeforeNextBlock(stage)
    await stage.callToken('unpause')
    await relayer.turn()
    await turn()
    expect(await stage.payoutOf(charge), 'not at confirmation depth yet').to.include({ status: 'processing' })

    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    await turn()
    const failed = await stage.payoutOf(charge)
    expect(failed).to.include({ status: 'pending', attempts: 1, lastError: 'transaction was reverted' })
    expect(failed.nextAttemptAt).to.deep.equal(new Date(stage.time.now.getTime() + 30_000))

    stage.advance(30)
    await turn()
    await stage.mine()
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
  })

  it('offers a payout to the keepers again after a failed attempt, until the worker’s next attempt', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    const { turn } = stage.cast({ workerTerms: TOO_LITTLE_GAS })
    stage.advance(GRACE_SECONDS)
    await turn()
    const feed = await stage.feed()
    expect(feed.map(({ type }) => type)).to.deep.equal([
      'distribution.available',
      'distribution.claimed',
      'distribution.available',
    ])
    const { graceEndsAt, nextAttemptAt } = await stage.payoutOf(charge)
    expect(feed[2]?.distribution?.graceEndsAt).to.equal(graceEndsAt.toISOString())
    expect(graceEndsAt).to.deep.equal(nextAttemptAt)
  })

  it('runs its attempts at the configured times, and then notifies the charge once', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    const told: string[] = []
    const { turn } = stage.cast({
      workerTerms: { ...TOO_LITTLE_GAS, attemptDelaysSeconds: [0, 30, 120] },
      reportPayoutFailed: async (_, chargeId) => {
        told.push(chargeId)
      },
    })
    stage.advance(GRACE_SECONDS)
    const first = stage.time.now.getTime()
    const attemptedAt: number[] = []
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      attemptedAt.push((stage.time.now.getTime() - first) / 1000)
      expect(told).to.deep.equal([])
      await turn()
      stage.time.now = (await stage.payoutOf(charge)).nextAttemptAt
    }
    expect(attemptedAt).to.deep.equal([0, 30, 120])
    expect(await stage.payoutOf(charge)).to.include({ status: 'failed', attempts: 3 })
    stage.advance(100_000)
    await turn()
    expect(told).to.deep.equal([charge.chargeId])
    // We no longer pay the charge out, but anyone else still can.
    expect((await stage.feed()).at(-1)?.type).to.equal('distribution.available')
  })

  it('fails a payout only in the transaction that notifies its charge', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    const { turn } = stage.cast({
      workerTerms: { ...TOO_LITTLE_GAS, attemptDelaysSeconds: [0] },
      reportPayoutFailed: () => Promise.reject(new Error('the charge could not be notified')),
    })
    stage.advance(GRACE_SECONDS)
    expect(await catchMessage(turn())).to.equal('the charge could not be notified')
    expect(await stage.payoutOf(charge)).to.include({ status: 'processing' })
  })

  it('fails the payout of a quarantined charge only after the quarantine', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    const told: string[] = []
    const { turn } = stage.cast({
      workerTerms: { ...TOO_LITTLE_GAS, attemptDelaysSeconds: [0] },
      reportPayoutFailed: async (_, chargeId) => {
        told.push(chargeId)
      },
    })
    await stage.sql`update charges set quarantined_at = now()`
    stage.advance(GRACE_SECONDS)
    await turn()
    const parked = await stage.payoutOf(charge)
    expect([parked.status, told]).to.deep.equal(['pending', []])

    await stage.sql`update charges set quarantined_at = null`
    stage.time.now = parked.nextAttemptAt
    await turn()
    expect((await stage.payoutOf(charge)).status).to.equal('failed')
    expect(told).to.deep.equal([charge.chargeId])
  })

  it('checks a payout hourly while no recipient can receive it, without counting attempts, and pays it afterwards', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    await stage.callToken('pause')
    stage.advance(GRACE_SECONDS)
    const { turn } = stage.cast()
    await turn()
    const held = await stage.payoutOf(charge)
    expect(held).to.include({ status: 'pending', attempts: 0, lastError: 'AllPayoutsFailed' })
    expect(held.heldSince).to.deep.equal(stage.time.now)

    stage.advance(3599)
    await turn()
    expect(await stage.payoutOf(charge)).to.deep.equal(held)
    stage.advance(1)
    await turn()
    expect((await stage.payoutOf(charge)).heldSince).to.deep.equal(held.heldSince)

    await stage.callToken('unpause')
    stage.advance(3600)
    await turn()
    await stage.mine()
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
    expect(await stage.payoutOf(charge)).to.include({ attempts: 1, heldSince: null })
  })

  it('pays without the incentive if the issuer restricts our own account', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    await stage.callToken('blacklist', [RELAYER])
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    await stage.mine()
    const balances = await Promise.all(charge.split.recipients.map((account) => stage.balanceOf(account)))
    expect(balances.reduce((sum, balance) => sum + balance)).to.equal(10_000_000n)
  })

  it('leaves the share of a restricted recipient in the split, and pays the other recipients', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    const [merchant, partner] = charge.split.recipients
    await stage.callToken('blacklist', [merchant])
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    await stage.mine()
    const { payouts } = distribute({ amount: atomic(10_000_000n), split: charge.split })
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(payouts[0])
    expect(await stage.balanceOf(partner ?? RELAYER)).to.equal(payouts[1])
  })

  it('does not pay dust until the sum reaches the minimum payout', async () => {
    const charge = await stage.pay({ amount: 999_999n, status: 'underpaid' })
    stage.advance(GRACE_SECONDS)
    const { turn } = stage.cast()
    await turn()
    expect(await stage.payoutOf(charge)).to.include({ status: 'pending', attempts: 0 })

    await stage.sql`update charge_ledgers set credited_atomic = 1000000`
    await stage.callToken('mint', [charge.splitAddress, 1n])
    await turn()
    expect(await stage.relayerTransactions(), 'checked once an hour').to.have.length(0)
    stage.advance(3600)
    await turn()
    await stage.mine()
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
  })

  it('pays any amount that a confirmed charge needs to settle', async () => {
    const charge = await stage.pay({ amount: 1n })
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    expect(await stage.payoutOf(charge)).to.include({ status: 'processing' })
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('pays any amount that an underpaid charge needs to settle, if the charge has received enough in time', async () => {
    const charge = await stage.pay({ amount: 1n, status: 'underpaid' })
    await stage.sql`update charges set received_atto = 1000000000000000000, on_time_atto = 1000000000000000000`
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    expect(await stage.payoutOf(charge)).to.include({ status: 'processing' })
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('ignores dust after the settlement of a charge, no matter how much the charge received before', async () => {
    const charge = await stage.pay({ amount: 1n, status: 'underpaid' })
    await stage.sql`
      update charges set received_atto = 1000000000000000000, settlement_status = 'completed', settled_at = now()`
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    expect(await stage.payoutOf(charge)).to.include({ status: 'pending', attempts: 0 })
  })

  it('sends one transaction per payout if two processes use one database', async () => {
    const charges: PaidCharge[] = []
    for (let number = 1; number <= 5; number += 1) charges.push(await stage.pay({ amount: 5_000_000n }))
    stage.advance(GRACE_SECONDS)
    const sql = anotherProcess(stage)
    const casts = [stage.cast(), stage.cast({ sql })]
    for (let round = 1; round <= 3; round += 1) {
      await Promise.all(casts.flatMap(({ turn, relayer }) => [turn(), relayer.turn()]))
      stage.advance(61)
    }
    await sql.end()
    await stage.mine()

    const sent = await stage.relayerTransactions()
    const payouts = await Promise.all(charges.map((charge) => stage.payoutOf(charge)))
    expect(payouts.map(({ attempts }) => attempts)).to.deep.equal([1, 1, 1, 1, 1])
    const claims = (await stage.feed()).filter(({ type }) => type === 'distribution.claimed')
    // If a busy machine fails to sign a payout in time, the payout is claimed again.
    expect(new Set(claims.map(({ splitAddress }) => splitAddress))).to.have.property('size', 5)
    expect(sent.map(({ payoutId }) => payoutId)).to.have.members(payouts.map(({ id }) => id))
    expect(await stage.node.getTransactionCount({ address: RELAYER })).to.equal(5)
    expect(await Promise.all(charges.map(({ splitAddress }) => stage.balanceOf(splitAddress)))).to.deep.equal(
      [0n, 0n, 0n, 0n, 0n],
    )
  })

  it('skips a payout that another session has locked, instead of waiting for it', async () => {
    const [held, free] = [await stage.pay({ amount: 5_000_000n }), await stage.pay({ amount: 5_000_000n })]
    stage.advance(GRACE_SECONDS)
    await stage.sql.begin(async (db) => {
      await db`select from payouts where charge_id = ${held.chargeId} for no key update`
      await stage.cast().turn()
    })
    expect(await stage.payoutOf(held)).to.include({ status: 'pending', attempts: 0 })
    expect(await stage.payoutOf(free)).to.include({ status: 'processing', attempts: 1 })
  })

  it('resumes the attempt of a worker that was killed after its claim, as the same attempt', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    await stage.sql`
      update payouts set status = 'processing', attempts = 1, processing_started_at = ${stage.time.now},
        next_attempt_at = ${stage.time.now}, leased_until = ${new Date(stage.time.now.getTime() + 60_000)}`
    const { turn } = stage.cast()
    stage.advance(59)
    await turn()
    expect(await stage.relayerTransactions()).to.have.length(0)
    stage.advance(1)
    await turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
    expect(await stage.payoutOf(charge)).to.include({ status: 'processing', attempts: 1 })
  })

  describe('with a failing node', () => {
    let proxy: RpcProxy

    beforeEach(async () => {
      proxy = await startRpcProxy(stage.rpcUrl)
    })

    afterEach(() => proxy.stop())

    for (const fate of ['hang', 'error'] as const) {
      it(`uses up no attempt while calls fail at the node (${fate}), and pays once they succeed`, async () => {
        const charge = await stage.pay({ amount: 10_000_000n })
        stage.advance(GRACE_SECONDS)
        const { turn } = stage.cast({ rpcUrl: proxy.url, ...(fate === 'hang' && { timeoutMs: 2_000 }) })
        proxy.rule((method) => (method === 'eth_call' ? fate : 'pass'))
        for (let outage = 1; outage <= 10; outage += 1) {
          // On a busy machine, other calls can exceed the short timeout as well, and the turn then fails.
          if (fate === 'hang') await turn().catch(() => undefined)
          else await turn()
          expect(await stage.payoutOf(charge)).to.include({ status: 'pending', attempts: 0 })
          stage.advance(60)
        }
        expect(await stage.relayerTransactions()).to.have.length(0)

        proxy.rule(() => 'pass')
        await stage.cast({ rpcUrl: proxy.url }).turn()
        await stage.mine()
        expect(await stage.payoutOf(charge)).to.include({ status: 'processing', attempts: 1 })
        expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
      }).timeout(240_000)
    }

    it('does not claim a payout or notify keepers while no node responds', async () => {
      const charge = await stage.pay({ amount: 10_000_000n })
      stage.advance(GRACE_SECONDS)
      proxy.rule(() => 'error')
      expect(await catchMessage(stage.cast({ rpcUrl: proxy.url }).turn())).to.include('HTTP request failed')
      expect(await stage.payoutOf(charge)).to.include({ status: 'pending', attempts: 0 })
      expect((await stage.feed()).map(({ type }) => type)).to.deep.equal(['distribution.available'])
    })

    it('does not send a second transaction if the response to its broadcast is lost', async () => {
      const charge = await stage.pay({ amount: 10_000_000n })
      stage.advance(GRACE_SECONDS)
      const { turn, relayer } = stage.cast({ rpcUrl: proxy.url })
      proxy.rule((method) => (method === 'eth_sendRawTransaction' ? 'lose-answer' : 'pass'))
      await turn()
      await relayer.turn()
      stage.advance(31)
      await relayer.turn()
      await stage.mine(CONFIRMATIONS)
      await relayer.turn()
      const sent = await stage.relayerTransactions()
      expect(sent.map(({ status, nonce }) => ({ status, nonce }))).to.deep.equal([
        { status: 'final', nonce: 0 },
      ])
      expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
    })

    it('resumes the same attempt immediately if the database connection was lost during the attempt', async () => {
      const charge = await stage.pay({ amount: 10_000_000n })
      stage.advance(GRACE_SECONDS)
      const link = await createDatabaseLink()
      const sql = connectForTest(link.through(stage.database.url.daemon))
      const { turn } = stage.cast({ rpcUrl: proxy.url, sql })
      let isCut = false
      proxy.rule(async (method) => {
        if (method === 'eth_estimateGas' && !isCut) {
          isCut = true
          await link.cut()
        }
        return 'pass' as const
      })
      await catchMessage(turn())
      await link.mend()
      await turn()
      await stage.mine()
      expect(await stage.payoutOf(charge)).to.include({ status: 'processing', attempts: 1 })
      expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
      await sql.end()
      await link.cut()
    })

    it('does not sign for an attempt that another process has resumed in the meantime', async () => {
      await stage.pay({ amount: 10_000_000n })
      stage.advance(GRACE_SECONDS)
      const slow = stage.cast({ rpcUrl: proxy.url })
      const quick = stage.cast()
      proxy.rule(async (method) => {
        if (method === 'eth_estimateGas') {
          stage.advance(60)
          await quick.turn()
        }
        return 'pass' as const
      })
      await slow.turn()
      await stage.mine()
      expect(await stage.relayerTransactions()).to.have.length(1)
      expect(await stage.node.getTransactionCount({ address: RELAYER })).to.equal(1)
    })

    it('does not fail an attempt that another process has resumed in the meantime', async () => {
      const charge = await stage.pay({ amount: 10_000_000n, isOnChain: false })
      stage.advance(GRACE_SECONDS)
      const quick = stage.cast()
      proxy.rule(async (method) => {
        if (method !== 'eth_call') return 'pass'
        stage.advance(60)
        await quick.turn() // Finds an empty split, and waits for the feed.
        return 'error'
      })
      await stage.cast({ rpcUrl: proxy.url }).turn()
      expect(await stage.payoutOf(charge)).to.include({ status: 'processing', lastError: null })
    })

    it('never signs while a transaction of the payout is unresolved, even without a lease', async () => {
      const charge = await stage.pay({ amount: 10_000_000n })
      const other = await stage.pay({ amount: 10_000_000n })
      stage.advance(GRACE_SECONDS)
      await stage.cast({ workerTerms: { batchSize: 1 } }).turn()
      const { id: payoutId } = await stage.payoutOf(other)
      proxy.rule(async (method) => {
        // Turns the transaction of the first payout into a transaction of the second payout.
        if (method === 'eth_estimateGas')
          await stage.sql`update relayer_transactions set payout_id = ${payoutId}`
        return 'pass' as const
      })
      await stage.sql`update payouts set next_attempt_at = 'infinity' where charge_id = ${charge.chargeId}`
      await stage.cast({ rpcUrl: proxy.url }).turn()
      expect(await stage.relayerTransactions()).to.have.length(1)
    })

    it('respects the limit on unmined transactions if two processes reach it simultaneously', async () => {
      for (let number = 1; number <= 10; number += 1) await stage.pay({ amount: 5_000_000n })
      stage.advance(GRACE_SECONDS)
      const other = stage.cast()
      let filled: Promise<unknown> | undefined
      proxy.rule(async (method) => {
        if (method === 'eth_estimateGas') await (filled ??= other.turn())
        return 'pass' as const
      })
      await stage.cast({ rpcUrl: proxy.url }).turn()
      expect(await stage.relayerTransactions()).to.have.length(8)
    })

    it('does not sign a transaction based on a node of another chain', async () => {
      const charge = await stage.pay({ amount: 10_000_000n })
      stage.advance(GRACE_SECONDS)
      proxy.rule((method) => (method === 'eth_chainId' ? { result: '0x2105' } : 'pass'))
      expect(await catchMessage(stage.cast({ rpcUrl: proxy.url }).turn())).to.include(
        'serves chain 8453, not 31337',
      )
      expect(await stage.relayerTransactions()).to.have.length(0)
      expect(await stage.payoutOf(charge), 'the payout is not claimed').to.include({
        ...{ attempts: 0, status: 'pending' },
      })
    })
  })
})

/** Pauses the token in the next block, before our pending transaction. */
async function pauseBeforeNextBlock(stage: Stage): Promise<void> {
  await stage.wallet.writeContract({
    account: toSigner(ACCOUNTS.payer),
    address: stage.token,
    abi: [{ type: 'function', name: 'pause', inputs: [], outputs: [], stateMutability: 'nonpayable' }],
    functionName: 'pause',
    gas: 200_000n,
    ...FIRST_IN_BLOCK,
  })
  await stage.mine()
}
