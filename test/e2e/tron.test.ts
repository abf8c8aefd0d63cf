import { expect } from 'chai'
import { utils } from 'tronweb'

import { requireData } from '../../api/client/client.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { type ChargeJson, createCharge, query, waitForCharge, waitUntilSettled } from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { TRON_WITH_USDC } from '../support/tron-with-usdc.ts'
import { createStranger, type IndependentClient } from '../support/tronweb-client.ts'

const acceptedPayments = [{ token: 'USDT', network: 'tron' } as const]

/**
 * Defines a test in the long suite only, because the test waits until a charge has expired.
 * test/integration/tron/tron-expiry-verification.test.ts tests the rule in every run.
 */
const long = process.env['TEST_LONG'] === '1' ? it : () => undefined

/** Uses the built service, a local TRON that behaves like real nodes, and a payer who uses only tronweb. */
describe('payments on TRON, end to end', function () {
  this.timeout(900_000)

  let devnet: Devnet
  let payer: IndependentClient
  let token: string
  /** Address of a token that can block recipients. */
  let refusing: string
  let httpUrl: string

  before(async () => {
    devnet = await startDevnet({
      ...{ directory: await temporaryDirectory('e2e-tron'), program: 'dist', graceSeconds: 1 },
      chains: [TRON_WITH_USDC],
    })
    const { networks, accounts } = devnet.description
    if (networks.tron === undefined || !('tronPayer' in accounts)) throw new Error('the devnet has no TRON')
    httpUrl = networks.tron.live.httpUrl
    token = networks.tron.live.tokens.USDT?.address ?? ''
    refusing = networks.tron.live.tokens.USDC?.address ?? ''
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
  const creditsOf = ({ id }: ChargeJson) =>
    query(
      devnet,
      (sql) => sql<{ source: string; hash: string }[]>`
        select source, tx_hash as hash from transfers where charge_id = ${id} and credited_at is not null`,
    )
  const control = async (method: string, body: object) =>
    fetch(`${httpUrl}/control/${method}`, { method: 'POST', body: JSON.stringify(body) })

  it('reach the merchant through an address that tronweb computes as well', async () => {
    const { tron } = devnet.description.networks
    const merchant =
      'tronMerchant' in devnet.description.accounts ? devnet.description.accounts.tronMerchant : null
    if (merchant === null) throw new Error('the devnet has no merchant on TRON')
    const before = await payer.balanceOf(token, merchant.address)
    const made = await charge(10)
    const { addressTerms: terms } = made
    expect(terms.factory).to.equal(tron?.live.factory)
    expect(terms.recipients[0]?.address).to.equal(merchant.address)
    await expectReckoned(made)
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

  it('are found by a hash without the 0x prefix, and the response names their sender', async () => {
    const made = await charge(1)
    // Stop automatic mining: otherwise the payment might be confirmed before the check is requested.
    await control('habits', { standsStill: true })
    try {
      const txHash = await pay(made, 1_000_000n)
      await control('mine', { blocks: 2 })
      await seenBy(made)
      const call = createApiCaller(devnet.description).POST('/v1/charges/{id}/check', {
        params: { path: { id: made.id } },
        body: { txHash, network: 'tron' },
      })
      const { transactionSender, tokenSenders, confirmationProgress } = await requireData(call)
      const { base58 } = payer.tronWeb.defaultAddress
      expect([transactionSender, ...tokenSenders]).to.deep.equal([base58, base58])
      expect(confirmationProgress).to.include({ network: 'tron', blocksRequired: 19 })
    } finally {
      await control('habits', { standsStill: false })
    }
  })

  it('are added up if the first is partial and the second exceeds the remaining amount', async () => {
    const made = await charge(3)
    await pay(made, 1_000_000n)
    expect((await untilReceived(made.id, '1')).status).to.equal('partially_paid')
    await pay(made, 4_000_000n)
    const settled = await waitUntilSettled(devnet, made.id)
    expect(settled).to.include({ status: 'confirmed', amountReceivedExact: '5', isOverpaid: true })
  })

  it('are credited once although two blocks are reverted and the payment is included later', async () => {
    const made = await charge(2)
    const txId = await pay(made, 2_000_000n)
    await seenBy(made)
    await control('fork', { depth: 2, later: true })
    const settled = await waitUntilSettled(devnet, made.id)
    expect(settled).to.include({ amountReceivedExact: '2', isOverpaid: false, txHash: txId })
    expect(await creditsOf(made)).to.have.lengthOf(1)
  })

  long('are counted and paid out if they arrive after expiry, but the charge stays expired', async () => {
    const made = await charge(1, 60)
    const expired = await waitForCharge(devnet, made.id, {
      what: 'expired',
      holds: ({ status }) => status === 'expired',
    })
    expect(expired.amountReceived).to.equal(null)
    await pay(made, 1_000_000n)
    expect(await untilReceived(made.id, '1')).to.include({ status: 'expired' })
    const settled = await waitUntilSettled(devnet, made.id)
    expect(settled, 'the late payment is paid out, too').to.include({ status: 'expired' })
  })

  it('pay two additional recipients, although one is on the blacklist of USDT', async () => {
    const { made, partners } = await shared('USDT')
    await payer.call(token, 'addBlackList(address)', [{ type: 'address', value: partners[0] ?? '' }])
    const before = await holdings(made, token)
    await pay(made, 10_000_000n)
    await waitUntilSettled(devnet, made.id)
    expect(await holdings(made, token)).to.deep.equal(sum(before, promised(made)))
    expect(await heldOf(made)).to.deep.equal([])
  })

  it('leave a share in the split while the token rejects the recipient', async () => {
    const { made, partners } = await shared('USDC')
    const [stopped = '', other = ''] = partners
    await refuse(stopped, true)
    const before = await holdings(made, refusing)
    await payer.pay({ token: refusing, to: made.address, units: 10_000_000n })
    await waitUntilSettled(devnet, made.id)
    const due = promised(made)
    expect(await holdings(made, refusing)).to.deep.equal(sum(before, { ...due, [stopped]: 0n }))
    expect(due[other]).to.equal(1_237_491n)
    const held = { address: stopped, amountExact: '2.969997', releasedAt: null }
    expect(await heldOf(made)).to.deep.equal([held])
    await lookedAtInVain(made)

    await refuse(stopped, false)
    await makeHeldSharesDue(made)
    await waitFor(async () => (await heldOf(made))[0]?.releasedAt !== null, {
      ...{ what: `the held share of ${made.id} to be released`, timeoutMs: 150_000 },
    })
    expect(await holdings(made, refusing)).to.deep.equal(sum(before, due))
    expect(await payer.balanceOf(refusing, made.address)).to.equal(0n)
  })

  /** Creates a charge of ten dollars with two new recipients, who receive 30 % and 12.5 % of the merchant's part. */
  async function shared(paidIn: 'USDT' | 'USDC') {
    const made = await Promise.all(
      ['30', '12.5'].map(async (percent) => ({ percent, ...(await register()) })),
    )
    const body = {
      ...{ amount: 10, expiresIn: 3600, acceptedPayments: [{ token: paidIn, network: 'tron' } as const] },
      splitRecipients: made.map(({ recipientId, percent }) => ({ recipientId, percent: Number(percent) })),
    }
    const charge = await requireData(
      createApiCaller(devnet.description, 'liveSplit').POST('/v1/charges', { body }),
    )
    await expectReckoned(charge as ChargeJson)
    return { made: charge as ChargeJson, partners: made.map(({ address }) => address) }
  }

  async function register() {
    const address = utils.accounts.generateAccount().address.base58
    const api = createApiCaller(devnet.description, 'liveRecipients')
    const { id } = await requireData(api.POST('/v1/recipients', { body: { address } }))
    return { recipientId: id, address }
  }

  /** Expects that a charge's payment and split addresses equal the address that tronweb computes from its terms. */
  async function expectReckoned(made: ChargeJson): Promise<void> {
    const { addressTerms: terms } = made
    const reckoned = await payer.splitAddress({
      ...terms,
      recipients: terms.recipients.map(({ address }) => address),
      allocations: terms.recipients.map(({ allocation }) => allocation),
      chargeId: made.id,
    })
    expect([made.address, terms.splitAddress]).to.deep.equal([reckoned, reckoned])
  }

  /** Computes each recipient's share of ten dollars from the terms. The first recipient gets the rounding remainder. */
  function promised({ addressTerms: { recipients, distributionIncentive } }: ChargeJson) {
    const pot = 10_000_000n - (10_000_000n * BigInt(distributionIncentive)) / 1_000_000n
    const [first, ...others] = recipients.map(
      ({ address, allocation }) => [address, (pot * BigInt(allocation)) / 1_000_000n] as const,
    )
    const rest = others.reduce((left, [, share]) => left - share, pot)
    return Object.fromEntries([[first?.[0], rest], ...others]) as Record<string, bigint>
  }

  async function holdings({ addressTerms }: ChargeJson, paidIn: string) {
    const entries = addressTerms.recipients.map(
      async ({ address }) => [address, await payer.balanceOf(paidIn, address)] as const,
    )
    return Object.fromEntries(await Promise.all(entries)) as Record<string, bigint>
  }

  /** Lists the shares that the timeline shows as held, including shares released later. */
  async function heldOf({ id }: ChargeJson) {
    const call = createApiCaller(devnet.description).GET('/v1/charges/{id}/timeline', {
      params: { path: { id } },
    })
    return (await requireData(call))
      .flatMap((entry) => (entry.type === 'split.distributed' ? entry.held : []))
      .map(({ address, amountExact, releasedAt }) => ({ address, amountExact, releasedAt }))
  }

  async function refuse(account: string, isRefused: boolean): Promise<void> {
    const txId = await payer.call(refusing, 'refuse(address,bool)', [
      { type: 'address', value: account },
      { type: 'bool', value: isRefused },
    ])
    const isMined = async () =>
      Object.keys(await payer.tronWeb.trx.getUnconfirmedTransactionInfo(txId)).length > 0
    await waitFor(isMined, {
      what: `the restriction of ${account} to change`,
      timeoutMs: 60_000,
    })
  }

  async function lookedAtInVain({ id }: ChargeJson): Promise<void> {
    const isLookedAt = (sql: Sql) =>
      sql`select from held_shares where charge_id = ${id} and last_error is not null`
    await waitFor(() => query(devnet, async (sql) => (await isLookedAt(sql)).length === 1), {
      ...{ what: `the held share of ${id} to be checked`, timeoutMs: 150_000 },
    })
  }

  /** Makes the next check due now, because the service checks held shares only hourly. */
  async function makeHeldSharesDue({ id }: ChargeJson): Promise<void> {
    await query(devnet, (sql) => sql`update held_shares set next_attempt_at = now() where charge_id = ${id}`)
  }

  async function seenBy({ id }: ChargeJson): Promise<void> {
    await waitFor(
      () =>
        query(devnet, async (sql) => (await sql`select from transfers where charge_id = ${id}`).length > 0),
      { what: `the payment of ${id} to be detected`, timeoutMs: 150_000 },
    )
  }
})

function sum(one: Record<string, bigint>, other: Record<string, bigint>): Record<string, bigint> {
  return Object.fromEntries(Object.entries(one).map(([key, value]) => [key, value + (other[key] ?? 0n)]))
}
