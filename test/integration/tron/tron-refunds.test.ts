import { expect } from 'chai'
import type { Hex } from '../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { TRON_USDT } from '../../devnet/tron/addresses.ts'
import { createRefundDaemonOn, declare, PAYER, type RefundDaemon } from '../../support/refund-fixture.ts'
import { addressOf, mintUsdt, trigger } from '../../support/tron-fixture.ts'
import {
  createTronPayoutFixture,
  startTronChain,
  type TronCharge,
  type TronPayoutFixture,
} from '../../support/tron-payout-fixture.ts'
import { tronChainAt, WATCHED_TRON } from '../../support/tron-two-apis.ts'

const WALLET = ACCOUNTS.payer2
const CONFIRMATIONS = 19

describe('refunds on TRON', function () {
  this.timeout(300_000)

  let tron: Awaited<ReturnType<typeof startTronChain>>
  let stage: TronPayoutFixture
  let daemon: RefundDaemon
  let charge: TronCharge

  before(async () => {
    tron = await startTronChain()
    stage = await createTronPayoutFixture(tron)
    const deployment = { ...WATCHED_TRON, confirmations: CONFIRMATIONS, blockTimeMs: 3_000 }
    const checked = { deployment, ...tronChainAt([stage.url]) }
    daemon = createRefundDaemonOn(checked, { owner: stage.sql, sql: stage.daemonSql })
    charge = await stage.pay(10_000_000n)
    await stage.sql`
      insert into recipients (id, organization_id, environment, address, family, payout)
      values ('rc_wallet', 'org_1', 'live', ${addressOf(WALLET)}, 'tron', true)`
    await mintUsdt(tron, addressOf(WALLET), 20_000_000n)
  })
  after(async () => {
    Object.assign(tron.chain.habits, { losesLogs: false })
    await stage.close()
    await tron.stop()
  })

  it('are confirmed by a transfer at depth, exactly once', async () => {
    const id = await declare(daemon, charge, { amount: '2', from: addressOf(WALLET) })
    await pay(2_000_000n)
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'awaiting_payment' })
    await stage.mine(CONFIRMATIONS)
    await daemon.watch()
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'confirmed', countedAtomic: 2_000_000n })
    const events = await stage.sql<{ data: string }[]>`select data from events where type = 'charge.refunded'`
    const shown = events.map(({ data }) => JSON.parse(data).refunds[0])
    expect(shown.map(({ destination }) => destination)).to.deep.equal([formatTronAddress(PAYER)])
    expect(shown[0].txHash).to.match(/^[0-9a-f]{64}$/)
  })

  it('wait until both APIs of the node show the transfer', async () => {
    const id = await declare(daemon, charge, { amount: '1', from: addressOf(WALLET) })
    const txHash = await pay(1_000_000n)
    await stage.mine(CONFIRMATIONS)
    const check = () => daemon.request(charge.chargeId, { action: 'check', refundId: id, txHash })
    tron.chain.habits.losesLogs = true
    expect(await check()).to.include({ outcome: 'refused', code: 'rpc_unavailable' })
    expect((await stateOf(id)).status).to.equal('awaiting_payment')
    tron.chain.habits.losesLogs = false
    expect(await check()).to.include({ outcome: 'done' })
    expect(await stateOf(id)).to.include({ status: 'confirmed', countedAtomic: 1_000_000n })
  })

  it('are not confirmed by an equal transfer from another wallet', async () => {
    const id = await declare(daemon, charge, { amount: '3', from: addressOf(WALLET) })
    await mintUsdt(tron, addressOf(ACCOUNTS.payer), 3_000_000n)
    await pay(3_000_000n, ACCOUNTS.payer)
    await stage.mine(CONFIRMATIONS)
    await daemon.watch()
    expect((await stateOf(id)).status).to.equal('awaiting_payment')
  })

  it('go to the address that the payer gave without a signature, once the merchant has approved it', async () => {
    const claimHash = 'ab'.repeat(32)
    const change = { amount: '1.5', from: addressOf(WALLET), destination: null, claimHash }
    const refundId = await declare(daemon, charge, change)
    const claim = { action: 'claim', refundId, claimHash, destination: PAYER } as const
    const signed = { signer: addressOf(ACCOUNTS.payer), signature: `0x${'12'.repeat(65)}` } as const
    expect(await daemon.request(charge.chargeId, { ...claim, signed })).to.include({
      ...{ code: 'validation_error', param: 'signature' },
    })
    expect(await daemon.request(charge.chargeId, { ...claim, signed: null })).to.include({ outcome: 'done' })
    const approval = { action: 'approve', refundId, address: PAYER } as const
    expect(await daemon.request(charge.chargeId, approval)).to.include({ outcome: 'done' })
    await pay(1_500_000n)
    await stage.mine(CONFIRMATIONS)
    await daemon.watch()
    expect(await stateOf(refundId)).to.include({ status: 'confirmed', countedAtomic: 1_500_000n })
  })

  async function pay(units: bigint, account = WALLET): Promise<Hex> {
    const { signed } = await trigger(tron.walletOf(account), {
      ...{ to: TRON_USDT, signature: 'transfer(address,uint256)' },
      args: [
        { type: 'address', value: formatTronAddress(PAYER) },
        { type: 'uint256', value: String(units) },
      ],
    })
    await stage.mine()
    return `0x${signed.txID}`
  }

  async function stateOf(id: string) {
    const [row] = await stage.sql<{ status: string; countedAtomic: bigint | null }[]>`
      select status, counted_atomic from refunds where id = ${id}`
    if (row === undefined) throw new Error(`refund ${id} does not exist`)
    return row
  }
})
