import { expect } from 'chai'
import { createKey } from '../../../indexer/commands/create-key.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { findRevokedKeys } from '../../../shared/db/organizations/api/authenticate.ts'
import { listApiKeys, revokeApiKey } from '../../../shared/db/organizations/daemon/api-keys.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { parseApiKey } from '../../../shared/domain/api-key.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { OTHER_ADDRESS, SOME_ADDRESS } from '../../support/rows.ts'

const TREASURY = { evm: OTHER_ADDRESS as Address, tron: null }

type Input = Parameters<typeof createKey>[1]

describe('createKey', () => {
  let database: TestDatabase
  let operator: Sql

  beforeEach(async () => {
    database = await createTestDatabase()
    operator = connectForTest(database.url.operator)
  })

  afterEach(async () => {
    await operator.end()
    await database.drop()
  })

  it('issues a key that authenticates, and stores only its hash', async () => {
    const { id, key, organization } = await create({ scopes: ['charges:read'], feePercent: '0.75' })
    expect(parseApiKey(key)).to.deep.equal({ environment: 'live' })
    expect(await find(key)).to.deep.equal({
      id,
      organizationId: organization.id,
      environment: 'live',
      payoutAddress: SOME_ADDRESS,
      scopes: ['charges:read'],
      feePercent: '0.7500',
      isStopped: false,
    })
    const stored = await database.sql<{ row: string }[]>`select k::text as row from api_keys k`
    expect(stored[0]?.row).not.to.include(key.slice(9, -6))
  })

  it('registers the payout address if requested, and issues later keys for the address without that request', async () => {
    await create({})
    await create({ createsOrganization: false, registersPayoutAddress: false })
    expect(await database.sql`select address, payout, environment from recipients`).to.deep.equal([
      { address: SOME_ADDRESS, payout: true, environment: 'live' },
    ])
  })

  it('issues a key with an additional payout address on TRON, which must be a registered recipient on TRON', async () => {
    const otherPayoutAddresses = { tron: SOME_ADDRESS as Address }
    await create({})
    const input = { otherPayoutAddresses, createsOrganization: false }
    expect(await refusalOf(create({ ...input, registersPayoutAddress: false }))).to.match(
      /^T\S+ is not a payout-eligible live recipient/,
    )
    const { id } = await create(input)
    const keys = await listApiKeys(operator, null)
    expect(keys.find((key) => key.id === id)?.payoutAddresses).to.deep.equal({
      evm: SOME_ADDRESS,
      tron: SOME_ADDRESS,
    })
    expect(await database.sql`select family, payout from recipients order by family`).to.deep.equal([
      { family: 'evm', payout: true },
      { family: 'tron', payout: true },
    ])
  })

  it('reactivates the keys of a stopped payout address by registering the address again', async () => {
    const { key } = await create({})
    await database.sql`update recipients set payout = false, payout_stopped_at = now(), revoked_at = now()`
    expect(await find(key)).to.include({ isStopped: true })
    await create({ createsOrganization: false })
    expect(await find(key)).to.include({ isStopped: false })
  })

  it('accepts a key without scopes', async () => {
    const { key } = await create({ scopes: [] })
    expect(await find(key)).to.deep.include({ scopes: [] })
  })

  for (const { flaw, input, message } of [
    {
      flaw: 'an address that is not payout-eligible',
      input: { registersPayoutAddress: false },
      message: 'is not a payout-eligible live recipient of the organization',
    },
    {
      flaw: 'conflicting scopes',
      input: { scopes: ['recipients:manage_payout', 'charges:split_write'] },
      message: 'the scopes recipients:manage_payout, charges:split_write conflict',
    },
    {
      flaw: 'the treasury as payout address',
      input: { payoutAddress: OTHER_ADDRESS as Address },
      message: 'is the fee treasury',
    },
    {
      flaw: 'the zero address as payout address',
      input: { payoutAddress: `0x${'0'.repeat(40)}` as Address },
      message: 'the payout address is the zero address',
    },
    {
      flaw: 'an unknown organization',
      input: { createsOrganization: false },
      message: 'no organization has the name or id "Acme": add --create-organization',
    },
  ] satisfies { flaw: string; input: Partial<Input>; message: string }[]) {
    it(`rejects ${flaw}, and leaves no rows behind`, async () => {
      expect(await refusalOf(create(input))).to.include(message)
      const left = await database.sql`
        select (select count(*) from organizations) + (select count(*) from recipients)
          + (select count(*) from api_keys) as rows`
      expect(left).to.deep.equal([{ rows: 0 }])
    })
  }

  it('rejects the creation of an existing organization, and an ambiguous organization name', async () => {
    await create({})
    expect(await refusalOf(create({}))).to.include('organization "Acme" exists')
    await database.sql`insert into organizations (id, name) values ('org_two', 'Acme')`
    expect(await refusalOf(create({ createsOrganization: false }))).to.include(
      'several organizations are named "Acme"',
    )
    expect((await create({ organization: 'org_two', createsOrganization: false })).organization.id).to.equal(
      'org_two',
    )
  })

  it('rejects a payout address that is registered only in the other environment', async () => {
    await create({ environment: 'test' })
    const input = { createsOrganization: false, registersPayoutAddress: false }
    expect(await refusalOf(create(input))).to.include('not a payout-eligible live recipient')
  })

  it('lists keys and revokes a key permanently', async () => {
    const { id, key } = await create({})
    const revokedAt = await revokeApiKey(operator, id)
    expect(await revokeApiKey(operator, id)).to.deep.equal(revokedAt)
    expect(await revokeApiKey(operator, 'key_none')).to.equal(null)
    expect(await find(key)).to.equal(undefined)
    const [listed, ...others] = await listApiKeys(operator, null)
    expect(others).to.deep.equal([])
    expect(listed).to.deep.include({
      id,
      organizationName: 'Acme',
      hint: `svc_live_…${key.slice(-4)}`,
      revokedAt,
    })
  })

  /** Finds an unrevoked key by its SHA-256 hash, as the API does. */
  async function find(key: string) {
    const [found] = await database.sql`
      select k.id, k.organization_id, k.environment, k.payout_address, k.scopes, o.fee_percent::text
      from api_keys k join organizations o on o.id = k.organization_id
      where k.key_hash = sha256(${key}::text::bytea) and k.revoked_at is null`
    if (!found) return undefined
    const stopped = await findRevokedKeys(database.sql, [found['id']])
    return { ...found, isStopped: stopped.length > 0 }
  }

  function create(changes: Partial<Input>) {
    const input: Input = {
      organization: 'Acme',
      createsOrganization: true,
      feePercent: null,
      environment: 'live',
      payoutAddress: SOME_ADDRESS as Address,
      registersPayoutAddress: true,
      scopes: ['charges:read', 'charges:write'],
      ...changes,
    }
    return createKey({ sql: operator, treasury: TREASURY, nowMs: Date.now() }, input)
  }
})

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const outcome = await work.catch((error: unknown) => error)
  return outcome instanceof CommandError ? outcome.message : `no CommandError but ${String(outcome)}`
}
