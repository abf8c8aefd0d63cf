import { expect } from 'chai'
import { CONFIRMATIONS, GRACE_SECONDS, type PaidCharge, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'

describe('payments after a charge was confirmed', function () {
  this.timeout(240_000)

  let stage: Stage

  stageForEach((fresh) => {
    stage = fresh
  })

  it('neither delay the settlement nor cost gas if they are dust, on any pair', async () => {
    const charge = await openCharge()
    await pay(charge, 10_000_000n)
    const { turn, relayer } = stage.cast()
    for (let times = 1; times <= 4; times += 1) {
      await pay(charge, 1n, stage.usdt)
      await pay(charge, 1n)
      stage.advance(GRACE_SECONDS)
      await turn()
      await stage.mine(CONFIRMATIONS)
      await relayer.turn()
      await applyDistributions()
    }
    stage.advance(24 * 3600)
    await turn()

    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', settlementStatus: 'completed' })
    expect(await stage.relayerTransactions()).to.have.length(1)
    expect(await stage.balanceOf(charge.splitAddress, stage.usdt)).to.equal(4n)
  })

  it('are paid out together once their sum is large enough', async () => {
    const charge = await openCharge()
    await pay(charge, 10_000_000n)
    await pay(charge, 600_000n, stage.usdt)
    const { turn, relayer } = stage.cast()
    stage.advance(GRACE_SECONDS)
    await turn()
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    expect(await stage.relayerTransactions()).to.have.length(1)

    await pay(charge, 400_000n, stage.usdt)
    stage.advance(GRACE_SECONDS)
    await turn()
    await stage.mine()
    expect(await stage.relayerTransactions()).to.have.length(2)
    expect(await stage.balanceOf(charge.splitAddress, stage.usdt)).to.equal(0n)
  })

  it('do not make the settlement fail if they cannot be paid out', async () => {
    const told: string[] = []
    const { turn } = stage.cast({
      workerTerms: { maxGas: 1000n, attemptDelaysSeconds: [0] },
      reportPayoutFailed: async (_, chargeId) => {
        told.push(chargeId)
      },
    })
    const charge = await openCharge()
    await pay(charge, 10_000_000n)
    await pay(charge, 5_000_000n, stage.usdt)
    await stage.sql`update payouts set next_attempt_at = 'infinity' where token = 'USDC'`
    stage.advance(GRACE_SECONDS)
    await turn()
    expect(await stage.payoutOf(charge, 'USDT')).to.include({ status: 'failed' })
    expect(told).to.deep.equal([])
  })

  function openCharge(): Promise<PaidCharge> {
    return stage.openCharge({ acceptedPayments: ['USDC/base', 'USDT/base'] })
  }

  /** Pays the charge, brings the payment to confirmation depth, and records and processes it. */
  async function pay(charge: PaidCharge, amount: bigint, token = stage.token): Promise<void> {
    await stage.callToken('mint', [charge.splitAddress, amount], token)
    await stage.settle()
  }

  /** Records the events of our own transactions as the feed does, once they are confirmed. */
  async function applyDistributions(): Promise<void> {
    for (const { payoutId, txHash, status } of await stage.relayerTransactions()) {
      if (status !== 'final') continue
      await stage.sql`
        insert into split_events (charge_id, kind, chain_id, token_address, tx_hash, ordinal, account, amount_atomic,
          inclusion, block_number, block_hash, block_timestamp, log_index)
        select charge_id, 'distributed', chain_id, token_address, ${txHash}, 0, '0x1', 10000001, 'included', 1, '0x', 1, 0
        from payouts where id = ${payoutId} on conflict do nothing`
    }
    await stage.takeTurns()
  }
})
