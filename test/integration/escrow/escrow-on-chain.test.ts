import { expect } from 'chai'
import { encodeFunctionData, type Hex } from 'viem'
import { takeChargeTurns } from '../../../indexer/charges/charge-actor.ts'
import { createFailedTurns } from '../../../indexer/charges/failed-turns.ts'
import { recordFound } from '../../../indexer/reconciliation/record-found.ts'
import { erc20Abi } from '../../../shared/chain/abi/erc20.ts'
import { createChainClient } from '../../../shared/chain/client.ts'
import { readCanonicalReceipt } from '../../../shared/chain/receipts.ts'
import { listExpectedBalances } from '../../../shared/db/chain-facts/daemon/expected-balances.ts'
import type { Address } from '../../../shared/domain/address.ts'
import type { Split } from '../../../shared/domain/allocation.ts'
import { encodeDistribution } from '../../../shared/domain/distribution-call.ts'
import { atto } from '../../../shared/domain/money.ts'
import { chargeSalt, SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { type EscrowStage, type PaidEscrowCharge, setEscrowStage } from '../../support/escrow-stage.ts'
import { recordingLog } from '../../support/recording-log.ts'

const STRANGER = `0x${'99'.repeat(20)}` as Address

/** Whatever leaves a Safe is taken up from the chain, as reconciliation and the feed do. */
describe('an escrow of a token that takes a fee', function () {
  this.timeout(240_000)
  let stage: EscrowStage
  let charge: PaidEscrowCharge

  before(async () => {
    stage = await setEscrowStage('TestUSDT')
  })

  after(() => stage?.close())

  beforeEach(async () => {
    await stage.callToken('setParams', 0n, 0n)
    charge = await stage.payEscrow()
    await stage.sql`
      insert into charge_pairs (charge_id, network, token, chain_id, token_address, credited_atomic,
        settling_atomic, released_atomic)
      values (${charge.id}, 'base', 'USDC', ${stage.chainId}, ${stage.token}, 10000000, 10000000, 0)`
  })

  it('is released by the order, and settled, though a part of it went to the token’s owner', async () => {
    await stage.callToken('setParams', 19n, 49n)
    await stage.order(charge, 'release')
    const { turn, relayer } = stage.cast()
    await turn()
    await stage.mine(4)
    await relayer.turn()
    await turn()
    await takeUp((await stage.transactions()).map(({ txHash }) => txHash))
    expect(await ledger()).to.deep.include({
      ...{ leftSafeAtomic: 10_000_000n, releasedAtomic: 9_981_000n, distributedAtomic: 9_981_000n },
    })
    expect(await state()).to.deep.equal({ settlement: 'completed', isReleased: true, isRefunded: false })
    expect(await events()).to.deep.equal(['charge.escrow_released', 'charge.settled'])
    await turn()
    expect((await stage.sql`select status from escrow_orders`)[0]?.['status']).to.equal('final')
  })

  it('pays out what is sent into the split after a refund of a part, and settles nothing by it', async () => {
    await takeUp([await moveFromSafe(STRANGER, 2_000_000n)])
    expect(await state()).to.deep.equal({ settlement: null, isReleased: false, isRefunded: true })
    expect(await owed()).to.deep.equal([])

    await takeUp([await moveFromSafe(charge.split, 8_000_000n)])
    expect(await owed()).to.deep.equal([{ status: 'pending', owed: 8_000_000n }])
    expect(await offers()).to.deep.equal(['distribution.available'])
    await takeUp([await distribute(STRANGER)])
    expect(await owed()).to.deep.equal([{ status: 'completed', owed: 0n }])
    expect(await state()).to.deep.equal({ settlement: null, isReleased: false, isRefunded: true })
  })

  it('is not settled by the release of a cent', async () => {
    await takeUp([await moveFromSafe(charge.split, 10_000n)])
    await takeUp([await distribute(STRANGER)])
    await takeUp([await moveFromSafe(STRANGER, 9_990_000n)])
    expect(await state()).to.deep.equal({ settlement: 'pending', isReleased: true, isRefunded: false })
  })

  it('credits nothing of what a distribution in the Safe’s name sends back to it, and says why', async () => {
    await takeUp([await moveFromSafe(charge.split, 10_000_000n)])
    await takeUp([await distribute(charge.safe)])
    expect(await stage.balanceOf(charge.safe)).to.equal(10_000n)
    expect(
      await stage.sql`
        select t.accepted, t.refusal, t.credited_at, c.received_atto::text from transfers t
        join charges c on c.id = t.charge_id where t.charge_id = ${charge.id} and t.sender = ${charge.split}`,
    ).to.deep.equal([
      { accepted: false, refusal: 'own_money', creditedAt: null, receivedAtto: '10000000000000000000' },
    ])
  })

  it('expects nothing more in a Safe that paid itself', async () => {
    const expected = () =>
      listExpectedBalances(stage.sql, {
        withDoubted: true,
        ...{ chainId: stage.chainId, block: 1_000_000, chargeIds: [charge.id] },
        tokens: [{ address: stage.token, decimals: 6 }],
      })
    const before = await expected()
    await takeUp([await moveFromSafe(charge.safe, 4_000_000n)])
    expect(await expected()).to.deep.equal(before)
    expect(await state()).to.deep.equal({ settlement: null, isReleased: false, isRefunded: false })
  })

  /** The releaser can have his Safe do what he likes; here anvil does it in its name. */
  async function moveFromSafe(to: Address, amount: bigint): Promise<Hex> {
    await stage.node.impersonateAccount({ address: charge.safe })
    await stage.node.setBalance({ address: charge.safe, value: 10n ** 18n })
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
    return send({ from: charge.safe, to: stage.token, data })
  }

  async function distribute(distributor: Address): Promise<Hex> {
    const [row] = await stage.sql<{ split: Split }[]>`
      select split_terms as split from charges where id = ${charge.id}`
    if (row === undefined) throw new Error('the charge is gone')
    const data = encodeDistribution({
      ...{ split: row.split, salt: chargeSalt(charge.id), token: stage.token, distributor },
    })
    return send({ from: ACCOUNTS.payer.address as Address, to: SPLIT_FACTORY, data })
  }

  async function send(transaction: { from: Address; to: Address; data: Hex }): Promise<Hex> {
    const params = [{ ...transaction, gas: '0xf4240' }]
    const hash = await stage.node.request({ method: 'eth_sendTransaction', params } as never)
    await stage.mine()
    return hash
  }

  /** What these transactions did is recorded, and the charge has its turns. */
  async function takeUp(hashes: readonly Hex[]): Promise<void> {
    const client = createChainClient({ chainId: stage.chainId, rpcUrls: [stage.rpcUrl] })
    const receipts = await Promise.all(hashes.map((hash) => readCanonicalReceipt(client, hash)))
    const token = {
      token: 'USDC',
      address: stage.token,
      emitter: stage.token,
      decimals: 6,
      emitterDecimals: 6,
    } as const
    const deployment = {
      chainId: stage.chainId,
      network: 'base',
      environment: 'live',
      tokens: [token],
    } as const
    await recordFound(
      { sql: stage.daemonSql, log: recordingLog().log },
      deployment,
      receipts.flatMap((receipt) => receipt ?? []),
    )
    const deps = {
      ...{ sql: stage.daemonSql, now: () => new Date(), log: recordingLog().log, graceSeconds: 300 },
      ...{
        expiry: { silentSeconds: 900 },
        checkoutBaseUrl: null,
        swapProvider: null,
        failedTurns: createFailedTurns(),
        onEvents: () => undefined,
      },
      minimumPayoutOf: () => atto(10n ** 18n),
    }
    for (let outcome = 'more'; outcome === 'more'; ) outcome = await takeChargeTurns(deps)
  }

  const ledger = async () =>
    (
      await stage.sql`
        select left_safe_atomic, released_atomic, distributed_atomic from charge_pairs where charge_id = ${charge.id}`
    )[0]

  const state = async () =>
    (
      await stage.sql`
        select settlement_status as settlement, escrow_released_at is not null as is_released,
          escrow_refunded_at is not null as is_refunded
        from charges where id = ${charge.id}`
    )[0]

  const owed = async () => [
    ...(await stage.sql`
      select p.status, l.payable_atomic - l.distributed_atomic as owed from payouts p
      join charge_pairs l on l.charge_id = p.charge_id and l.token = p.token where p.charge_id = ${charge.id}`),
  ]

  const events = async () =>
    (
      await stage.sql<{ type: string }[]>`
        select type from events where charge_id = ${charge.id} and category = 'payments' order by number`
    ).map(({ type }) => type)

  const offers = async () =>
    (
      await stage.sql<{ data: string }[]>`
        select data from events where category = 'distributions' order by number`
    )
      .map(({ data }) => JSON.parse(data) as { type: string; distribution?: { splitAddress: string } })
      .filter(({ distribution }) => distribution?.splitAddress.toLowerCase() === charge.split)
      .map(({ type }) => type)
})
