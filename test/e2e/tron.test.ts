import { expect } from 'chai'

import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { TRON_PLAN } from '../devnet/tron/tron-plan.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { type ChargeJson, createCharge, query, waitForCharge, waitUntilSettled } from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { createStranger, type Stranger } from '../support/tronweb-stranger.ts'

const acceptedPayments = [{ token: 'USDT', network: 'tron' } as const]

/** Our service as it ships, a local TRON as its nodes are known to be, and a payer who knows nothing but tronweb. */
describe('payments on TRON, with the processes that ship', function () {
  this.timeout(900_000)

  let devnet: Devnet
  let payer: Stranger
  let token: string
  let httpUrl: string

  before(async () => {
    devnet = await startDevnet({
      ...{ directory: await temporaryDirectory('e2e-tron'), program: 'dist', graceSeconds: 1 },
      chains: [TRON_PLAN],
    })
    const { networks, accounts } = devnet.description
    if (networks.tron === undefined || !('tronPayer' in accounts)) throw new Error('the devnet has a TRON')
    httpUrl = networks.tron.live.httpUrl
    token = networks.tron.live.tokens.USDT?.address ?? ''
    payer = createStranger({ httpUrl, privateKey: accounts.tronPayer.privateKey })
  })

  after(() => devnet?.stop())

  const charge = (amount: number, expiresIn = 3600) =>
    createCharge(devnet, { amount, acceptedPayments, expiresIn })
  const pay = ({ address }: ChargeJson, units: bigint) => payer.pay({ token, to: address, units })
  const untilReceived = (id: string, amount: string) =>
    waitForCharge(devnet, id, {
      what: `paid ${amount}`,
      holds: ({ amountReceivedExact }) => amountReceivedExact === amount,
    })
  /** The payments of a charge as our ledger has them. */
  const creditsOf = ({ id }: ChargeJson) =>
    query(
      devnet,
      (sql) => sql<{ source: string; hash: string }[]>`
        select source, tx_hash as hash from transfers where charge_id = ${id} and credited_at is not null`,
    )
  const control = async (method: string, body: object) =>
    fetch(`${httpUrl}/control/${method}`, { method: 'POST', body: JSON.stringify(body) })

  it('reach the merchant, at an address that tronweb reckons likewise', async () => {
    const { tron } = devnet.description.networks
    const merchant =
      'tronMerchant' in devnet.description.accounts ? devnet.description.accounts.tronMerchant : null
    if (merchant === null) throw new Error('the devnet has a merchant on TRON')
    const before = await payer.balanceOf(token, merchant.address)
    const made = await charge(10)
    const { addressTerms: terms } = made
    expect(terms.factory).to.equal(tron?.live.factory)
    expect(terms.recipients[0]?.address).to.equal(merchant.address)
    const reckoned = await payer.splitAddress({
      ...terms,
      recipients: terms.recipients.map(({ address }) => address),
      allocations: terms.recipients.map(({ allocation }) => allocation),
      chargeId: made.id,
    })
    expect([made.address, terms.splitAddress]).to.deep.equal([reckoned, reckoned])
    const txId = await pay(made, 10_000_000n)
    const settled = await waitUntilSettled(devnet, made.id)
    expect(settled).to.deep.include({
      status: 'confirmed',
      amountReceivedExact: '10',
      paidWith: acceptedPayments,
    })
    expect(settled.txHash).to.equal(txId)
    expect(await creditsOf(made)).to.deep.equal([{ source: 'tron_watcher', hash: `0x${txId}` }])
    expect((await payer.balanceOf(token, merchant.address)) - before).to.equal(9_900_001n)
  })

  it('add up: a part, the rest, and too much', async () => {
    const made = await charge(3)
    await pay(made, 1_000_000n)
    expect((await untilReceived(made.id, '1')).status).to.equal('partially_paid')
    await pay(made, 4_000_000n)
    const settled = await waitUntilSettled(devnet, made.id)
    expect(settled).to.include({ status: 'confirmed', amountReceivedExact: '5', isOverpaid: true })
  })

  it('are credited once though two blocks are taken back and the payment comes later', async () => {
    const made = await charge(2)
    const txId = await pay(made, 2_000_000n)
    await seenBy(made)
    await control('fork', { depth: 2, later: true })
    const settled = await waitUntilSettled(devnet, made.id)
    expect(settled).to.include({ amountReceivedExact: '2', isOverpaid: false, txHash: txId })
    expect(await creditsOf(made)).to.have.lengthOf(1)
  })

  it('are late after the time of an unpaid charge, which its solid balance has let expire', async () => {
    const made = await charge(1, 60)
    const expired = await waitForCharge(devnet, made.id, {
      what: 'expired',
      holds: ({ status }) => status === 'expired',
    })
    expect(expired.amountReceived).to.equal(null)
    await pay(made, 1_000_000n)
    expect(await untilReceived(made.id, '1')).to.include({ status: 'expired' })
  })

  /** In the ledger, at whatever depth. */
  async function seenBy({ id }: ChargeJson): Promise<void> {
    await waitFor(
      () =>
        query(devnet, async (sql) => (await sql`select from transfers where charge_id = ${id}`).length > 0),
      { what: `the payment of ${id} to be seen`, timeoutMs: 150_000, intervalMs: 100 },
    )
  }
})
