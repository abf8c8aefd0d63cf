import { expect } from 'chai'
import { checkAddress } from '../../../api/client/check-address.ts'
import {
  findKnownAddresses,
  listKnownAddresses,
} from '../../../shared/db/chain-facts/daemon/known-addresses.ts'
import { listReconciledCharges } from '../../../shared/db/chain-facts/reconciliations.ts'
import { findChargesByAddress } from '../../../shared/db/chain-facts/watched-charges.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { readQrCode } from '../../support/read-qr-code.ts'
import {
  createSandboxFixture,
  type SandboxFixture,
  USDC_BASE,
  USDC_OPTIMISM,
  waitForStatus,
} from '../../support/sandbox-fixture.ts'

const USDC_POLYGON = { token: 'USDC', network: 'polygon' }
const USDC_ON_BASE_SEPOLIA = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'

const dayFromNow = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const listNetworks = async ({ api }: SandboxFixture, key: string): Promise<readonly string[]> =>
  (await call(api, 'GET /v1/networks', { key })).body.acceptedPayments.map(
    ({ token, network }: { token: string; network: string }) => `${token}/${network}`,
  )

describe('a test charge if only live networks are configured', function () {
  this.timeout(240_000)
  let stage: SandboxFixture

  before(async () => {
    stage = await createSandboxFixture()
    await stage.api.owner`delete from pairs where environment = 'test'`
    await stage.api.owner`delete from deployments where environment = 'test'`
  })
  after(() => stage.stop())

  it('can accept every pair with a testnet in the registry, whereas a live charge can accept only configured pairs', async () => {
    const test = await listNetworks(stage, stage.key)
    expect(test).to.deep.equal(['USDC/arc', 'USDC/base', 'USDC/ethereum', 'USDC/optimism'])
    const live = await stage.api.issueKey()
    expect(await listNetworks(stage, live.key)).to.deep.equal(['USDC/base', 'USDT/base', 'USDT/bnb'])
  })

  it('is created with the address derived from its terms, and can be paid immediately', async () => {
    const { status, body, text } = await stage.create({ acceptedPayments: [USDC_BASE, USDC_OPTIMISM] })
    expect(status, text).to.equal(201)
    expect(body).to.include({ status: 'pending', environment: 'test', paymentUnavailable: false })
    expect(checkAddress(body).map(({ who }) => who)).to.include('the merchant')
    expect((await stage.read(body.id)).body).to.deep.equal(body)
    const [row] = await stage.api.owner`
      select is_simulated, accepted_chains from charges where id = ${body.id}`
    expect(row).to.deep.equal({ isSimulated: true, acceptedChains: [] })
  })

  it('cannot accept a pair without a testnet in the registry', async () => {
    const refused = await stage.create({ acceptedPayments: [USDC_BASE, USDC_POLYGON] })
    expectError(refused, '422 token_not_supported', 'acceptedPayments[1]')
  })

  it('may accept more pairs than a live charge, which can accept only pairs of configured live networks', async () => {
    const { key } = await stage.api.issueKey()
    const body = { amount: 10, expiresIn: 600, acceptedPayments: [USDC_OPTIMISM] }
    const refused = await call(stage.api, 'POST /v1/charges', { key, body })
    expectError(refused, '422 token_not_supported', 'acceptedPayments[0]')
  })

  it('can be paid and settled by sandbox triggers', async () => {
    const { id } = (await stage.create()).body
    const paid = await stage.trigger(id, { event: 'charge.confirmed' })
    expect(paid.body).to.include({
      status: 'confirmed',
      settlementStatus: 'pending',
      paymentUnavailable: false,
    })
    const settled = await stage.trigger(id, { event: 'charge.settled' })
    expect(settled.body).to.include({ settlementStatus: 'completed' })
    expect(await stage.eventsOf(id)).to.deep.equal(['charge.created', 'charge.confirmed', 'charge.settled'])
    const timeline = (await call(stage.api, `GET /v1/charges/${id}/timeline`, { key: stage.key })).body
    expect(timeline).to.have.length(2)
    expect(timeline[1]).to.include({ type: 'transaction.detected', source: 'sandbox', ...USDC_BASE })
  })

  it('expires at its deadline by the clock of the database', async () => {
    const [open, half] = [(await stage.create()).body.id, (await stage.create()).body.id]
    await stage.trigger(half, { event: 'charge.partially_paid' })
    await stage.api.owner`
      update charges set created_at = now() - interval '1 hour', expires_at = now() - interval '1 second'
      where id in (${open}, ${half})`
    await waitForStatus(stage, open, 'expired')
    await waitForStatus(stage, half, 'underpaid')
  })

  it('has a QR code with the token’s testnet address', async () => {
    const { id, address } = (await stage.create()).body
    const { text } = await call(stage.api, `GET /v1/charges/${id}/qrcode`, { key: stage.key })
    expect(readQrCode(text)).to.equal(
      `ethereum:${USDC_ON_BASE_SEPOLIA}@84532/transfer?address=${address}&uint256=10000000`,
    )
  })

  it('is returned unchanged by a check, with or without a transaction hash', async () => {
    const hints = [undefined, { txHash: `0x${'ab'.repeat(32)}`, network: 'base' }]
    for (const hint of hints) {
      const { id } = (await stage.create()).body
      const checked: Answer = await call(stage.api, `POST /v1/charges/${id}/check`, {
        key: stage.key,
        body: hint,
      })
      expect(checked.status, checked.text).to.equal(200)
      expect(checked.body).to.deep.include({ status: 'pending', transactionSender: null, tokenSenders: [] })
      expect(await stage.api.owner`select from requests where charge_id = ${id}`).to.have.length(0)
    }
  })

  it('is counted by the metrics like any other charge', async () => {
    const { key } = await stage.api.issueKey({
      organization: 'org_counted',
      environment: 'test',
      scopes: ['charges:write', 'sandbox:trigger', 'metrics:read'],
    })
    const charge = { amount: 10, expiresIn: 600, acceptedPayments: [USDC_BASE] }
    const { id } = (await call(stage.api, 'POST /v1/charges', { key, body: charge })).body
    const paid = { event: 'charge.confirmed' }
    await call(stage.api, `POST /v1/sandbox/charges/${id}/trigger`, { key, body: paid })
    const body = {
      resource: 'transactions',
      dateRange: { field: 'detectedAt', from: dayFromNow(-1), to: dayFromNow(1) },
      metrics: [{ aggregation: 'sum', field: 'amount', alias: 'volume' }],
      groupBy: [{ type: 'field', field: 'source' }],
    }
    const answer = await call(stage.api, 'POST /v1/metrics/query', { key, body })
    expect(answer.body.data, answer.text).to.deep.equal([
      { source: 'sandbox', volume: 10, volumeExact: '10' },
    ])
  })
})

describe('a test charge if a testnet is configured', function () {
  this.timeout(240_000)
  let stage: SandboxFixture

  before(async () => {
    stage = await createSandboxFixture('base:live,base:test')
  })
  after(() => stage.stop())
  afterEach(async () => {
    await stage.api.owner`update pairs set paused_at = null`
    await stage.api.owner`update deployments set contracts_match = true, max_head_at = now()`
  })

  it('uses the testnet of its pair, and cannot also accept a pair without a configured testnet', async () => {
    const refused = await stage.create({ acceptedPayments: [USDC_BASE, USDC_OPTIMISM] })
    expectError(refused, '422 token_not_supported', 'acceptedPayments[1]')
    const { id } = (await stage.create({ acceptedPayments: [USDC_BASE] })).body
    expect(await chainsOf(id)).to.deep.equal([84532])
    expect(await listNetworks(stage, stage.key)).to.deep.equal([
      'USDC/arc',
      'USDC/base',
      'USDC/ethereum',
      'USDC/optimism',
    ])
  })

  it('is rejected instead of simulated if the testnet is down or its pair is paused', async () => {
    await stage.api.owner`update deployments set contracts_match = null where environment = 'test'`
    expectError(await stage.create(), '503 rpc_unavailable', 'acceptedPayments[0]')
    await stage.api.owner`update deployments set contracts_match = true`
    await stage.api.owner`update pairs set paused_at = now() where environment = 'test'`
    expectError(await stage.create(), '503 payment_temporarily_unavailable', 'acceptedPayments[0]')
  })

  it('is simulated if no accepted pair has a configured testnet, and no chain is queried for it', async () => {
    const escrow = { acceptedPayments: [USDC_OPTIMISM], escrow: {} }
    const { id, address, addressTerms } = (await stage.create(escrow)).body
    expect(await chainsOf(id)).to.deep.equal([])
    const addresses = [address, addressTerms.splitAddress].map((one) => one.toLowerCase() as Address)
    expect(await findKnownAddresses(stage.daemon, addresses)).to.deep.equal([])
    expect(await findChargesByAddress(stage.daemon, addresses)).to.deep.equal([])
    const known = await listKnownAddresses(stage.daemon, 1000)
    expect(known?.filter((one) => addresses.includes(one.address))).to.deep.equal([])
    for (const chainId of [84532, 11155420]) {
      const recent = { recentId: '', recentAt: new Date(0) }
      const query = { chainId, environment: 'test', ...recent, after: '', limit: 100 } as const
      const reconciled = await listReconciledCharges(stage.daemon, query)
      expect(reconciled.map((one) => one.id)).to.not.include(id)
    }
  })

  it('stays simulated if its testnet is configured later', async () => {
    const { id } = (await stage.create({ acceptedPayments: [USDC_OPTIMISM] })).body
    await stage.api.owner`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, contracts_match)
      values (11155420, 'optimism', 'test', 'evm', 12, 2000, true)`
    await stage.api.owner`
      insert into pairs (chain_id, network, environment, token, token_address, decimals, enabled, paused_at)
      values (11155420, 'optimism', 'test', 'USDC', ${USDC_ON_BASE_SEPOLIA.toLowerCase()}, 6, true, now())`
    expect((await stage.read(id)).body.paymentUnavailable).to.equal(false)
    const another = await stage.create({ acceptedPayments: [USDC_OPTIMISM] })
    expect(another.body.paymentUnavailable).to.equal(false)
    expect((await stage.trigger(id, { event: 'charge.confirmed' })).body.status).to.equal('confirmed')
  })

  async function chainsOf(id: string): Promise<unknown> {
    const [row] = await stage.api.owner`select accepted_chains from charges where id = ${id}`
    return row?.['acceptedChains']
  }
})
