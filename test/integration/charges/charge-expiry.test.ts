import { expect } from 'chai'
import { runChargeTurns } from '../../../indexer/charges/charge-actor.ts'
import { abandonNetwork, resumeNetwork } from '../../../shared/db/chain-facts/daemon/abandoned-networks.ts'
import { markChainIdle } from '../../../shared/db/chain-facts/daemon/deployments.ts'
import type { ChargeRow } from '../../../shared/db/charges/charge-row.ts'
import { insertExpiryOverride } from '../../../shared/db/charges/daemon/expiry-overrides.ts'
import { completeScans, matchBalances } from '../../support/expiry-verifications.ts'
import { CHAINS, type ChainName } from '../../support/factories.ts'
import {
  type ChargeFixture,
  createChargeFixture,
  nowSeconds,
  runAllTurns,
  SILENT_SECONDS,
  secondsFromNow,
} from './charge-fixture.ts'

/**
 * Seconds from now to the deadline. It has passed by our clock, but less than `SILENT_SECONDS` ago, so that only the
 * block times of the chains decide.
 */
const DEADLINE = -600

describe('charge turns at the deadline', () => {
  let stage: ChargeFixture
  let deadline: number

  beforeEach(async () => {
    stage = await createChargeFixture()
    deadline = nowSeconds() + DEADLINE
  })

  afterEach(() => stage.close())

  it('expire an unpaid charge once every accepted network has passed the deadline at depth', async () => {
    const charge = await addDueCharge()
    await stage.moveHead({ chain: 'base', confirmedHeadTimestamp: deadline })
    await stage.moveHead({ chain: 'bnb', confirmedHeadTimestamp: deadline })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'expired', settlementStatus: null })
    expect(await stage.eventsOf(charge)).to.deep.equal(['charge.expired'])
  })

  it('mark a charge that received too little as underpaid, and pay out the received amount', async () => {
    const charge = await addDueCharge()
    await stage.pay(charge, { dollars: 4, timestamp: deadline - 1 })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'underpaid', settlementStatus: 'pending' })
    expect(await stage.eventsOf(charge)).to.deep.equal([
      'charge.partially_paid',
      'charge.underpaid',
      'distribution.available',
    ])
  })

  it('confirm a charge paid in its last second, even if the payment is recorded after the deadline', async () => {
    const charge = await addDueCharge()
    await stage.pay(charge, { timestamp: deadline - 1 })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
    expect(await stage.creditsOf(charge)).to.have.length(1)
  })

  it('expire a charge that was paid exactly at the deadline, and pay the payment out', async () => {
    const charge = await addDueCharge()
    await stage.pay(charge, { timestamp: deadline })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'expired', settlementStatus: 'pending' })
    expect(await stage.payoutsOf(charge)).to.have.length(1)
  })

  it('do not expire a charge before the deadline by our own clock, even if the block times of its chains are later', async () => {
    const charge = await stage.addCharge({ expiresAt: secondsFromNow(60) })
    await stage.moveHead({ chain: 'base', confirmedHeadTimestamp: nowSeconds() + 3600 })
    await stage.moveHead({ chain: 'bnb', confirmedHeadTimestamp: nowSeconds() + 3600 })
    await matchBalances(stage.sql, secondsFromNow(3600))
    await expectOpen(charge)
  })

  describe('block the expiry', () => {
    it('while no block after the deadline is at depth, however high the head is', async () => {
      const charge = await addDueCharge()
      await stage.moveHead({ chain: 'bnb', confirmedHeadTimestamp: deadline - 1, number: 10_000 })
      await expectOpen(charge)
    })

    it('while no block after the charge’s own deadline is at depth, even if a charge with an earlier deadline expires', async () => {
      const older = await addDueCharge(DEADLINE - 60)
      const charge = await addDueCharge()
      await stage.moveHead({ chain: 'bnb', confirmedHeadTimestamp: deadline - 1, number: 10_000 })
      await expectOpen(charge)
      expect(await stage.chargeOf(older)).to.include({ status: 'expired' })
    })

    it('while the feed catches up after our own downtime, however long', async () => {
      const charge = await stage.addCharge({ expiresAt: secondsFromNow(-3000) })
      for (const chain of ['base', 'bnb'] as const) {
        await stage.moveHead({ chain, confirmedHeadTimestamp: nowSeconds() - 3500 })
      }
      await stage.sql`update deployments set max_head_at = now() - interval '1 day'`
      await expectOpen(charge)
    })

    it('while the feed of an accepted network has no head', async () => {
      const charge = await addDueCharge()
      await stage.sql`
        update deployments set head_number = null, confirmed_head_number = null, confirmed_head_timestamp = null,
          agreed_head_number = null, agreed_head_hash = null, agreed_head_timestamp = null
        where chain_id = ${CHAINS.bnb.chainId}`
      await expectOpen(charge)
    })

    it('while the feed, but no quorum, shows a confirmed head after the deadline, even if an operator orders the expiry', async () => {
      const charge = await addDueCharge()
      for (const chain of ['base', 'bnb'] as const)
        await stage.moveHead({ chain, confirmedHeadTimestamp: deadline - 1 })
      await stage.sql`
        update deployments set confirmed_head_timestamp = ${nowSeconds()}, head_timestamp = ${nowSeconds()}`
      await insertExpiryOverride(stage.sql, {
        chargeId: charge.id,
        because: 'the feed is incorrect',
        isDespiteUnconfirmed: true,
      })
      await runAllTurns(stage.deps)
      expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
      for (const chain of ['base', 'bnb'] as const)
        await stage.moveHead({ chain, confirmedHeadTimestamp: deadline })
      await runAllTurns(stage.deps)
      expect(await stage.chargeOf(charge)).to.include({ status: 'expired' })
    })

    it('while the feed of a network is behind the confirmed head that a quorum shows', async () => {
      const charge = await addDueCharge()
      await stage.sql`update deployments set confirmed_head_number = confirmed_head_number - 1 where chain_id = ${CHAINS.bnb.chainId}`
      await expectOpen(charge)
    })

    it('while a transfer mined in time is not at depth', async () => {
      const charge = await addDueCharge()
      await stage.pay(charge, { block: 99, timestamp: deadline - 1 })
      await expectOpen(charge)
      await stage.moveHead({ number: 101 })
      await stage.takeTurns()
      expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
    })

    it('while a transfer mined in time is missing, until it is orphaned', async () => {
      const charge = await addDueCharge()
      await stage.pay(charge, { timestamp: deadline - 1 })
      await stage.sql`update transfers set inclusion = 'missing', missing_since = now()`
      await expectOpen(charge)
      await stage.sql`update transfers set inclusion = 'orphaned'`
      await stage.takeTurns()
      expect(await stage.chargeOf(charge)).to.include({ status: 'expired', receivedAtto: null })
    })

    it('only for transfers that were mined in time and that pay the charge', async () => {
      const charge = await addDueCharge()
      await stage.pay(charge, { block: 99, timestamp: deadline })
      await stage.pay(charge, { block: 99, timestamp: deadline - 1, token: 'USDT' })
      await stage.takeTurns()
      expect(await stage.chargeOf(charge)).to.include({ status: 'expired' })
    })
  })

  describe('without verified balances', () => {
    beforeEach(() => completeScans(stage.sql))

    it('do not expire a charge until its balances on every accepted network are verified', async () => {
      const charge = await addDueCharge()
      await expectOpenAsItIs(charge)
      await prove(charge, { chain: 'base' })
      await expectOpenAsItIs(charge)
      await prove(charge, { chain: 'bnb' })
      await runAllTurns(stage.deps)
      expect(await stage.chargeOf(charge)).to.include({ status: 'expired' })
    })

    it('do not expire a charge if its balances were verified at a block before its deadline', async () => {
      const charge = await addDueCharge()
      await prove(charge, { chain: 'base' })
      await prove(charge, { chain: 'bnb', blockTimestamp: deadline - 1 })
      await expectOpenAsItIs(charge)
    })

    it('do not expire a charge until all blocks up to the block of its verified balances are scanned', async () => {
      const charge = await addDueCharge()
      await prove(charge, { chain: 'base' })
      await prove(charge, { chain: 'bnb' })
      await lookThrough('bnb', 97)
      await expectOpenAsItIs(charge)
      await stage.sql`delete from reconciliations where chain_id = ${CHAINS.bnb.chainId}`
      await expectOpenAsItIs(charge)
      await completeScans(stage.sql)
      await runAllTurns(stage.deps)
      expect(await stage.chargeOf(charge)).to.include({ status: 'expired' })
    })

    it('do not expire a charge on a stalled chain until the confirmed blocks are scanned', async () => {
      const charge = await addDueCharge(-SILENT_SECONDS - 10)
      await silence('bnb')
      await markChainIdle(stage.daemon, { chainId: CHAINS.bnb.chainId, headNumber: 100 })
      await prove(charge, { chain: 'base', blockTimestamp: nowSeconds() })
      await prove(charge, { chain: 'bnb', result: 'matched_at_head', blockNumber: 100, blockTimestamp: 1 })
      await lookThrough('bnb', 97)
      await expectOpenAsItIs(charge)
      await lookThrough('bnb', 98)
      await runAllTurns(stage.deps)
      expect(await stage.chargeOf(charge)).to.include({ status: 'expired' })
    })

    it('do not expire a charge whose balance exceeds our recorded payments, unless an operator orders the expiry', async () => {
      const charge = await addDueCharge()
      await prove(charge, { chain: 'base', result: 'excess' })
      await prove(charge, { chain: 'bnb' })
      await expectOpenAsItIs(charge)
      await insertExpiryOverride(stage.sql, {
        chargeId: charge.id,
        because: 'a stranger’s airdrop',
        isDespiteUnconfirmed: false,
      })
      await runAllTurns(stage.deps)
      expect(await stage.chargeOf(charge)).to.include({ status: 'expired' })
    })

    it('wait for payments mined in time even if an operator orders the expiry', async () => {
      const charge = await addDueCharge()
      await stage.pay(charge, { block: 99, timestamp: deadline - 1 })
      await insertExpiryOverride(stage.sql, {
        chargeId: charge.id,
        because: 'nobody answers',
        isDespiteUnconfirmed: false,
      })
      await expectOpenAsItIs(charge)
    })

    it('expire a charge without verified balances on an abandoned network', async () => {
      const charge = await addDueCharge()
      await prove(charge, { chain: 'base' })
      await abandonNetwork(stage.sql, CHAINS.bnb)
      await runAllTurns(stage.deps)
      expect(await stage.chargeOf(charge)).to.include({ status: 'expired' })
    })

    it('require balances that were read at the head of a stalled chain, not at an earlier block', async () => {
      const charge = await addDueCharge(-SILENT_SECONDS - 10)
      await silence('bnb')
      await markChainIdle(stage.daemon, { chainId: CHAINS.bnb.chainId, headNumber: 100 })
      await prove(charge, { chain: 'base', blockTimestamp: nowSeconds() })
      await prove(charge, { chain: 'bnb', result: 'matched_at_head', blockNumber: 99, blockTimestamp: 1 })
      await expectOpenAsItIs(charge)
      await prove(charge, { chain: 'bnb', result: 'matched_at_head', blockNumber: 100, blockTimestamp: 1 })
      await runAllTurns(stage.deps)
      expect(await stage.chargeOf(charge)).to.include({ status: 'expired' })
    })

    type Proof = {
      readonly chain: ChainName
      readonly result?: 'matched' | 'matched_at_head' | 'excess'
      readonly blockNumber?: number
      readonly blockTimestamp?: number
    }

    async function prove(charge: ChargeRow, proof: Proof): Promise<void> {
      const { chain, result = 'matched', blockNumber = 98, blockTimestamp = deadline + 1 } = proof
      await stage.sql`
        insert into expiry_verifications (charge_id, chain_id, result, block_number, block_timestamp, checked_at, next_attempt_at,
          expected_atomic, found_atomic)
        values (${charge.id}, ${CHAINS[chain].chainId}, ${result}, ${blockNumber}, ${blockTimestamp}, now(), now(), 0, 1)
        on conflict (charge_id, chain_id) do update set result = excluded.result,
          block_number = excluded.block_number, block_timestamp = excluded.block_timestamp`
    }

    async function lookThrough(chain: ChainName, toBlock: number): Promise<void> {
      await stage.sql`
        update reconciliations set scanned_block_number = ${toBlock} where chain_id = ${CHAINS[chain].chainId}`
    }

    async function expectOpenAsItIs(charge: ChargeRow): Promise<void> {
      await runChargeTurns(stage.deps)
      expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    }
  })

  describe('with a silent network', () => {
    it('use our clock after the silence limit if the network’s node reports that the chain is stalled', async () => {
      const [early, late] = [
        await addDueCharge(-SILENT_SECONDS - 10),
        await addDueCharge(-SILENT_SECONDS + 60),
      ]
      await silence('bnb')
      await stage.takeTurns()
      await expectOpen(late)
      await expectOpen(early)

      await markChainIdle(stage.daemon, { chainId: CHAINS.bnb.chainId, headNumber: 100 })
      await stage.takeTurns()
      expect(await stage.chargeOf(early), 'after the bound').to.include({ status: 'expired' })
      await expectOpen(late)
    })

    it('do not treat a chain as stalled if its node is behind our own feed', async () => {
      const charge = await addDueCharge(-SILENT_SECONDS - 10)
      await silence('bnb')
      await stage.sql`update deployments set max_head_number = 101 where chain_id = ${CHAINS.bnb.chainId}`
      await markChainIdle(stage.daemon, { chainId: CHAINS.bnb.chainId, headNumber: 100 })
      await expectOpen(charge)
    })

    it('wait for the chain again if the node’s last report of a stall is more than two minutes old', async () => {
      const charge = await addDueCharge(-SILENT_SECONDS - 10)
      await silence('bnb')
      await stage.sql`
        update deployments set idle_at = now() - interval '121 seconds' where chain_id = ${CHAINS.bnb.chainId}`
      await expectOpen(charge)
    })

    it('wait for a transfer that was mined in time and cannot be confirmed because the chain is stalled', async () => {
      const charge = await addDueCharge(-SILENT_SECONDS - 10)
      await silence('bnb')
      await stage.pay(charge, { chain: 'bnb', block: 99, timestamp: nowSeconds() - SILENT_SECONDS - 20 })
      await markChainIdle(stage.daemon, { chainId: CHAINS.bnb.chainId, headNumber: 100 })
      await expectOpen(charge)
    })

    it('expire charges despite the network and its unconfirmed payments after an operator abandons the network', async () => {
      const [empty, seen] = [await addDueCharge(), await addDueCharge()]
      await silence('bnb')
      await stage.pay(seen, { chain: 'bnb', block: 99, timestamp: deadline - 1 })
      await expectOpen(empty)
      await abandonNetwork(stage.sql, CHAINS.bnb)
      await stage.takeTurns()
      for (const charge of [empty, seen])
        expect(await stage.chargeOf(charge)).to.include({ status: 'expired' })

      await stage.moveHead({ chain: 'bnb', number: 200 })
      await stage.takeTurns()
      expect(await stage.chargeOf(seen), 'when the network is back').to.include({
        ...{ status: 'expired', settlementStatus: 'pending' },
      })
    })

    it('still wait for the charge’s other networks after an operator abandons one', async () => {
      const charge = await addDueCharge()
      await abandonNetwork(stage.sql, CHAINS.bnb)
      await silence('base')
      await expectOpen(charge)
    })

    it('wait for the network again once the operator resumes it', async () => {
      const charge = await addDueCharge()
      await silence('bnb')
      await abandonNetwork(stage.sql, CHAINS.bnb)
      await resumeNetwork(stage.sql, CHAINS.bnb)
      await expectOpen(charge)
    })
  })

  function addDueCharge(seconds = DEADLINE): Promise<ChargeRow> {
    return stage.addCharge({ expiresAt: secondsFromNow(seconds) })
  }

  /** Makes the confirmed head of a chain older than every deadline of these tests. */
  function silence(chain: ChainName): Promise<void> {
    return stage.moveHead({ chain, confirmedHeadTimestamp: nowSeconds() - 3000 })
  }

  /** Verifies the charge's balances, so that only the tested condition can prevent the expiry. */
  async function expectOpen(charge: ChargeRow): Promise<void> {
    await matchBalances(stage.sql)
    await runChargeTurns(stage.deps)
    expect(await stage.chargeOf(charge)).to.include({
      status: 'pending',
      receivedAtto: null,
      quarantinedAt: null,
    })
  }
})
