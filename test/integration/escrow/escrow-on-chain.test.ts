import { expect } from 'chai'
import { listExpectedBalances } from '../../../shared/db/chain-facts/daemon/expected-balances.ts'
import type { Address } from '../../../shared/domain/address.ts'
import {
  createEscrowFixture,
  type EscrowFixture,
  type PaidEscrowCharge,
} from '../../support/escrow-fixture.ts'
import { type EscrowMoves, escrowMoves, HELD, REFUNDED } from '../../support/escrow-moves.ts'

const STRANGER = `0x${'99'.repeat(20)}` as Address

/** The tests record transfers out of the Safe in the same way as reconciliation. */
describe('an escrow whose transfers are recorded from the chain', function () {
  this.timeout(240_000)
  let stage: EscrowFixture
  let charge: PaidEscrowCharge
  let moves: EscrowMoves

  before(async () => {
    stage = await createEscrowFixture('TestUSDT')
    moves = escrowMoves(stage)
  })

  after(() => stage?.close())

  beforeEach(async () => {
    await stage.callToken('setParams', 0n, 0n)
    charge = await moves.payEscrow()
  })

  it('is released and settled by an order, even if the token takes a fee', async () => {
    await stage.callToken('setParams', 19n, 49n)
    await stage.order(charge, 'release')
    const { turn, relayer } = stage.cast()
    await turn()
    await stage.mine(4)
    await relayer.turn()
    await turn()
    await moves.takeUp((await stage.transactions()).map(({ txHash }) => txHash))
    expect(await ledger()).to.deep.include({
      ...{ withdrawnAtomic: 10_000_000n, releasedAtomic: 9_981_000n, distributedAtomic: 9_981_000n },
    })
    expect(await moves.stateOf(charge)).to.deep.equal({
      settlement: 'completed',
      isReleased: true,
      isRefunded: false,
    })
    expect(await moves.eventsOf(charge)).to.deep.equal(['charge.escrow_released', 'charge.settled'])
    await turn()
    expect((await stage.sql`select status from escrow_orders`)[0]?.['status']).to.equal('final')
  })

  it('pays out transfers into the split after a refund, without settling', async () => {
    await moves.takeUp([await moves.move(charge, STRANGER, 10_000_000n)])
    expect(await moves.stateOf(charge)).to.deep.equal(REFUNDED)
    expect(await owed()).to.deep.equal([])

    await stage.callToken('mint', charge.safe, 8_000_000n)
    await moves.takeUp([await moves.move(charge, charge.split, 8_000_000n)])
    expect(await owed()).to.deep.equal([{ status: 'pending', owed: 8_000_000n }])
    expect(await offers()).to.deep.equal(['distribution.available'])
    await moves.takeUp([await moves.distribute(charge, STRANGER)])
    expect(await owed()).to.deep.equal([{ status: 'completed', owed: 0n }])
    expect(await moves.stateOf(charge)).to.deep.equal(REFUNDED)
  })

  it('pays out a partial transfer into the split before the release, without settling', async () => {
    await moves.takeUp([await moves.move(charge, charge.split, 4_000_000n)])
    expect(await owed()).to.deep.equal([{ status: 'pending', owed: 4_000_000n }])
    await moves.takeUp([await moves.distribute(charge, STRANGER)])
    expect(await owed()).to.deep.equal([{ status: 'completed', owed: 0n }])
    expect(await moves.stateOf(charge)).to.deep.equal(HELD)
  })

  it('does not credit the incentive of a distribution that names the Safe as the distributor', async () => {
    await moves.takeUp([await moves.move(charge, charge.split, 10_000_000n)])
    await moves.takeUp([await moves.distribute(charge, charge.safe)])
    expect(await stage.balanceOf(charge.safe)).to.equal(10_000n)
    expect(
      await stage.sql`
        select t.accepted, t.rejection_reason, t.credited_at, c.received_atto::text from transfers t
        join charges c on c.id = t.charge_id where t.charge_id = ${charge.id} and t.sender = ${charge.split}`,
    ).to.deep.equal([
      {
        accepted: false,
        rejectionReason: 'own_money',
        creditedAt: null,
        receivedAtto: '10000000000000000000',
      },
    ])
  })

  it('leaves the expected balances unchanged if the Safe transfers tokens to itself', async () => {
    const expected = () =>
      listExpectedBalances(stage.sql, {
        withUncorroborated: true,
        ...{ chainId: stage.chainId, block: 1_000_000, chargeIds: [charge.id] },
        tokens: [{ address: stage.token, decimals: 6 }],
      })
    const before = await expected()
    await moves.takeUp([await moves.move(charge, charge.safe, 4_000_000n)])
    expect(await expected()).to.deep.equal(before)
    expect(await moves.stateOf(charge)).to.deep.equal(HELD)
  })

  const ledger = async () =>
    (
      await stage.sql`
        select withdrawn_atomic, released_atomic, distributed_atomic from charge_ledgers where charge_id = ${charge.id}`
    )[0]

  const owed = async () => [
    ...(await stage.sql`
      select p.status, l.payable_atomic - l.distributed_atomic as owed from payouts p
      join charge_ledgers l on l.charge_id = p.charge_id and l.token = p.token where p.charge_id = ${charge.id}`),
  ]

  const offers = async () =>
    (
      await stage.sql<{ data: string }[]>`
        select data from events where category = 'distributions' order by number`
    )
      .map(({ data }) => JSON.parse(data) as { type: string; distribution?: { splitAddress: string } })
      .filter(({ distribution }) => distribution?.splitAddress.toLowerCase() === charge.split)
      .map(({ type }) => type)
})
