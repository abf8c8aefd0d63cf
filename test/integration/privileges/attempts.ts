import { randomUUID } from 'node:crypto'
import { insertCharges } from '../../../shared/db/charges/api/insert-charges.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import type { ChargeRecord } from '../../../shared/domain/charge.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { buildCharge, randomHex } from '../../support/factories.ts'
import { chargeTerms, STALE_AFTER } from '../../support/rows.ts'
import {
  ADVERSARY,
  buildTronCharge,
  chargeOf,
  escrowOf,
  MERCHANT,
  newChargeOf,
  PARTNER,
  TREASURY,
  type World,
} from './world.ts'

/** Attempt of an adversary with the API's role and connection. */
export type Attempt = {
  readonly title: string
  /** The grants that the attempt uses, as the database lists them. */
  readonly uses: readonly string[]
  /** `refused` if the database rejects the attempt; `done` if the attempt succeeds but gains no payment. */
  readonly outcome: 'refused' | 'done'
  /** The expected SQLSTATE of a rejection. Defaults to 23514, a violated check constraint. */
  readonly code?: string
  readonly try: (api: Sql, world: World) => PromiseLike<unknown>
}

const INSUFFICIENT_PRIVILEGE = '42501'

const REQUEST = ['id', 'kind', 'organization_id', 'charge_id', 'subject_id', 'api_request_id', 'payload'].map(
  (column) => `requests.${column} INSERT`,
)
const CREATE = ['create_charges() EXECUTE']

const PAIR = { token: 'USDC', network: 'base' }
const CONFIRM = { event: 'charge.confirmed', amountAtto: null, pair: PAIR }
const { splitTerms } = buildCharge()

/** All attempts; their `uses` cover every grant of the role. */
export const ATTEMPTS: readonly Attempt[] = [
  ...requests(),
  ...charges(),
  ...recipients(),
  ...webhooks(),
  ...otherWrites(),
]

function requests(): readonly Attempt[] {
  const refused = (title: string, row: (world: World) => Row): Attempt => ({
    ...{ title, uses: REQUEST, outcome: 'refused' },
    try: (api, world) => ask(api, row(world)),
  })
  const done = (title: string, row: (world: World) => Row): Attempt => ({
    ...refused(title, row),
    outcome: 'done',
  })
  return [
    refused('a sandbox trigger that confirms a live charge', ({ victims }) => ({
      ...{ kind: 'sandbox_trigger', chargeId: victims.live, payload: CONFIRM },
    })),
    refused('a trigger that lets a live charge expire', ({ victims }) => ({
      ...{ kind: 'sandbox_trigger', chargeId: victims.live },
      payload: { ...CONFIRM, event: 'charge.expired' },
    })),
    refused('a trigger of a live escrow', ({ victims }) => ({
      ...{ kind: 'sandbox_trigger', chargeId: victims.escrow, payload: CONFIRM },
    })),
    refused('a trigger of another organization’s charge', ({ victims }) => ({
      ...{ kind: 'sandbox_trigger', organizationId: 'org_two', chargeId: victims.test, payload: CONFIRM },
    })),
    refused('a trigger of a charge that does not exist', () => ({
      ...{ kind: 'sandbox_trigger', chargeId: 'ch_none', payload: CONFIRM },
    })),
    refused('a simulated refund of a live charge', ({ victims }) => ({
      ...{
        kind: 'refund',
        chargeId: victims.live,
        payload: { action: 'simulate', event: 'charge.refunded' },
      },
    })),
    refused('a refund of another organization’s charge', ({ victims }) => ({
      ...{
        kind: 'refund',
        organizationId: 'org_two',
        chargeId: victims.live,
        payload: { action: 'simulate', event: 'charge.refunded' },
      },
    })),
    refused('a trigger without a charge', () => ({ kind: 'sandbox_trigger', payload: CONFIRM })),
    refused('a check of another organization’s charge', ({ victims }) => ({
      ...{ kind: 'check', organizationId: 'org_two', chargeId: victims.live, payload: { hint: null } },
    })),
    refused('an order for a charge without escrow', ({ victims }) => ({
      ...{ kind: 'escrow_order', chargeId: victims.live, payload: orderOf() },
    })),
    refused('a signature for another organization’s charge', ({ victims }) => ({
      ...{ kind: 'authorization', organizationId: 'org_two', chargeId: victims.live },
      payload: authorizationOf(),
    })),
    refused('a signature without a charge', () => ({ kind: 'authorization', payload: authorizationOf() })),
    refused('a retry of another organization’s delivery', () => ({
      ...{
        kind: 'delivery_retry',
        organizationId: 'org_two',
        subjectId: 'dl_none',
        payload: { environment: 'live' },
      },
    })),
    refused('a test of another organization’s webhook', () => ({
      ...{
        kind: 'webhook_test',
        organizationId: 'org_one',
        subjectId: 'wh_two',
        payload: { environment: 'live' },
      },
    })),
    refused('a test of a webhook in the other environment', () => ({
      ...{ kind: 'webhook_test', subjectId: 'wh_one', payload: { environment: 'test' } },
    })),
    refused('a request with a charge and a webhook', ({ victims }) => ({
      ...{
        kind: 'webhook_test',
        subjectId: 'wh_one',
        chargeId: victims.live,
        payload: { environment: 'live' },
      },
    })),
    refused('a request of an unknown kind', ({ victims }) => ({
      ...{ kind: 'payout', chargeId: victims.live, payload: {} },
    })),
    refused('a payload that is a list', ({ victims }) => ({
      ...{ kind: 'check', chargeId: victims.live, payload: [] },
    })),
    refused('a payload of ten kilobytes', ({ victims }) => ({
      ...{ kind: 'check', chargeId: victims.live, payload: { hint: 'x'.repeat(10_000) } },
    })),
    done('a trigger for an unknown event', ({ victims }) => ({
      ...{ kind: 'sandbox_trigger', chargeId: victims.test, payload: { ...CONFIRM, event: 'charge.paid' } },
    })),
    done('a trigger of 10^60 dollars', ({ victims }) => ({
      ...{ kind: 'sandbox_trigger', chargeId: victims.test },
      payload: { ...CONFIRM, amountAtto: `1${'0'.repeat(78)}` },
    })),
    done('a trigger on a pair that the charge does not accept', ({ victims }) => ({
      ...{ kind: 'sandbox_trigger', chargeId: victims.test },
      payload: { ...CONFIRM, pair: { token: 'USDT', network: 'tron' } },
    })),
    done('a check with an invalid payload', ({ victims }) => ({
      ...{ kind: 'check', chargeId: victims.live, payload: { hint: { network: 'base', txHash: 'latest' } } },
    })),
    done('an order with an invalid chain and a forged signature', ({ victims }) => ({
      ...{ kind: 'escrow_order', chargeId: victims.escrow, payload: { ...orderOf(), chainId: 'all' } },
    })),
    done('a signature that pays the adversary', ({ victims }) => ({
      ...{ kind: 'authorization', chargeId: victims.live, payload: authorizationOf() },
    })),
    done('a signature with invalid numbers', ({ victims }) => ({
      ...{ kind: 'authorization', chargeId: victims.escrow },
      payload: { ...authorizationOf(), value: 'all', signature: 1 },
    })),
    done('a test of the organization’s own webhook', () => ({
      ...{ kind: 'webhook_test', subjectId: 'wh_one', payload: { environment: 'live' } },
    })),
    {
      ...{ title: 'a payload that no statement can parse', uses: [], outcome: 'refused' },
      try: (api, { victims }) => api`
        insert into requests (id, kind, organization_id, charge_id, payload)
        values ('req_unreadable', 'authorization', 'org_one', ${victims.live},
          (${'{"chainId":"\\u0000"}'}::text)::json)`,
    },
    {
      ...{
        title: 'a request that already has a response',
        uses: [],
        outcome: 'refused',
        code: INSUFFICIENT_PRIVILEGE,
      },
      try: (api, { victims }) => api`
        insert into requests (id, kind, organization_id, charge_id, payload, response, responded_at)
        values ('req_answered', 'check', 'org_one', ${victims.live}, '{}', '{}', now())`,
    },
    {
      ...{
        title: 'a request that never expires',
        uses: [],
        outcome: 'refused',
        code: INSUFFICIENT_PRIVILEGE,
      },
      try: (api, { victims }) => api`
        insert into requests (id, kind, organization_id, charge_id, payload, created_at)
        values ('req_young', 'escrow_order', 'org_one', ${victims.escrow}, '{}', now() + interval '1 year')`,
    },
  ]
}

/** Charges that the API would not create. If the database accepts one, the test pays it and expects no credit. */
function charges(): readonly Attempt[] {
  // A valid charge comes first in the same call, because `create_charges` checks shared terms only once.
  const refused = (title: string, charge: (world: World) => ChargeRecord): Attempt => ({
    ...{ title: `a charge ${title}`, uses: CREATE, outcome: 'refused' },
    try: (api, world) =>
      insertCharges(api, [newChargeOf(chargeOf()), newChargeOf(charge(world))], STALE_AFTER),
  })
  const done = (title: string, charge: () => ChargeRecord): Attempt => ({
    ...{ title: `a charge ${title}`, uses: CREATE, outcome: 'done' },
    try: (api) => insertCharges(api, [newChargeOf(charge())], STALE_AFTER),
  })
  const told = (
    title: string,
    dataOf: (charge: ChargeRecord) => string,
    make: () => ChargeRecord = chargeOf,
  ): Attempt => ({
    ...{ title: `a creation event ${title}`, uses: CREATE, outcome: 'refused' },
    try: (api) => {
      const charge = make()
      return insertCharges(api, [{ ...newChargeOf(charge), eventData: dataOf(charge) }], STALE_AFTER)
    },
  })
  const paying = (terms: Partial<typeof splitTerms>, more = {}): ChargeRecord =>
    chargeOf({ splitTerms: { ...splitTerms, ...terms }, ...more })
  /** Terms from which no address can be computed. */
  const broken = (terms: object): ChargeRecord => {
    const charge = chargeOf()
    return { ...charge, splitTerms: { ...charge.splitTerms, ...terms } }
  }
  const partner = { splitRecipients: [{ address: PARTNER, percentText: '1' }] }
  return [
    refused('that pays the adversary', () => paying({ recipients: [ADVERSARY, TREASURY] })),
    refused('that pays the adversary in the treasury’s place', () =>
      paying({ recipients: [MERCHANT, ADVERSARY] }),
    ),
    refused('with another organization’s key', () => chargeOf({ apiKeyId: 'key_two' })),
    refused('that is live, with a test key', () => chargeOf({ apiKeyId: 'key_test' })),
    refused('without a key', () => chargeOf({ apiKeyId: null })),
    refused('with a factory of the adversary', () => paying({ factory: ADVERSARY })),
    refused('whose recipient is not registered', () =>
      paying(
        { recipients: [MERCHANT, ADVERSARY, TREASURY], allocations: [490_991, 500_000, 9_009] },
        { splitRecipients: [{ address: ADVERSARY, percentText: '1' }] },
      ),
    ),
    refused('without a fee', () => chargeOf({ feePercent: '0' })),
    refused('with a fee of 90 %', () => chargeOf({ feePercent: '90' })),
    refused('with a surcharge and no escrow', () => chargeOf({ feePercent: '1.5', escrowFeePercent: '0.5' })),
    refused('whose allocations do not add up', () => broken({ allocations: [1, 1] })),
    refused('whose allocations are fractions', () => broken({ allocations: [999_999.5, 0.5] })),
    refused('with a negative allocation', () => broken({ allocations: [1_000_001, -1] })),
    refused('with a missing allocation', () => broken({ allocations: [1_000_000] })),
    {
      ...{ title: 'a charge with recipients that are not a list', uses: CREATE, outcome: 'refused' },
      try: (api) => {
        const request = chargeTerms({ split_terms: { ...splitTerms, recipients: ADVERSARY } })
        return api`select from create_charges(${api.json([request] as never)})`
      },
    },
    refused('with a recipient that is not an address', () => broken({ recipients: [MERCHANT, 'treasury'] })),
    refused('with 17 recipients', () =>
      broken({ recipients: Array(17).fill(MERCHANT), allocations: [999_984, ...Array(16).fill(1)] }),
    ),
    refused('with an incentive above 5 %', () => broken({ distributionIncentive: 50_001 })),
    refused('without an incentive', () => broken({ distributionIncentive: null })),
    refused('with an address that is not its split', () => ({ ...chargeOf(), address: ADVERSARY })),
    refused('whose Safe is another escrow’s split', ({ victims }) => ({
      ...escrowOf(),
      address: victims.split,
    })),
    {
      ...{
        title: 'a charge at the address of another charge',
        uses: CREATE,
        outcome: 'refused',
        code: '23505',
      },
      try: async (api, { owner, victims }) => {
        const [{ address }] = await owner<[{ address: ChargeRecord['address'] }]>`
          select address from charges where id = ${victims.live}`
        return insertCharges(
          api,
          [newChargeOf({ ...chargeOf(), address, splitAddress: address })],
          STALE_AFTER,
        )
      },
    },
    done('at another account’s address, which constantly receives money', () => {
      const address = randomHex(20) as ChargeRecord['address']
      return { ...chargeOf(), address, splitAddress: address }
    }),
    done('whose split belongs to other terms', () => {
      const { splitAddress } = chargeOf()
      return { ...chargeOf(), address: splitAddress, splitAddress }
    }),
    done('whose Safe is the adversary’s', () => {
      const { address } = escrowOf({ escrowReleaser: ADVERSARY })
      return { ...escrowOf(), address }
    }),
    done('that pays a recipient more than the configured percentage', () =>
      paying({ recipients: [MERCHANT, PARTNER, TREASURY], allocations: [490_991, 500_000, 9_009] }, partner),
    ),
    done('that pays the treasury less than its fee', () => paying({ allocations: [999_999, 1] })),
    done('that pays the merchant less than the merchant’s share', () =>
      paying({ allocations: [1, 999_999] }),
    ),
    done('with an incentive of 5 % for the adversary as keeper', () =>
      paying({ distributionIncentive: 50_000 }),
    ),
    told('that claims that the charge is confirmed', (charge) =>
      JSON.stringify({ ...factsOf(charge), status: 'confirmed' }),
    ),
    told('that claims that the charge is paid', (charge) =>
      JSON.stringify({ ...factsOf(charge), amountReceived: 10 }),
    ),
    told('that contains two different statuses', (charge) =>
      JSON.stringify(factsOf(charge)).replace('{', '{"status":"confirmed",'),
    ),
    told('of another charge', () => JSON.stringify(factsOf(chargeOf()))),
    told('with another address', (charge) => JSON.stringify({ ...factsOf(charge), address: ADVERSARY })),
    told(
      'on TRON with another address',
      (charge) => JSON.stringify({ ...factsOf(charge), address: formatTronAddress(ADVERSARY) }),
      buildTronCharge,
    ),
    told(
      'on TRON without an address',
      (charge) => JSON.stringify({ ...factsOf(charge), address: null }),
      buildTronCharge,
    ),
    refused('that accepts a pair on TRON, where no key controls its address', () =>
      chargeOf({ acceptedPayments: ['USDC/base', 'USDT/tron'] }),
    ),
    refused('on TRON that accepts a pair on EVM', () => buildTronCharge({ acceptedPayments: ['USDC/base'] })),
    refused('with a factory whose code is unverified', () =>
      buildTronCharge({ environment: 'test', apiKeyId: 'key_test' }),
    ),
    { ...told('that is invalid JSON', () => 'confirmed'), code: '22P02' },
  ]
}

function recipients(): readonly Attempt[] {
  const insert = ['id', 'organization_id', 'environment', 'address', 'family', 'label']
  const update = ['label', 'payout', 'payout_stopped_at', 'revoked_at']
  return [
    {
      ...{ title: 'the registration of the adversary’s address', outcome: 'done' },
      uses: insert.map((column) => `recipients.${column} INSERT`),
      try: (api) => api`
        insert into recipients (id, organization_id, environment, address, family, label)
        values ('rc_his', 'org_two', 'live', ${ADVERSARY}, 'evm', 'mine')`,
    },
    {
      ...{ title: 'the use of a registered address as a payout address', outcome: 'done' },
      uses: update.map((column) => `recipients.${column} UPDATE`),
      try: (api) => api`
        update recipients set payout = true, payout_stopped_at = null, revoked_at = null, label = 'mine'
        where id = 'rc_his'`,
    },
    {
      ...{ title: 'another address in place of a registered address', uses: [] },
      ...{ outcome: 'refused', code: INSUFFICIENT_PRIVILEGE },
      try: (api) => api`update recipients set address = ${ADVERSARY} where id = 'rc_partner'`,
    },
  ]
}

function webhooks(): readonly Attempt[] {
  const lists = ['events', 'event_categories', 'exclude_events']
  const insert = [
    'id',
    'organization_id',
    'environment',
    'url',
    ...lists,
    'secret_sealed',
    'secret_hint',
    'created_at',
  ]
  const update = [
    ...['url', ...lists, 'secret_sealed', 'secret_hint', 'old_secret_sealed', 'old_secret_until'],
    'deleted_at',
  ]
  return [
    {
      ...{ title: 'an endpoint of the adversary', outcome: 'done' },
      uses: insert.map((column) => `webhooks.${column} INSERT`),
      try: (api) => api`
        insert into webhooks (id, organization_id, environment, url, events, event_categories, exclude_events,
          secret_sealed, secret_hint, created_at)
        values ('wh_his', 'org_one', 'live', 'https://example.com', '{*}', '{}', '{}', 'sealed', '…', now())`,
    },
    {
      ...{
        title: 'another URL, other events, another secret, and the deletion of the webhook',
        outcome: 'done',
      },
      uses: update.map((column) => `webhooks.${column} UPDATE`),
      try: (api) => api`
        update webhooks set url = 'https://example.org', events = '{*}', event_categories = '{}',
          exclude_events = '{}', secret_sealed = 'his', secret_hint = 'his', old_secret_sealed = 'his',
          old_secret_until = now(), deleted_at = now() where id = 'wh_one'`,
    },
    {
      ...{ title: 'an endpoint of another organization', uses: [] },
      ...{ outcome: 'refused', code: INSUFFICIENT_PRIVILEGE },
      try: (api) => api`update webhooks set organization_id = 'org_two'`,
    },
  ]
}

function otherWrites(): readonly Attempt[] {
  const notHis = (title: string, statement: (api: Sql) => PromiseLike<unknown>): Attempt => ({
    ...{ title, uses: [], outcome: 'refused', code: INSUFFICIENT_PRIVILEGE },
    try: statement,
  })
  return [
    {
      ...{
        title: 'the cancellation of all requests',
        outcome: 'done',
        uses: ['cancel_request() EXECUTE'],
      },
      try: (api) => api`select cancel_request(id) from requests`,
    },
    {
      ...{ title: 'forged counts for the rate limits', outcome: 'done' },
      uses: [
        'consume_rate_limit() EXECUTE',
        'rate_limits INSERT',
        'rate_limits UPDATE',
        'rate_limits DELETE',
      ],
      try: async (api) => {
        await api`select consume_rate_limit('key:one', 60)`
        await api`insert into rate_limits values ('key:two', now(), 0)`
        await api`update rate_limits set used = 0`
        await api`delete from rate_limits`
      },
    },
    {
      ...{ title: 'a query of the paused pairs', outcome: 'done' },
      uses: ['find_rejected_pair() EXECUTE'],
      try: (api) => api`select find_rejected_pair('live', '{USDC/base,USDT/nowhere}')`,
    },
    {
      ...{ title: 'the lock of another organization for the duration of a transaction', outcome: 'done' },
      uses: ['lock_organization() EXECUTE'],
      try: (api) => api`select lock_organization('org_two')`,
    },
    notHis(
      'a temporary table that hides one of our tables',
      (api) => api`create temporary table pairs (like public.pairs)`,
    ),
    notHis(
      'the lock of the daemon that owns a chain',
      (api) => api`select pg_try_advisory_lock(1886350948, 8453)`,
    ),
    notHis('the lock of the migrations', (api) => api`select pg_advisory_lock(${0x6d696772})`),
    notHis('a large object', (api) => api`select lo_from_bytea(0, 'mine')`),
    {
      ...{ title: 'payout addresses without a key, which are computed but not stored', outcome: 'done' },
      uses: ['build_payout_addresses() EXECUTE'],
      try: (api) => api`select build_payout_addresses(${ADVERSARY}, '{}')`,
    },
    {
      ...{ title: 'forged chains of a swap provider', outcome: 'done' },
      uses: ['provider', 'chain_ids', 'fetched_at'].flatMap((column) =>
        ['INSERT', 'UPDATE'].map((privilege) => `swap_chains.${column} ${privilege}`),
      ),
      try: async (api) => {
        await api`insert into swap_chains (provider, chain_ids, fetched_at) values ('0x', '{1,8453,31337}', now())`
        await api`update swap_chains set provider = '0x', chain_ids = '{}', fetched_at = now()`
      },
    },
    notHis(
      'forged service terms',
      (api) => api`
      insert into service_terms (family, environment, factory, treasury, fee_percent, escrow_fee_percent,
        distributor_fee_percent)
      values ('evm', 'live', ${ADVERSARY}, ${ADVERSARY}, 0, 0, 5)`,
    ),
    notHis('another treasury', (api) => api`update service_terms set treasury = ${ADVERSARY}`),
    notHis('a fee of an organization', (api) => api`insert into organization_fees values ('org_one', 0)`),
    notHis(
      'another payout address of a key',
      (api) => api`update api_keys set payout_address = ${ADVERSARY}`,
    ),
    notHis('a transfer', (api) => api`insert into transfers default values`),
    notHis('an event', (api) => api`insert into events default values`),
    notHis('a payout', (api) => api`insert into payouts default values`),
    notHis('a signed order', (api) => api`insert into escrow_orders default values`),
    notHis('an accepted signature', (api) => api`insert into authorizations default values`),
    notHis(
      'another transaction hash of an accepted signature',
      (api) => api`update authorizations set tx_hash = '0x'`,
    ),
    notHis('a pair that payers can sign for', (api) => api`insert into signable_pairs default values`),
    notHis(
      'a lower minimum for payments by signature',
      (api) => api`update signable_pairs set minimum_micro = 0, daily_gas_limit = 1`,
    ),
    notHis('the terms of a charge', (api) => api`update charges set split_terms = '{}'`),
  ]
}

type Row = {
  readonly kind: string
  readonly organizationId?: string
  readonly chargeId?: string
  readonly subjectId?: string
  readonly payload: unknown
}

function ask(api: Sql, { kind, organizationId = 'org_one', chargeId, subjectId, payload }: Row) {
  return api`
    insert into requests (id, kind, organization_id, charge_id, subject_id, api_request_id, payload)
    values (${newId('req', Date.now())}, ${kind}, ${organizationId}, ${chargeId ?? null}, ${subjectId ?? null},
      ${randomUUID()}, ${api.json(payload as never)})`
}

function authorizationOf() {
  return {
    ...{ chainId: 8453, token: `0x${'c0'.repeat(20)}`, from: MERCHANT, to: ADVERSARY, value: '10000000' },
    ...{ validAfter: '0', validBefore: '9999999999', nonce: randomHex(32), signature: randomHex(65) },
  }
}

function orderOf() {
  return { chainId: 8453, action: 'release', signature: `0x${'ab'.repeat(65)}` }
}

/** Returns the required content of a new charge's event. */
function factsOf({ id, address, environment }: ChargeRecord) {
  return { id, address, environment, status: 'pending', isOverpaid: false }
}
