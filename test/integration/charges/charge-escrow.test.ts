import { expect } from 'chai'
import { runChargeTurns } from '../../../indexer/charges/charge-actor.ts'
import {
  type ObservedEscrowTransfer,
  recordChainRows,
} from '../../../shared/db/chain-facts/daemon/observed-rows.ts'
import type { ChargeRow } from '../../../shared/db/charges/charge-row.ts'
import {
  listDueEscrowTransfers,
  markEscrowTransfersApplied,
} from '../../../shared/db/escrow/daemon/escrow-transfers.ts'
import { atomic, atto } from '../../../shared/domain/money.ts'
import { CHAINS, getTokenAddress, KEEPER, randomHex, units } from '../../support/factories.ts'
import { type ChargeFixture, createChargeFixture, nowSeconds } from './charge-fixture.ts'

describe('charge turns that process escrow transfers', () => {
  let stage: ChargeFixture
  let charge: ChargeRow

  beforeEach(async () => {
    stage = await createChargeFixture()
    charge = await stage.addCharge({ escrowReleaser: KEEPER })
  })

  afterEach(() => stage.close())

  const CHANGES: Readonly<Record<string, Partial<ObservedEscrowTransfer>>> = {
    action: { action: 'refund' },
    recipient: { party: KEEPER },
    amount: { amountAtomic: atomic(1n) },
    'amount below the token’s smallest unit': { dustAtto: atto(1n) },
  }
  for (const [title, change] of Object.entries(CHANGES)) {
    it(`do not mark a transfer as processed if the feed has changed its ${title} since the turn read it`, async () => {
      const movement = release()
      await record(movement)
      await stage.agree()
      const due = await listDueEscrowTransfers(stage.daemon, [charge.id])
      expect(due).to.have.length(1)
      await record({ ...movement, ...change })
      await stage.agree()
      expect(await markEscrowTransfersApplied(stage.daemon, due, new Date())).to.equal(0)
      const again = await listDueEscrowTransfers(stage.daemon, [charge.id])
      expect(await markEscrowTransfersApplied(stage.daemon, again, new Date())).to.equal(1)
    })
  }

  it('process a charge’s deposit before its release, even if small payments to another charge fill the turn', async () => {
    await stage.pay(charge)
    await record(release())
    const other = await stage.addCharge()
    await stage.pay(other, { dollars: 0.01, timestamp: nowSeconds() - 90 })
    await stage.sql`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender,
        value_atomic, amount_atto, accepted, inclusion, block_number, block_hash, block_timestamp, log_index)
      select charge_id, network, token, source, chain_id, token_address, tx_hash, n, sender, value_atomic, amount_atto,
        accepted, inclusion, block_number, block_hash, block_timestamp, n
      from transfers, generate_series(1, 4999) n where charge_id = ${other.id}`
    await stage.agree()
    await runChargeTurns(stage.deps)
    expect(await stage.eventsOf(charge), 'a release before its deposit').to.deep.equal([])
    await stage.takeTurns()
    expect(await stage.eventsOf(charge)).to.include.members(['charge.confirmed', 'distribution.available'])
    const heard = await stage.sql`select from escrow_transfers where applied_at is not null`
    expect(heard).to.have.length(1)
  })

  function record(row: ObservedEscrowTransfer): Promise<void> {
    return recordChainRows(stage.daemon, 'escrow_transfers', { rows: [row], ponderSchema: 'schema_one' })
  }

  /** Builds the release of the charge's whole payment, in a block at confirmation depth. */
  function release(): ObservedEscrowTransfer {
    return {
      ...{ chargeId: charge.id, action: 'release', chainId: CHAINS.base.chainId, ordinal: 0, logIndex: 3 },
      ...{ tokenAddress: getTokenAddress('base'), txHash: randomHex(32), party: charge.splitAddress },
      ...{ amountAtomic: units(10), dustAtto: atto(0n), blockNumber: 91, blockHash: randomHex(32) },
      ...{ blockTimestamp: nowSeconds() - 50, kind: '', isAccepted: true },
    }
  }
})
