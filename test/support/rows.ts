import type { Db } from '../../shared/db/connect.ts'

/** Addresses without a special meaning. */
export const SOME_ADDRESS = '0x1111111111111111111111111111111111111111'
export const OTHER_ADDRESS = '0x2222222222222222222222222222222222222222'

/** Age at which a head is stale, for tests that do not depend on this age. */
export const STALE_AFTER = { blocks: 20, atLeastMs: 120_000 }

type Row = Readonly<Record<string, unknown>>

/** Inserts the live deployment on Base, with verified contracts, and its enabled pair `USDC/base`. */
export async function insertBase(db: Db): Promise<void> {
  await db`
    insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, contracts_match)
    values (8453, 'base', 'live', 'evm', 2, 2000, true)`
  await db`
    insert into pairs (chain_id, network, environment, token, token_address, decimals, enabled)
    values (8453, 'base', 'live', 'USDC', ${SOME_ADDRESS}, 6, true)`
}

/** Inserts an organization whose name is its id, and a live key for it whose payout address is `SOME_ADDRESS`. */
export async function insertOrganizationRow(db: Db, id: string): Promise<void> {
  await db`insert into organizations (id, name) values (${id}, ${id})`
  await db`
    insert into api_keys (id, organization_id, environment, key_hash, hint, payout_address, scopes)
    values (${`key_${id}`}, ${id}, 'live', sha256(${id}::bytea), '…', ${SOME_ADDRESS}, '{}')`
}

/** Returns a charge of 10 dollars on USDC/base and its event, in the form that `create_charges` takes. */
export function chargeTerms(changes: Row = {}): Row {
  const charge = { ...CHARGE, ...changes }
  return { ...charge, event_data: eventDataOf(charge), ...changes }
}

/** Returns the data of a `charge.created` event as JSON, with only the fields that tests read. */
function eventDataOf({ id, address, environment }: Row): string {
  return JSON.stringify({ id, address, environment, status: 'pending', isOverpaid: false })
}

const CHARGE = {
  id: `ch_${'0'.repeat(36)}`,
  organization_id: 'org_one',
  environment: 'live',
  api_key_id: 'key_org_one',
  family: 'evm',
  amount_micro: '10000000',
  fee_payer: 'merchant',
  fee_percent: '1',
  accepted_payments: ['USDC/base'],
  address: '0x3333333333333333333333333333333333333333',
  split_address: '0x3333333333333333333333333333333333333333',
  split_terms: {
    factory: `0x${'fa'.repeat(20)}`,
    recipients: [SOME_ADDRESS],
    allocations: [1_000_000],
    totalAllocation: 1_000_000,
    distributionIncentive: 1_000,
  },
  split_recipients: [],
  request_hash: '\\x00',
  created_at: '2026-11-20T12:00:00Z',
  expires_at: '2026-11-20T13:00:00Z',
  event_id: 'evt_one',
}

/** Inserts a webhook of `org_one` for live events. `changes` overrides columns. */
export async function insertWebhook(db: Db, changes: Row): Promise<void> {
  const webhook = {
    organization_id: 'org_one',
    environment: 'live',
    url: 'https://example.com/hook',
    events: [],
    event_categories: [],
    exclude_events: [],
    secret_sealed: Buffer.from('sealed'),
    secret_hint: 'whsec_…',
    ...changes,
  }
  await db`insert into webhooks ${db(webhook)}`
}
