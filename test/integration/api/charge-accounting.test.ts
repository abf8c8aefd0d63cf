import { expect } from 'chai'
import { compareBooks } from '../../../indexer/charges/rebuild-entries.ts'
import { MERCHANT, startTestApi, type TestApi } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { KEEPER, TREASURY } from '../../support/factories.ts'

const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const BODY = { amount: 50, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }
const MINED = {
  chain_id: 8453,
  token_address: USDC,
  ordinal: 0,
  block_number: 7,
  block_hash: '0xb1',
  log_index: 0,
}
const FIGURES = ['net', 'fee', 'incentive', 'otherShares', 'held', 'escrowRefunded', 'pending', 'rounding']

describe('GET /v1/charges/{id}/accounting', () => {
  let api: TestApi
  let key: string
  let id: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey({ scopes: ['charges:read', 'charges:write', 'metrics:read'] }))
  })
  beforeEach(async () => {
    id = (await call(api, 'POST /v1/charges', { key, body: BODY })).body.id
  })
  after(() => api.stop())

  const read = (withKey = key): Promise<Answer> =>
    call(api, `GET /v1/charges/${id}/accounting`, { key: withKey })

  it('returns zeros and no pairs before a payment is credited', async () => {
    const { status, body } = await read()
    expect(status).to.equal(200)
    expect(body)
      .to.include({ receivedExact: '0', netExact: '0', pendingExact: '0' })
      .and.deep.include({ pairs: [] })
  })

  it('shows the exact amounts received and distributed on the chain, including an overpayment', async () => {
    await pay(55_000_000)
    await distribute(55_000_000)
    const { body } = await read()
    expect(body).to.include({ receivedExact: '55', netExact: '54.450001', incentiveExact: '0.055' })
    expect(body).to.include({ feeExact: '0.494999', pendingExact: '0', heldExact: '0' })
    const [pair] = body.pairs
    expect(pair).to.include({ network: 'base', token: 'USDC', decimals: 6, simulated: false })
    expect(pair).to.include({
      receivedAtomic: '55000000',
      distributedAtomic: '55000000',
      netAtomic: '54450001',
    })
    expect(
      pair.shares.map(({ kind, amountAtomic }: Record<string, string>) => [kind, amountAtomic]),
    ).to.deep.equal([
      ['merchant', '54450001'],
      ['treasury', '494999'],
    ])
    expect(pair.payments).to.have.length(1)
    expect(pair.payments[0]).to.include({ amountAtomic: '55000000', block: 7, onTime: true })
    expect(pair.payers).to.deep.equal([pair.payments[0].sender])
    expect(pair.payouts[0]).to.include({ amountAtomic: '55000000', incentiveToDistributor: true })
    const charge = await call(api, `GET /v1/charges/${id}`, { key })
    expect(charge.body).to.include({ merchantAmount: 49.5, feeAmount: 0.5 })
  })

  it('shows a share that is held in the split, and accounts for every atomic unit', async () => {
    await pay(40_000_001)
    await distribute(40_000_000)
    await splitEvent('held', MERCHANT, 39_600_001)
    const { body } = await read()
    const [pair] = body.pairs
    expect(pair).to.include({ heldAtomic: '39600001', netAtomic: '0', pendingAtomic: '1' })
    expect(pair.shares[0]).to.include({ amountAtomic: '0', heldAtomic: '39600001' })
    const sum = FIGURES.reduce((all, name) => all + BigInt(pair[`${name}Atomic`]), 0n)
    expect(sum).to.equal(BigInt(pair.receivedAtomic))
  })

  it('shows the amount distributed beyond the credited payments as uncredited, and nothing as pending', async () => {
    await pay(40_000_000)
    await distribute(50_000_000)
    const { body } = await read()
    expect(body).to.include({ receivedExact: '40', uncreditedExact: '10', pendingExact: '0' })
    const [pair] = body.pairs
    expect(pair).to.include({ distributedAtomic: '50000000', uncreditedAtomic: '10000000' })
    expect(pair.payouts[0]).to.include({ amountAtomic: '50000000' })
  })

  it('shows one share for a recipient who is listed twice', async () => {
    const [{ terms }] = await api.owner<
      [{ terms: object }]
    >`select split_terms as terms from charges where id = ${id}`
    const changed = { recipients: [MERCHANT, TREASURY, TREASURY], allocations: [900_000, 50_000, 50_000] }
    const named = { recipientId: 'rc_1', address: TREASURY, percentText: '1' }
    await api.owner`
      update charges set split_recipients = ${api.owner.json([named, named])},
        split_terms = ${api.owner.json({ ...terms, ...changed })} where id = ${id}`
    await pay(50_000_000)
    await distribute(50_000_000)
    const { body } = await read()
    expect(
      body.pairs[0].shares.map(({ kind, amountAtomic }: Record<string, string>) => [kind, amountAtomic]),
    ).to.deep.equal([
      ['merchant', '44955000'],
      ['recipient', '4995000'],
    ])
  })

  it('agrees with a metrics query, whose fee includes the incentive', async () => {
    const from = new Date().toISOString()
    id = (await call(api, 'POST /v1/charges', { key, body: BODY })).body.id
    await pay(55_000_000)
    await distribute(55_000_000)
    const body = {
      resource: 'charges',
      dateRange: { field: 'createdAt', from, to: new Date(Date.now() + 60_000).toISOString() },
      metrics: ['amountReceived', 'merchantReceived', 'feeCharged', 'merchantAmount'].map((field) => ({
        ...{ aggregation: 'sum', field, alias: field },
      })),
    }
    const queried = await call(api, 'POST /v1/metrics/query', { key, body })
    expect(queried.body.data[0]).to.include({
      ...{ amountReceivedExact: '55', merchantReceivedExact: '54.450001', feeChargedExact: '0.549999' },
      merchantAmountExact: '49.5',
    })
  })

  it('returns 404 to another organization and in the other environment', async () => {
    await pay(50_000_000)
    const strangers = [{ organization: 'org_two' }, { environment: 'test' as const }]
    for (const wanted of strangers)
      expectError(await read((await api.issueKey(wanted)).key), '404 charge_not_found')
  })

  /** Inserts a credited payment and its accounting entries, as the daemon does. */
  async function pay(atomic: number): Promise<void> {
    const txHash = `0x${id.slice(-8)}a1`
    const row = {
      ...{
        ...MINED,
        charge_id: id,
        network: 'base',
        token: 'USDC',
        source: 'contract_watcher',
        tx_hash: txHash,
      },
      ...{
        sender: KEEPER,
        value_atomic: String(atomic),
        amount_atto: `${atomic}${'0'.repeat(12)}`,
        accepted: true,
      },
      ...{
        inclusion: 'included',
        block_timestamp: now(),
        credited_at: new Date(),
        on_time: true,
        agreed_at: new Date(),
      },
      agreed_by: ['before-quorum'],
    }
    await api.owner`insert into transfers ${api.owner(row)}`
    await api.owner`update charges set received_atto = ${row.amount_atto} where id = ${id}`
    await book()
  }

  const distribute = (atomic: number) => splitEvent('distributed', KEEPER, atomic)

  async function splitEvent(kind: string, account: string, atomic: number): Promise<void> {
    const row = {
      ...{
        ...MINED,
        charge_id: id,
        kind,
        account,
        tx_hash: `0x${id.slice(-8)}d1`,
        amount_atomic: String(atomic),
      },
      ...{ inclusion: 'included', block_timestamp: now(), applied_at: new Date(), agreed_at: new Date() },
      agreed_by: ['before-quorum'],
    }
    await api.owner`insert into split_events ${api.owner(row)}`
    await book()
  }

  async function book(): Promise<void> {
    const { wrong } = await compareBooks(api.owner, { isRebuild: true })
    expect(wrong).to.deep.equal([])
  }
})

function now(): number {
  return Math.floor(Date.now() / 1000)
}
