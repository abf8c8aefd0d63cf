import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { findInvalidTerms } from '../../../indexer/relayer/find-invalid-terms.ts'
import { readLockedCharges } from '../../../shared/db/charges/daemon/charge-inbox.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { claimChargeRequests, respondToRequest } from '../../../shared/db/requests/charge-requests.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../../shared/domain/split-address.ts'
import { compiled } from '../../devnet/compiled.ts'
import { address, MERCHANT, startTestApi, type TestApi, TREASURY } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { connectForTest } from '../../support/postgres.ts'
import { runToEnd } from '../../support/run-to-end.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const USDT_ON_TRON = { token: 'USDT', network: 'tron' }
/** An arbitrary address: these tests query no chain. */
const FACTORY = address('0x00000000000000000000000000000000000fac70')
const PARTNER = address('0x000000000000000000000000000000000009a27e')
const STRANGER = address('0x00000000000000000000000000000000000bad00')

describe('npm run charges -- import', () => {
  let api: TestApi
  let key: { key: string; id: string }
  let directory: string

  before(async () => {
    directory = await temporaryDirectory('import')
    const networks = join(directory, 'networks.json')
    await writeFile(
      networks,
      JSON.stringify({
        tron: {
          live: { splitFactory: formatTronAddress(FACTORY), acceptLossyPayouts: true, minimumCharge: '0' },
        },
      }),
    )
    const treasury = formatTronAddress(TREASURY)
    api = await startTestApi({ NETWORKS_CONFIG: networks, TREASURY_ADDRESS_TRON: treasury })
    await insertTron(api.owner)
    key = await api.issueKey()
  })
  after(() => api.stop())

  it('recreates a charge from the body of a webhook, and appends no event', async () => {
    const { charge, told } = await lose({ metadata: { order: 7 }, externalRef: 'order 7' })
    const { code, output } = await importing(told)
    expect(output).to.include(`${charge.id} is restored with its original terms`)
    expect(code).to.equal(0)
    expect((await call(api, `GET /v1/charges/${charge.id}`, key)).body).to.deep.equal(charge)
    const [counts] = await api.owner`
      select (select count(*) from events where charge_id = ${charge.id}) as events,
        (select count(*) from requests where charge_id = ${charge.id} and kind = 'check') as checks`
    expect({ ...counts }).to.deep.equal({ events: 0, checks: 1 })
  })

  it('creates a charge whose terms the daemon accepts, and requests a check for payments', async () => {
    const { charge, told } = await lose()
    await importing(told)
    const daemon = connectForTest(api.database.url.daemon)
    const forged = await findInvalidTerms(daemon, await readLockedCharges(daemon, [charge.id]))
    const taken = await claimChargeRequests(daemon, { kind: 'check', limit: 10, leaseSeconds: 1 })
    for (const { id } of taken) await respondToRequest(daemon, id, {})
    await daemon.end()
    expect([...forged]).to.deep.equal([])
    expect(taken.find(({ chargeId }) => chargeId === charge.id)).to.include({ isOfOrganization: true })
  })

  it('requires a search of all blocks since the charge’s creation on each chain before the charge can expire unpaid', async () => {
    const { charge, told } = await lose()
    await importing(told)
    const rows = await api.owner<
      { chainId: number; result: string; needsSearch: boolean; nextAttemptAt: Date }[]
    >`
      select chain_id, result, needs_search, next_attempt_at from expiry_verifications where charge_id = ${charge.id}`
    const [row] = await api.owner<[{ acceptedChains: number[] }]>`
      select accepted_chains from charges where id = ${charge.id}`
    expect(rows.map(({ chainId }) => chainId)).to.have.members(row.acceptedChains).and.not.be.empty
    for (const { result, needsSearch, nextAttemptAt } of rows)
      expect([result, needsSearch, nextAttemptAt.toISOString()]).to.deep.equal([
        'unverified',
        true,
        charge.expiresAt,
      ])
  })

  it('leaves an existing charge unchanged', async () => {
    const { charge, told } = await lose()
    await importing(told)
    await api.owner`update charges set received_atto = 1 where id = ${charge.id}`
    const { code, output } = await importing(told)
    expect({ code, known: output.includes('already exists') }).to.deep.equal({ code: 0, known: true })
    const [row] = await api.owner<[{ receivedAtto: bigint }]>`
      select received_atto from charges where id = ${charge.id}`
    expect(row.receivedAtto).to.equal(1n)
  })

  it('ignores the status and the amounts of the file', async () => {
    const { charge, told } = await lose()
    const paid = { status: 'confirmed', amountReceivedExact: '10', settlementStatus: 'completed' }
    await importing({ ...told, data: { ...told.data, ...paid } })
    expect((await call(api, `GET /v1/charges/${charge.id}`, key)).body).to.include({
      status: 'pending',
      amountReceivedExact: null,
      settlementStatus: null,
    })
  })

  it('rejects a file whose addresses do not match its terms, and writes nothing', async () => {
    const { told } = await lose()
    const { addressTerms } = told.data
    const [first, ...others] = addressTerms.recipients
    const altered = { ...addressTerms, recipients: [{ ...first, address: STRANGER }, ...others] }
    const { code, error } = await importing({ ...told, data: { ...told.data, addressTerms: altered } })
    expect(code).to.equal(1)
    expect(error).to.include('but the terms derive')
    expect((await importing({ ...told, data: { ...told.data, address: STRANGER } })).error).to.include(
      'address is',
    )
    expect(await isThere(told.data.id)).to.equal(false)
  })

  it('rejects an unknown recipient, even if the addresses match the terms', async () => {
    const { told } = await lose()
    const { data } = told
    const recipients = [
      { address: MERCHANT, allocation: 500_000 },
      { address: STRANGER, allocation: 500_000 },
    ]
    const split = {
      recipients: recipients.map((recipient) => recipient.address),
      allocations: recipients.map(({ allocation }) => allocation),
      totalAllocation: data.addressTerms.totalAllocation,
      distributionIncentive: data.addressTerms.distributionIncentive,
    }
    const place = { factory: SPLIT_FACTORY, implementation: SPLIT_IMPLEMENTATION, split }
    const splitAddress = predictSplitAddress({ ...place, salt: chargeSalt(data.id) })
    const addressTerms = { ...data.addressTerms, recipients, splitAddress }
    const { code, error } = await importing({
      ...told,
      data: { ...data, address: splitAddress, addressTerms },
    })
    expect(error).to.include('it pays an address that is neither')
    expect({ code, isThere: await isThere(data.id) }).to.deep.equal({ code: 1, isThere: false })
  })

  it('rejects an unknown key, a key with another payout address, and a key of the other environment', async () => {
    const { told } = await lose()
    const other = await api.issueKey({ organization: 'org_two', payoutAddress: STRANGER })
    expect((await importing(told, other.id)).error).to.include("use a key of the charge's merchant")
    const test = await api.issueKey({ environment: 'test' })
    expect((await importing(told, test.id)).error).to.include('belongs to the live environment')
    expect((await importing(told, 'key_none')).error).to.include('there is no key "key_none"')
    expect(await isThere(told.data.id)).to.equal(false)
  })

  it('rejects a pair that no daemon watches', async () => {
    const { told } = await lose()
    const acceptedPayments = [...told.data.acceptedPayments, { token: 'USDC', network: 'polygon' }]
    const { code, error } = await importing({ ...told, data: { ...told.data, acceptedPayments } })
    expect({ code, said: error.includes('is not watched') }).to.deep.equal({ code: 1, said: true })
  })

  it('imports a charge on TRON with a key that has the same payout address on TRON', async () => {
    const ofTron = await api.issueKey({ organization: 'org_tron', otherPayoutAddresses: { tron: PARTNER } })
    const { charge, told } = await lose({ acceptedPayments: [USDT_ON_TRON] }, ofTron)
    expect(charge.addressTerms.recipients[0].address).to.equal(formatTronAddress(PARTNER))
    const { code, output } = await importing(told, ofTron.id)
    expect(output).to.include(`${charge.id} is restored with its original terms`)
    expect(code).to.equal(0)
    expect((await call(api, `GET /v1/charges/${charge.id}`, ofTron)).body).to.deep.equal(charge)
    const daemon = connectForTest(api.database.url.daemon)
    const forged = await findInvalidTerms(daemon, await readLockedCharges(daemon, [charge.id]))
    await daemon.end()
    expect([...forged]).to.deep.equal([])
  })

  it('rejects a TRON charge with a pair of another network, or with a key that has another or no payout address on TRON', async () => {
    const ofTron = await api.issueKey({ organization: 'org_tron', otherPayoutAddresses: { tron: PARTNER } })
    const { told } = await lose({ acceptedPayments: [USDT_ON_TRON] }, ofTron)
    const nowhere = await api.issueKey({ organization: 'org_tron', payoutAddress: PARTNER })
    const elsewhere = await api.issueKey({
      organization: 'org_tron',
      otherPayoutAddresses: { tron: STRANGER },
    })
    expect((await importing(told, nowhere.id)).error).to.include("is not set for the charge's chain family")
    expect((await importing(told, elsewhere.id)).error).to.include(
      `is ${formatTronAddress(STRANGER)}: use a key`,
    )
    const acceptedPayments = [{ token: 'USDC', network: 'base' }]
    const { error } = await importing({ ...told, data: { ...told.data, acceptedPayments } }, ofTron.id)
    expect(error).to.include(
      "acceptedPayments has USDC/base, but the charge's address is not valid on that network",
    )
    expect(await isThere(told.data.id)).to.equal(false)
  })

  /**
   * Creates a charge, and deletes it as if an older backup had been restored. Returns the API's response and the body
   * of the `charge.created` webhook, which the merchant still has.
   */
  async function lose(terms: object = {}, by = key) {
    const pair = { token: 'USDC', network: 'base' }
    const body = { amount: 10, acceptedPayments: [pair], expiresIn: 3600, ...terms }
    const { body: made } = await call(api, 'POST /v1/charges', { ...by, body })
    const { body: charge } = await call(api, `GET /v1/charges/${made.id}`, by)
    if (by === key) expect(charge.addressTerms.recipients[0].address.toLowerCase()).to.equal(MERCHANT)
    const [event] = await api.owner<[{ data: string }]>`select data from events where charge_id = ${made.id}`
    await api.owner`delete from events where charge_id = ${made.id}`
    await api.owner`delete from charges where id = ${made.id}`
    return { charge, told: { event: 'charge.created', data: JSON.parse(event.data) } }
  }

  async function importing(told: object, keyId = key.id) {
    const file = join(directory, 'charge.json')
    await writeFile(file, JSON.stringify(told))
    return runToEnd(await compiled('indexer/commands/charges.ts'), ['import', file, '--key', keyId], {
      OPERATOR_DATABASE_URL: api.database.url.operator,
      TREASURY_ADDRESS: TREASURY,
    })
  }

  async function isThere(id: string): Promise<boolean> {
    return (await api.owner`select from charges where id = ${id}`).length > 0
  }
}).timeout(240_000)

async function insertTron(sql: Sql): Promise<void> {
  await sql`
    insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, contracts_match,
      head_number, max_head_number, max_head_at)
    values (728126428, 'tron', 'live', 'tron', 19, 3000, true, 100, 100, now())`
  await sql`
    insert into pairs (chain_id, network, environment, token, token_address, decimals, enabled)
    values (728126428, 'tron', 'live', 'USDT', '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c', 6, true)`
  await sql`
    insert into service_terms (family, environment, factory, treasury, fee_percent, escrow_fee_percent,
      distributor_fee_percent)
    select 'tron', environment, ${FACTORY}, treasury, fee_percent, escrow_fee_percent, distributor_fee_percent
    from service_terms where family = 'evm' and environment = 'live' limit 1`
  await sql`insert into trusted_factories (family, environment, factory) values ('tron', 'live', ${FACTORY})`
}
