import { expect } from 'chai'
import { type Hex, parseSignature, serializeSignature, toHex } from 'viem'
import type { Address } from '../../shared/domain/address.ts'
import { predictSafeAddress } from '../../shared/domain/escrow-address.ts'
import { chargeSalt } from '../../shared/domain/split-address.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { balanceOf, findToken, sendTokens } from '../devnet/send-tokens.ts'
import { waitFor } from '../devnet/wait-for.ts'
import {
  CONFIRMED,
  createEscrow,
  deploySafe,
  type EscrowChargeJson,
  order,
  payEscrow,
  prepare,
  prepareAndOrder,
  REFUNDED,
  readSafeViews,
  SETTLED,
  sign,
  transferDirectly,
  waitForEscrow,
} from '../support/escrow-scenario.ts'
import { LIVE_DEVNET } from '../support/live-devnet.ts'
import { createCharge, pay, query, testClient, USDC_ON_BASE, USDC_ON_BNB } from '../support/scenario.ts'

/** Order of the group of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Maximum gas of a relayed transaction that also creates the Safe. A release also creates the split and pays out. */
const MAX_GAS = { release: 438_000n, refund: 345_000n }

const HALF_PAID = {
  what: 'partially paid',
  holds: ({ status }: EscrowChargeJson) => status === 'partially_paid',
}

/**
 * Defines a test only in `npm run test:long`. In every run, tests in integration/relayer and integration/escrow stop a
 * relayer between its steps, and chaos/kill-points kills the daemon.
 */
const inLongRun = process.env['TEST_LONG'] === '1' ? it : () => undefined

describe('an escrow charge, end to end', function () {
  this.timeout(300_000)
  let devnet: Devnet

  before(async () => {
    devnet = (await LIVE_DEVNET.of(import.meta.filename)).devnet
    // The first transfer of a token to an account costs 17,100 gas more, which would distort the measurement of gas.
    const { payer, merchant, treasury } = devnet.description.accounts
    for (const { address } of [merchant, treasury]) {
      await sendTokens(devnet.description, { ...USDC_ON_BASE, from: payer, to: address, amount: '0.000001' })
    }
  })

  it('is paid at the address of the releaser’s Safe, and confirmed without a payout', async () => {
    const charge = await payEscrow(devnet)
    const releaser = releaserOf(devnet)
    const safe = predictSafeAddress({ releaser, saltNonce: chargeSalt(charge.id) })
    expect(charge.address.toLowerCase()).to.equal(safe)
    expect(charge.addressTerms.splitAddress).to.not.equal(charge.address)
    expect(charge).to.deep.include({ status: 'confirmed', settlementStatus: null, feePercent: 1.5 })
    expect(charge.escrow).to.deep.equal({
      releaserAddress: devnet.description.accounts.releaser.address,
      releasedAt: null,
      refundedAt: null,
      pendingAction: null,
    })
    expect(await balance(charge.address)).to.equal(10_000_000n)
    expect(await rows(charge, 'payouts')).to.equal(0)
  })

  it('is released by the releaser’s signature in one transaction, and settled', async () => {
    const charge = await payEscrow(devnet)
    const merchant = devnet.description.accounts.merchant.address
    const before = await balance(merchant)
    const { prepared, answer } = await prepareAndOrder(devnet, charge.id, 'release')
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    expect(prepared).to.deep.include({
      ...{ destination: charge.addressTerms.splitAddress, amount: '10000000', nonce: '0' },
      safeAddress: charge.address,
    })
    const settled = await waitForEscrow(devnet, charge.id, SETTLED)
    expect(settled.escrow.releasedAt).to.be.a('string')
    expect(settled.escrow.refundedAt).to.equal(null)
    expect(await eventsOf(charge)).to.deep.equal([
      ...['charge.created', 'charge.confirmed'],
      ...['charge.escrow_released', 'charge.settled'],
    ])
    expect((await balance(merchant)) - before).to.equal(9_850_001n) // 98.5 %, plus the unit that rounding leaves.
    expect(await readSafeViews(devnet, prepared)).to.deep.equal({
      ...{ owners: [devnet.description.accounts.releaser.address], threshold: 1n, nonce: 1n },
      ...{ version: '1.4.1', hash: prepared.safeTxHash },
    })
    await expectGas(charge, 'release')

    for (const action of ['release', 'refund'] as const) {
      expect((await prepare(devnet, charge.id, action)).code).to.equal('escrow_already_released')
    }
    const again = await order(devnet, charge.id, { action: 'release', signature: '0x00' })
    expect([again.status, again.code]).to.deep.equal([409, 'escrow_already_released'])
  })

  it('is refunded to the last payer by the releaser’s signature, and not settled', async () => {
    const { payer2 } = devnet.description.accounts
    const charge = await createEscrow(devnet)
    await pay(devnet, { charge, amount: '4' })
    await waitForEscrow(devnet, charge.id, HALF_PAID)
    await sendTokens(devnet.description, { ...USDC_ON_BASE, from: payer2, to: charge.address, amount: '6' })
    await waitForEscrow(devnet, charge.id, CONFIRMED)
    const before = await balance(payer2.address)
    const { prepared, answer } = await prepareAndOrder(devnet, charge.id, 'refund')
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    expect(prepared).to.deep.include({ destination: payer2.address, amount: '10000000' })
    // The transaction is mined, but might not be at confirmation depth. A release is rejected even then.
    expect((await prepare(devnet, charge.id, 'release')).code).to.equal('escrow_already_refunded')

    const refunded = await waitForEscrow(devnet, charge.id, REFUNDED)
    expect(refunded).to.deep.include({ status: 'confirmed', settlementStatus: null })
    expect(refunded.escrow.releasedAt).to.equal(null)
    expect((await balance(payer2.address)) - before).to.equal(10_000_000n)
    expect((await eventsOf(charge)).slice(-2)).to.deep.equal(['charge.confirmed', 'charge.escrow_refunded'])
    expect(await rows(charge, 'payouts')).to.equal(0)
    await expectGas(charge, 'refund')
  })

  it('is settled without charge.escrow_released if the releaser releases it without the API', async () => {
    const charge = await payEscrow(devnet)
    await transferDirectly(devnet, charge, 'release')
    expect((await waitForEscrow(devnet, charge.id, SETTLED)).escrow.releasedAt).to.be.a('string')
    expect(await eventsOf(charge)).to.deep.equal(['charge.created', 'charge.confirmed', 'charge.settled'])
  })

  it('shows a refund that was made without the API, creates no event, and cannot be released', async () => {
    const charge = await payEscrow(devnet)
    await transferDirectly(devnet, charge, 'refund')
    expect((await waitForEscrow(devnet, charge.id, REFUNDED)).settlementStatus).to.equal(null)
    expect(await eventsOf(charge)).to.deep.equal(['charge.created', 'charge.confirmed'])
    expect((await prepare(devnet, charge.id, 'release')).code).to.equal('escrow_already_refunded')
  })

  it('rejects a signature for another balance, and accepts a signature with v 0 or 1 for the current balance', async () => {
    const charge = await payEscrow(devnet)
    const { releaser } = devnet.description.accounts
    const { body: stale } = await prepare(devnet, charge.id, 'release')
    await pay(devnet, { charge, amount: '1' })
    const signature = await sign(stale, releaser)
    const refused = await order(devnet, charge.id, { action: 'release', signature })
    expect([refused.status, refused.code]).to.deep.equal([400, 'escrow_invalid_signature'])

    const { body: fresh } = await prepare(devnet, charge.id, 'release')
    expect(fresh.amount).to.equal('11000000')
    const { r, s, yParity } = parseSignature(await sign(fresh, releaser))
    const zeroBased: Hex = `${r}${s.slice(2)}0${yParity}`
    const answer = await order(devnet, charge.id, { action: 'release', signature: zeroBased })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    await waitForEscrow(devnet, charge.id, SETTLED)
  })

  it('rejects a signature by another account or with a high s, and moves no money', async () => {
    const charge = await payEscrow(devnet)
    const { merchant, releaser } = devnet.description.accounts
    const { body: prepared } = await prepare(devnet, charge.id, 'refund')
    const { r, s, yParity } = parseSignature(await sign(prepared, releaser))
    const highS = serializeSignature({ r, s: toHex(ORDER - BigInt(s), { size: 32 }), yParity: 1 - yParity })
    for (const signature of [await sign(prepared, merchant), highS]) {
      const { status, code } = await order(devnet, charge.id, { action: 'refund', signature })
      expect([status, code]).to.deep.equal([400, 'escrow_invalid_signature'])
    }
    expect(await balance(charge.address)).to.equal(10_000_000n)
  })

  it('is released from a Safe that another account has created', async () => {
    const charge = await payEscrow(devnet)
    await deploySafe(devnet, charge, devnet.description.accounts.keeper)
    const { prepared, answer } = await prepareAndOrder(devnet, charge.id, 'release')
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    await waitForEscrow(devnet, charge.id, SETTLED)
    expect((await readSafeViews(devnet, prepared)).hash).to.equal(prepared.safeTxHash)
  })

  it('cannot be released if it was paid on two pairs', async () => {
    const charge = await createEscrow(devnet, { acceptedPayments: [USDC_ON_BASE, USDC_ON_BNB] })
    await pay(devnet, { charge, amount: '5' })
    await pay(devnet, { charge, amount: '5', pair: USDC_ON_BNB })
    await waitForEscrow(devnet, charge.id, CONFIRMED)
    const { status, code } = await prepare(devnet, charge.id, 'release')
    expect([status, code]).to.deep.equal([422, 'escrow_multiple_payment_pairs'])
  })

  it('cannot be refunded before a payment is credited, and a charge without escrow cannot be released', async () => {
    const empty = await prepare(devnet, (await createEscrow(devnet)).id, 'refund')
    expect([empty.status, empty.code]).to.deep.equal([422, 'escrow_empty'])
    const ordinary = await prepare(devnet, (await createCharge(devnet)).id, 'release')
    expect([ordinary.status, ordinary.code]).to.deep.equal([422, 'escrow_not_enabled'])
  })

  inLongRun('is released once if the daemon is killed between broadcast and receipt', async () => {
    const charge = await payEscrow(devnet)
    const node = testClient(devnet)
    await node.setIntervalMining({ interval: 0 })
    const ordered = prepareAndOrder(devnet, charge.id, 'release')
    await waitFor(() => wasBroadcast(charge), { what: 'the order to be broadcast', timeoutMs: 60_000 })
    const { body: prepared } = await prepare(devnet, charge.id, 'release')
    const signature = await sign(prepared, devnet.description.accounts.releaser)
    const second = await order(devnet, charge.id, { action: 'release', signature })
    expect([second.status, second.code]).to.deep.equal([409, 'request_in_progress'])

    await devnet.indexer.kill()
    await node.mine({ blocks: 1 })
    await node.setIntervalMining({ interval: 1 })
    await devnet.indexer.start()
    // The API responds once the transaction is mined, or after 30 s with the charge's current state.
    expect((await ordered).answer.status).to.equal(200)
    const settled = await waitForEscrow(devnet, charge.id, SETTLED)
    expect(settled.escrow.releasedAt).to.be.a('string')
    expect(await rows(charge, 'escrow_orders')).to.equal(1)
    expect((await eventsOf(charge)).filter((type) => type === 'charge.escrow_released')).to.have.length(1)
  })

  function balance(account: Address | Hex): Promise<bigint> {
    return balanceOf(devnet.description, { ...USDC_ON_BASE, account })
  }

  async function eventsOf(charge: EscrowChargeJson): Promise<readonly string[]> {
    const events = await query(
      devnet,
      (sql) => sql<{ type: string }[]>`
        select type from events where charge_id = ${charge.id} and category = 'payments' order by number`,
    )
    return events.map(({ type }) => type)
  }

  async function rows(charge: EscrowChargeJson, table: 'payouts' | 'escrow_orders'): Promise<number> {
    const [found] = await query(
      devnet,
      (sql) => sql<{ count: number }[]>`select count(*) from ${sql(table)} where charge_id = ${charge.id}`,
    )
    return found?.count ?? 0
  }

  async function findTransaction(charge: EscrowChargeJson) {
    const [found] = await query(
      devnet,
      (sql) => sql<{ txHash: Hex; lastBroadcastAt: Date | null }[]>`
        select t.tx_hash, t.last_broadcast_at from escrow_orders o
        join relayer_transactions t on t.chain_id = o.chain_id and t.relayer = o.relayer and t.nonce = o.nonce
        where o.charge_id = ${charge.id}`,
    )
    return found
  }

  async function wasBroadcast(charge: EscrowChargeJson): Promise<boolean> {
    const transaction = await findTransaction(charge)
    return transaction !== undefined && transaction.lastBroadcastAt !== null
  }

  async function expectGas(charge: EscrowChargeJson, action: 'release' | 'refund'): Promise<void> {
    const { client } = findToken(devnet.description, USDC_ON_BASE)
    const transaction = await findTransaction(charge)
    const { gasUsed } = await client.getTransactionReceipt({ hash: transaction?.txHash ?? '0x' })
    console.log(`      gas of a ${action} that creates the Safe: ${gasUsed} (at most ${MAX_GAS[action]})`)
    expect(gasUsed <= MAX_GAS[action], `${action} used ${gasUsed} gas`).to.equal(true)
  }
})

function releaserOf({ description }: Devnet): Address {
  return description.accounts.releaser.address.toLowerCase() as Address
}
