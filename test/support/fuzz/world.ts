import type { Sql } from '../../../shared/db/connect.ts'
import {
  claimChargeRequests,
  type RequestError,
  respondToRequest,
} from '../../../shared/db/requests/charge-requests.ts'
import type { Environment } from '../../../shared/domain/networks.ts'
import type { Scope } from '../../../shared/domain/scope.ts'
import { createSealKeys } from '../../../shared/domain/sealed-box.ts'
import { createLogger } from '../../../shared/runtime/logger.ts'
import { createLoop } from '../../../shared/runtime/poll-loop.ts'
import { startTestApi, type TestApi } from '../api.ts'
import { call } from '../call-route.ts'
import { startDnsServer } from '../dns-server.ts'
import { buildPaidOut, insertEntryRows } from '../entry-rows.ts'
import { connectForTest } from '../postgres.ts'
import type { Sender } from './request.ts'

/** An API with rows in both environments of two organizations. Each sender also uses the other senders' ids. */
export type FuzzWorld = {
  readonly api: TestApi
  readonly senders: readonly (Sender & {
    /** Text in the rows of this organization and environment. It must not appear in responses to another sender. */
    readonly marker: string
    /** Adds the id of a row, created at `path`, to the sender's vocabulary. */
    readonly learn: (path: string, id: string) => void
  })[]
  readonly stop: () => Promise<void>
}

const MERCHANT_SCOPES: readonly Scope[] = [
  ...([
    'charges:read',
    'charges:write',
    'webhooks:read',
    'webhooks:write',
    'webhooks:manage_secret',
  ] as const),
  ...(['metrics:read', 'sandbox:trigger', 'recipients:read', 'recipients:write'] as const),
  'recipients:manage_payout',
]
const SPLIT_SCOPES: readonly Scope[] = [
  'charges:read',
  'charges:write',
  'charges:split_write',
  'sandbox:trigger',
]

const HOOK = 'https://93.184.216.34/'

/** Starts the API with effectively unlimited rate limits and its own DNS server. */
export async function startFuzzWorld(): Promise<FuzzWorld> {
  const dns = await startDnsServer({
    'hooks.example': ['93.184.216.34'],
    'example.com': ['93.184.216.34'],
    'inside.example': ['10.0.0.1'],
  })
  const api = await startTestApi({
    WEBHOOK_SEAL_PUBLIC_KEY: createSealKeys().publicKey.toString('base64'),
    WEBHOOK_DNS_SERVERS: dns.address,
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_TRANSFERABILITY_PER_MINUTE: '1000000',
    RATE_LIMIT_METRICS_PER_MINUTE: '1000000',
  })
  const furnished = []
  for (const organization of ['org_one', 'org_two'])
    for (const environment of ['live', 'test'] as const)
      furnished.push(await furnish(api, { organization, environment }))
  const daemon = connectForTest(api.database.url.daemon)
  const refusals = createLoop({
    name: 'refusals',
    intervalMs: 20,
    turn: () => refuseRequests(daemon),
    log: createLogger({ level: 'error', service: 'fuzz' }),
  })
  refusals.start()
  const everybodys = mergeIds(furnished.map(({ ids }) => ids))
  return {
    api,
    senders: furnished.map(({ marker, keys, ids, kept }) => {
      // Each of the sender's own ids is listed ten times, because other senders' ids usually lead to 404.
      const known = mergeIds([everybodys, ...Array<Ids>(9).fill(ids)])
      const deletable = without(known, kept)
      return {
        marker,
        keys,
        vocabulary: vocabularyOf(marker, known),
        deletable: vocabularyOf(marker, deletable),
        learn: (path, id) => {
          const resource = /^\/v1(\/\w+)/.exec(path)?.[1] ?? ''
          for (const ids of [known, deletable]) ids[resource]?.push(id)
        },
      }
    }),
    stop: async () => {
      await refusals.stop()
      await daemon.end()
      await api.stop()
      await dns.stop()
    },
  }
}

/**
 * Rejects every check, sandbox trigger and escrow order, in place of a daemon. Without a response, each check and
 * trigger would wait 10 s, and each order 30 s.
 */
async function refuseRequests(daemon: Sql): Promise<'idle'> {
  for (const kind of ['check', 'sandbox_trigger', 'escrow_order'] as const) {
    const taken = await claimChargeRequests(daemon, { kind, limit: 100, leaseSeconds: 60 })
    const refusal: RequestError = { outcome: 'refused', code: 'service_unavailable', message: 'not now' }
    for (const { id } of taken) await respondToRequest(daemon, id, refusal)
  }
  return 'idle'
}

type Ids = Readonly<Record<string, readonly string[]>>

/**
 * Creates rows of an organization's environment over HTTP. Then confirms one of the charges, and inserts another charge
 * with accounting entries, as the daemon would.
 */
async function furnish(
  api: TestApi,
  { organization, environment }: { organization: string; environment: Environment },
) {
  const marker = `marker-of-${organization}-${environment}`
  const issue = (scopes: readonly Scope[]) =>
    api.issueKey({ organization, environment, scopes }).then(({ key }) => key)
  const key = await issue(MERCHANT_SCOPES)
  const post = async (path: string, body: object) =>
    (await call(api, `POST ${path}`, { key, body })).body.id as string
  const charge = { amount: 10, acceptedPayments: [{ token: 'USDC', network: 'base' }] }
  const echoed = { externalRef: marker, source: marker, metadata: { [marker]: marker } }
  const hook = { url: HOOK + marker, events: ['*'] }
  const [webhook, spare] = [await post('/v1/webhooks', hook), await post('/v1/webhooks', hook)]
  const charges = [60, 600, 3600].map((expiresIn) => post('/v1/charges', { ...charge, ...echoed, expiresIn }))
  const recipients = ['3', '4'].map((digit) =>
    post('/v1/recipients', { address: `0x${digit.repeat(40)}`, label: marker }),
  )
  const ids = {
    '/webhooks': [webhook, spare],
    '/charges': await Promise.all(charges),
    '/recipients': await Promise.all(recipients),
    cursor: [(await call(api, 'GET /v1/charges?limit=1', { key })).body.nextCursor as string],
  }
  await api.owner`
    update charges set status = 'confirmed', confirmed_at = now(), received_atto = 10000000000000000000,
      on_time_atto = 10000000000000000000, paid_with = '{USDC/base}', settlement_status = 'pending'
    where id = ${ids['/charges'][0] ?? ''}`
  const entries = buildPaidOut(`${organization}_${environment}`)
  await insertEntryRows(
    api.owner,
    { organizationId: organization, environment, externalRef: marker },
    entries,
  )
  const deliveries = await api.owner<{ publicId: string }[]>`
    select public_id from deliveries where webhook_id = ${webhook}`
  return {
    marker,
    keys: [...Array<string>(8).fill(key), await issue(SPLIT_SCOPES), await issue([])],
    ids: {
      ...ids,
      after: entries.map(({ id }) => id),
      '/deliveries': deliveries.map(({ publicId }) => publicId),
    },
    // Must not be deleted, because later requests name the deliveries of this webhook.
    kept: webhook,
  }
}

function mergeIds(all: readonly Ids[]): Record<string, string[]> {
  const names = new Set(all.flatMap((ids) => Object.keys(ids)))
  return Object.fromEntries([...names].map((name) => [name, all.flatMap((ids) => ids[name] ?? [])]))
}

function without(all: Ids, kept: string): Record<string, string[]> {
  return Object.fromEntries(Object.entries(all).map(([name, ids]) => [name, ids.filter((id) => id !== kept)]))
}

function vocabularyOf(marker: string, ids: Ids) {
  const address = `0x${'5'.repeat(40)}`
  const labels = [marker, `${marker} 😀`]
  return {
    byName: {
      ...ids,
      ...{
        externalRef: labels,
        source: labels,
        label: labels,
        name: labels,
        idempotencyKey: [...labels, 'a', 'b', 'c'],
      },
      recipientId: ids['/recipients'] ?? [],
      url: [
        HOOK + marker,
        `https://hooks.example/${marker}`,
        'https://inside.example/',
        'https://nowhere.example/',
      ],
      ...{ redirectUrl: [`https://shop.example/${marker}`], imageUrl: ['https://shop.example/a.png'] },
      ...{
        since: [
          '2026-01-01',
          '2020-02-29T23:59:59.999Z',
          '2099-01-01T00:00:00+14:00',
          '9999-12-31T23:59:59-01:00',
        ],
      },
      ...{ address: [address, `0x${'6'.repeat(40)}`], releaserAddress: [address], takerAddress: [address] },
      ...{ signature: [`0x${'ab'.repeat(65)}`], txHash: [`0x${'cd'.repeat(32)}`] },
    },
    anywhere: [marker, address, `0x${'cd'.repeat(32)}`, HOOK + marker, ...new Set(Object.values(ids).flat())],
  }
}
