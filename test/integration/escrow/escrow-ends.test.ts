import { expect } from 'chai'
import type { Hex } from 'viem'
import type { ReadAgreedBalances } from '../../../indexer/escrow/agreed-balances.ts'
import type { PositionedReceipt } from '../../../shared/chain/nodes/receipts.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { chargeSalt } from '../../../shared/domain/split-address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import {
  createEscrowFixture,
  type EscrowFixture,
  type PaidEscrowCharge,
} from '../../support/escrow-fixture.ts'
import { type EscrowMoves, escrowMoves, HELD, REFUNDED, RELEASED } from '../../support/escrow-moves.ts'
import { deploySafeCall } from '../../support/escrow-scenario.ts'

const STRANGER = `0x${'99'.repeat(20)}` as Address
const INVENTED = `0x${'fa'.repeat(32)}`
const ALL = 10_000_000n
const CENT = 10_000n
const WAITS = 'The end of an escrow waits: the Safe holds more than our rows explain'
const UNREADABLE: ReadAgreedBalances = async () => null

describe('the end of an escrow', function () {
  this.timeout(240_000)
  let stage: EscrowFixture
  let moves: EscrowMoves
  let charge: PaidEscrowCharge

  before(async () => {
    stage = await createEscrowFixture('TestUSDT')
    moves = escrowMoves(stage)
  })

  after(() => stage?.close())

  beforeEach(async () => {
    await stage.callToken('setParams', 0n, 0n)
    await stage.sql`truncate escrow_orders, requests, relayer_transactions cascade`
    charge = await moves.payEscrow()
    moves.lines.length = 0
  })

  const state = () => moves.stateOf(charge)
  const release = (amount = ALL) => moves.move(charge, charge.split, amount)

  it('is not reached while only the fee log of a release is recorded, but once all its logs are', async () => {
    await stage.callToken('setParams', 10n, 49n)
    const [receipt] = await moves.receiptsOf([await release()])
    await moves.hear([onlyOther(receipt, charge.split)])
    expect(await movements()).to.deep.equal([CENT])
    expect(await state()).to.deep.equal(HELD)
    await moves.hear(receipt ? [receipt] : [])
    await moves.checkEnds()
    expect(await state()).to.deep.equal(RELEASED)
  })

  it('is a release even if its first half is recorded one turn after its second half', async () => {
    const [first, second] = [await release(5_000_000n), await release(5_000_000n)]
    await moves.takeUp([second])
    expect(await state()).to.deep.equal(HELD)
    await moves.takeUp([first])
    expect(await state()).to.deep.equal(RELEASED)
  })

  it('is not caused by the release or refund of a cent, but by the release of the remaining amount', async () => {
    await moves.takeUp([await release(CENT)])
    await moves.takeUp([await moves.move(charge, STRANGER, CENT)])
    expect(await state()).to.deep.equal(HELD)
    expect(await moves.eventsOf(charge)).to.deep.equal([])
    await moves.takeUp([await release(ALL - 2n * CENT)])
    expect(await state()).to.deep.equal(RELEASED)
  })

  it('is completed by the order for the remaining amount after an on-chain refund of 20 percent', async () => {
    const owner = ACCOUNTS.releaser.address as Address
    await stage.write(ACCOUNTS.keeper, deploySafeCall({ salt: chargeSalt(charge.id), owner }))
    await moves.takeUp([await moves.move(charge, STRANGER, 2_000_000n)])
    expect(await state()).to.deep.equal(HELD)
    await execute('release')
    expect(await state()).to.deep.equal({ ...RELEASED, settlement: 'completed' })
    expect(await moves.eventsOf(charge)).to.deep.equal(['charge.escrow_released', 'charge.settled'])
  })

  it('is not reached by an order that moved only dust, but by the next order', async () => {
    await stage.sql`update transfers set amount_atto = 99999999999999999 where charge_id = ${charge.id}`
    const owner = ACCOUNTS.releaser.address as Address
    await stage.write(ACCOUNTS.keeper, deploySafeCall({ salt: chargeSalt(charge.id), owner }))
    await moves.move(charge, STRANGER, ALL - 99_999n)
    await execute('refund')
    expect(await state()).to.deep.equal(HELD)
    await stage.callToken('mint', charge.safe, ALL)
    await stage.sql`update transfers set amount_atto = 10000000000000000000 where charge_id = ${charge.id}`
    await stage.sql`update escrow_transfers set block_timestamp = -1`
    await execute('release')
    expect((await moves.eventsOf(charge))[0]).to.equal('charge.escrow_released')
  })

  it('is a refund, not the ordered release, if the amount went to another account', async () => {
    await insertOrder({ destination: charge.split, amount: ALL })
    await moves.takeUp([await moves.move(charge, STRANGER, ALL)])
    expect(await state()).to.deep.equal(REFUNDED)
  })

  it('is not reached by an order if the withdrawn amount differs from the ordered one', async () => {
    await insertOrder({ destination: charge.split, amount: ALL })
    await moves.takeUp([await release(CENT)])
    expect(await state()).to.deep.equal(HELD)
  })

  describe('by the releaser on chain', () => {
    /** Adds 5 dollars to the Safe that no row records. */
    const hide = () => stage.callToken('mint', charge.safe, 5_000_000n)

    it('waits, with an alert, while the Safe holds more than our rows explain', async () => {
      await hide()
      await moves.takeUp([await release()])
      await moves.checkEnds()
      expect(await state()).to.deep.equal(HELD)
      expect(moves.lines.map(({ msg }) => msg)).to.include(WAITS)
      // This wait has no time limit.
      await stage.sql`update escrow_end_checks set due_at = due_at - interval '1 day'`
      await moves.takeTurns()
      expect(await state()).to.deep.equal(HELD)
    })

    it('waits while the only row that explains the Safe’s balance has no quorum', async () => {
      await hide()
      await stage.sql`
        insert into transfers (charge_id, chain_id, network, token, token_address, tx_hash, block_number, block_hash,
          block_timestamp, log_index, ordinal, sender, value_atomic, amount_atto, accepted, source, inclusion,
          detected_at)
        select charge_id, chain_id, network, token, token_address, ${INVENTED}, block_number, block_hash,
          block_timestamp, 7, 0, sender, 5000000, 5000000000000000000, true, source, 'included', now()
        from transfers where charge_id = ${charge.id}`
      await moves.takeUp([await release()])
      expect(await state()).to.deep.equal(HELD)
      expect(moves.lines.map(({ msg }) => msg)).to.include(WAITS)
    })

    it('is canceled if an unrecorded payment is found, and completes once that payment is withdrawn too', async () => {
      await hide()
      await moves.takeUp([await release()])
      await stage.sql`
        update transfers set amount_atto = 15000000000000000000, value_atomic = 15000000 where charge_id = ${charge.id}`
      await moves.checkEnds()
      expect(await state()).to.deep.equal(HELD)
      expect(await checks()).to.equal(0)
      await moves.takeUp([await release(5_000_000n)])
      expect(await state()).to.deep.equal(RELEASED)
      expect(await checks()).to.equal(0)
    })

    it('does not wait if the Safe holds less than our rows explain', async () => {
      await moves.hear(await moves.receiptsOf([await moves.move(charge, STRANGER, 9_950_000n)]))
      await moves.checkEnds(async (balances) => {
        const { block, found } = await moves.readHead(balances)
        return { block, found: found.map((balance) => ({ ...balance, foundAtomic: 0n })) }
      })
      expect(await state()).to.deep.equal(REFUNDED)
    })

    it('waits at most a minute for an unreadable balance', async () => {
      await moves.hear(await moves.receiptsOf([await release()]))
      await moves.checkEnds(UNREADABLE)
      expect(await state()).to.deep.equal(HELD)
      await stage.sql`update escrow_end_checks set due_at = due_at - interval '61 seconds'`
      await moves.takeTurns()
      expect(await state()).to.deep.equal(RELEASED)
    })

    it('waits at most a minute if one of several balances is unreadable', async () => {
      await stage.sql`update charges set accepted_payments = '{USDC/base,USDT/base}' where id = ${charge.id}`
      await moves.takeUp([await release()])
      expect(await state()).to.deep.equal(HELD)
      await stage.sql`update escrow_end_checks set due_at = due_at - interval '61 seconds'`
      await moves.takeTurns()
      expect(await state()).to.deep.equal(RELEASED)
    })

    it('waits a minute for an unreadable balance once the excess in another token is gone', async () => {
      await stage.sql`update charges set accepted_payments = '{USDC/base,USDT/base}' where id = ${charge.id}`
      await hide()
      await moves.takeUp([await release()])
      await moves.move(charge, STRANGER, 5_000_000n)
      await moves.checkEnds()
      expect(await state()).to.deep.equal(HELD)
      await stage.sql`
        update escrow_end_checks set due_at = due_at - interval '61 seconds',
          checked_at = checked_at - interval '61 seconds'`
      await moves.takeTurns()
      expect(await state()).to.deep.equal(RELEASED)
    })
  })

  /** Inserts an order that no transaction has executed. */
  const insertOrder = ({ destination, amount }: { destination: Address; amount: bigint }) => stage.sql`
    with relayer as (
      insert into relayers (chain_id, address, next_nonce) values (${stage.chainId}, '0x1', 1)
      on conflict (chain_id, address) do update set next_nonce = 1 returning address)
    insert into escrow_orders (request_id, charge_id, action, chain_id, token_address, destination, amount_atomic,
      relayer, nonce, created_at)
    select ${charge.id}, ${charge.id}, 'release', ${stage.chainId}, ${stage.token}, ${destination},
      ${stage.sql.types.numeric(amount)}, address, 0, now() from relayer`

  const movements = async () =>
    (
      await stage.sql<{ amountAtomic: bigint }[]>`
        select amount_atomic from escrow_transfers where charge_id = ${charge.id} order by id`
    ).map(({ amountAtomic }) => amountAtomic)

  const checks = async () =>
    (await stage.sql`select from escrow_end_checks where charge_id = ${charge.id}`).length

  /** Places an order, lets the worker execute it, and records the transfers of its transactions. */
  async function execute(action: 'release' | 'refund'): Promise<void> {
    const before = new Set((await stage.transactions()).map(({ txHash }) => txHash))
    await stage.order(charge, action)
    const { turn, relayer } = stage.cast()
    await turn()
    await stage.mine(4)
    await relayer.turn()
    await turn()
    const hashes = (await stage.transactions()).map(({ txHash }) => txHash as Hex)
    await moves.takeUp(hashes.filter((hash) => !before.has(hash)))
  }
})

/** Returns the receipt without the transfers to this recipient. */
function onlyOther(receipt: PositionedReceipt | undefined, recipient: Address): PositionedReceipt {
  if (receipt === undefined) throw new Error('the transaction has no receipt')
  const logs = receipt.logs.filter(({ topics }) => !topics[2]?.toLowerCase().endsWith(recipient.slice(2)))
  return { ...receipt, logs }
}
