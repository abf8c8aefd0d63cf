import { randomUUID } from 'node:crypto'
import { upsertDeployment } from '../../../shared/db/chain-facts/daemon/deployments.ts'
import { insertCharges, type NewCharge } from '../../../shared/db/charges/api/insert-charges.ts'
import { toChargeRecord } from '../../../shared/db/charges/charge-row.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { syncPairs } from '../../../shared/db/organizations/daemon/pairs.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { predictTronSplit } from '../../../shared/domain/chain-families/tron/predict-split.ts'
import type { ChargeRecord } from '../../../shared/domain/charge.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { presentCharge } from '../../../shared/domain/present-charge.ts'
import { chargeSalt } from '../../../shared/domain/split-address.ts'
import { buildCharge, MERCHANT, TREASURY } from '../../support/factories.ts'
import { connectForTest } from '../../support/postgres.ts'
import { insertWebhook, STALE_AFTER } from '../../support/rows.ts'
import { insertPayoutKey, insertTrustedTerms } from '../../support/trusted-terms.ts'
import { createChargeFixture } from '../charges/charge-fixture.ts'

/** A recipient that `org_one` has registered in the live environment. */
export const PARTNER = `0x${'b2'.repeat(20)}` as Address
const TRON_FACTORY = `0x${'f1'.repeat(20)}` as Address
const [TRON_CHAIN_ID, TRON_USDT] = [728126428, `0x${'d7'.repeat(20)}` as Address]
/** The adversary's payout address. */
export const ADVERSARY = `0x${'66'.repeat(20)}` as Address

/** Ids of charges of `org_one` that the attempts target, and the split of the escrow. */
export type Victims = {
  readonly live: string
  readonly test: string
  readonly escrow: string
  readonly split: Address
}

export type World = Awaited<ReturnType<typeof setWorld>>

/**
 * Creates a database with two organizations, each with keys and a webhook, and with charges of `org_one`. `api` is the
 * adversary's connection.
 */
export async function setWorld() {
  const stage = await createChargeFixture()
  const { sql: owner, database } = stage
  const api = connectForTest(database.url.api)
  await setTron(owner)
  await owner`update deployments set contracts_match = true`
  await owner`
    insert into recipients (id, organization_id, environment, address, family)
    values ('rc_partner', 'org_one', 'live', ${PARTNER}, 'evm')`
  await owner`insert into organizations (id, name) values ('org_two', 'two')`
  const key = { organizationId: 'org_two', environment: 'live', payoutAddress: ADVERSARY } as const
  await insertPayoutKey(owner, { id: 'key_two', ...key })
  await insertWebhook(owner, { id: 'wh_one', events: ['*'] })
  await insertWebhook(owner, { id: 'wh_two', organization_id: 'org_two', events: ['*'] })

  const make = async (charge: ChargeRecord) => {
    await insertCharges(api, [newChargeOf(charge)], STALE_AFTER)
    return charge
  }
  const [live, test, escrow] = [
    await make(chargeOf()),
    await make(chargeOf({ environment: 'test', apiKeyId: 'key_test', acceptedPayments: ['USDC/base'] })),
    await make(escrowOf()),
  ]
  const victims: Victims = { live: live.id, test: test.id, escrow: escrow.id, split: escrow.splitAddress }
  const world = { owner, api, daemon: stage.daemon, actor: stage.deps, victims, newChargeOf }
  const nothing = await whatIsPaid(owner)
  return {
    ...world,
    nothing,
    whatIsPaid: () => whatIsPaid(owner),
    takeTurns: async (): Promise<'idle'> => {
      await stage.takeTurns()
      return 'idle'
    },
    /** Records a confirmed payment to every unpaid charge except the victims. */
    payEveryCharge: async () => {
      const rows = await owner<{ id: string; address: Address }[]>`
        select id, address from charges c
        where id <> all (${Object.values(victims)}) and not exists (select from transfers t where t.charge_id = c.id)`
      for (const row of rows) await stage.pay({ ...buildCharge(), ...row }, { chain: 'base' })
    },
    close: async () => {
      await api.end()
      await stage.close()
    },
  }
}

/** Publishes USDT on TRON, where the factory is trusted only in the live environment. */
async function setTron(owner: Sql): Promise<void> {
  const { confirmations } = REGISTRY.tron
  for (const [environment, chainId] of [
    ['live', TRON_CHAIN_ID],
    ['test', TRON_CHAIN_ID + 1],
  ] as const) {
    await upsertDeployment(owner, {
      ...{ chainId, network: 'tron', environment, family: 'tron' },
      confirmations,
      blockTimeMs: 3_000,
      quorum: 2,
    })
    await syncPairs(owner, chainId, [
      {
        chainId,
        network: 'tron',
        environment,
        token: 'USDT',
        tokenAddress: TRON_USDT,
        decimals: 6,
        enabled: true,
      },
    ])
    await insertTrustedTerms(owner, {
      family: 'tron',
      environment,
      factory: TRON_FACTORY,
      treasury: TREASURY,
    })
  }
  await owner`delete from trusted_factories where family = 'tron' and environment = 'test'`
  await owner`update api_keys set other_payout_addresses = ${owner.json({ tron: MERCHANT })}`
}

/** Builds a charge on TRON as the API creates it, except for the changes. */
export function buildTronCharge(columns: Parameters<typeof buildCharge>[0] = {}): ChargeRecord {
  const charge = chargeOf({ family: 'tron', acceptedPayments: ['USDT/tron'], ...columns })
  const splitTerms = { ...charge.splitTerms, factory: TRON_FACTORY }
  const address = predictTronSplit({ factory: TRON_FACTORY, split: splitTerms, salt: chargeSalt(charge.id) })
  return { ...charge, splitTerms, address, splitAddress: address }
}

/** Builds a charge as the API creates it, except for the changes. */
export function chargeOf(columns: Parameters<typeof buildCharge>[0] = {}): ChargeRecord {
  const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + 3_600_000)]
  const at = { createdAt, lastActivityAt: createdAt, expiresAt }
  return toChargeRecord(buildCharge({ apiKeyId: 'key_live', ...at, ...columns }))
}

/** Builds a charge with an escrow, for a fee that is half a percentage point higher. */
export function escrowOf(columns: Parameters<typeof buildCharge>[0] = {}): ChargeRecord {
  const splitTerms = { ...buildCharge().splitTerms, allocations: [985_986, 14_014] }
  const fees = { feePercent: '1.5', escrowFeePercent: '0.5' }
  return chargeOf({ escrowReleaser: MERCHANT, splitTerms, ...fees, ...columns })
}

/** Returns the arguments of `create_charges` for a charge. */
export function newChargeOf(charge: ChargeRecord): NewCharge {
  return {
    charge,
    idempotencyKey: null,
    apiRequestId: randomUUID(),
    requestHash: Buffer.alloc(32),
    eventId: newId('evt', Date.now()),
    eventData: presentCharge(charge, { checkoutBaseUrl: null, swapAlternatives: [] }),
  }
}

/** Reads all rows that show a payment, a payout, or a change of payout addresses or terms. */
async function whatIsPaid(sql: Sql) {
  return {
    events:
      await sql`select type, charge_id from events where type not in ('charge.created', 'webhook.test')`,
    credits: await sql`select charge_id from transfers where credited_at is not null`,
    charges: await sql`
      select id, status, settlement_status, received_atto from charges
      where status <> 'pending' or settlement_status is not null or received_atto is not null`,
    ledgers: await sql`select charge_id from charge_ledgers`,
    payouts: await sql`select charge_id from payouts`,
    transactions: await sql`select tx_hash from relayer_transactions`,
    payees: await sql`select id, payout_address from api_keys order by id`,
    terms: await sql`select treasury, fee_percent::text from service_terms`,
  }
}

export { MERCHANT, TREASURY }
