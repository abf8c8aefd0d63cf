import { expect } from 'chai'

import { distribute } from '../../../shared/domain/allocation.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { setGasPriceOracle } from '../../support/data-fee-oracles.ts'
import { addressOf, GRACE_SECONDS, type PaidCharge, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'

const HOUR = 3600

describe('a share that a split holds for one recipient', () => {
  let stage: Stage

  stageForEach(async (fresh) => {
    stage = fresh
    await stage.reconcile()
  })

  it('blocks the settlement if it belongs to the merchant, and is released once the restriction ends', async () => {
    const charge = await payRestricted(merchantOf)
    expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'pending' })
    expect(await stage.payoutOf(charge)).to.include({ status: 'processing' })
    await stage.cast().release()
    expect(await stage.relayerTransactions(), 'no release while the recipient is restricted').to.have.length(
      1,
    )

    await stage.callToken('unBlacklist', [merchantOf(charge)])
    stage.advance(HOUR)
    await stage.cast().release()
    await stage.settle()
    expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
    expect(await stage.payoutOf(charge)).to.include({ status: 'completed' })
    await expectPaid(charge)
  })

  it('does not delay the settlement if it belongs to another recipient, and is released later', async () => {
    const charge = await payRestricted(partnerOf)
    expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
    await stage.callToken('unBlacklist', [partnerOf(charge)])
    stage.advance(HOUR)
    await stage.cast().release()
    await stage.settle()
    await expectPaid(charge)
  })

  it('is released once its L1 data fee is within our limit again', async () => {
    const charge = await payRestricted(partnerOf)
    await stage.callToken('unBlacklist', [partnerOf(charge)])
    stage.advance(HOUR)
    await setGasPriceOracle(stage.node, { weiPerByte: 10n ** 14n, operatorWei: 0n })
    await stage.cast().release()
    expect(await stage.relayerTransactions()).to.have.length(1)
    await setGasPriceOracle(stage.node, { weiPerByte: 1n, operatorWei: 0n })
    stage.advance(60)
    await stage.cast().release()
    await stage.settle()
    await expectPaid(charge)
  })

  it('is released only once, even if the worker runs repeatedly', async () => {
    const charge = await payRestricted(partnerOf)
    await stage.callToken('unBlacklist', [partnerOf(charge)])
    stage.advance(HOUR)
    const { release } = stage.cast()
    await release()
    stage.advance(2 * HOUR)
    await release()
    expect(await stage.relayerTransactions()).to.have.length(2)
    await stage.settle()
    stage.advance(2 * HOUR)
    await release()
    expect(await stage.relayerTransactions()).to.have.length(2)
    await expectPaid(charge)
  })

  it('is checked hourly, without further transactions while the restriction lasts', async () => {
    await payRestricted(merchantOf)
    const { release } = stage.cast()
    for (let look = 1; look <= 5; look += 1) {
      stage.advance(HOUR)
      await release()
    }
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('is released again after a reorganization has removed the release', async () => {
    const charge = await payRestricted(partnerOf)
    await stage.callToken('unBlacklist', [partnerOf(charge)])
    stage.advance(HOUR)
    const { release, relayer } = stage.cast()
    await release()
    await stage.mine()
    await relayer.turn()
    await stage.node.request({ method: 'anvil_reorg', params: [1, []] } as never)
    await stage.emptyPool()
    await relayer.turn()
    stage.advance(60)
    await relayer.turn()
    await stage.settle()
    await expectPaid(charge)
  })

  /** Creates a charge that is paid and distributed by our worker while one of its recipients is restricted. */
  async function payRestricted(whom: (charge: PaidCharge) => string): Promise<PaidCharge> {
    const charge = await stage.openCharge()
    await stage.callToken('blacklist', [whom(charge)])
    await stage.callToken('mint', [charge.splitAddress, 10_000_000n])
    await stage.settle()
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    await stage.settle()
    await stage.cast().relayer.turn()
    return charge
  }

  async function expectPaid({ split, splitAddress }: PaidCharge): Promise<void> {
    const balances = await Promise.all(split.recipients.map((account) => stage.balanceOf(account)))
    expect(balances).to.deep.equal(distribute({ amount: atomic(10_000_000n), split }).payouts)
    expect(await stage.balanceOf(splitAddress)).to.equal(0n)
  }
})

function merchantOf({ split }: PaidCharge) {
  return addressOf(split.recipients[0] ?? '')
}

function partnerOf({ split }: PaidCharge) {
  return addressOf(split.recipients[1] ?? '')
}
