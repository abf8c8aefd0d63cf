import { connectExports } from '../../api/accounting/exports.ts'
import { createApp, listRoutes } from '../../api/app.ts'
import { presentStreamedCharge } from '../../api/charges/present.ts'
import { createReadPages } from '../../api/checkout/read-pages.ts'
import { createApiServer } from '../../api/http/create-server.ts'
import { createReaders } from '../../api/http/response-buffers.ts'
import type { Route } from '../../api/http/route.ts'
import { createStreamHub, type StreamHub } from '../../api/streams/hub.ts'
import { createSwap } from '../../api/swap/create-swap.ts'
import { connect, type Sql } from '../../shared/db/connect.ts'
import { insertApiKey } from '../../shared/db/organizations/daemon/api-keys.ts'
import { type Address, parseEvmAddress } from '../../shared/domain/address.ts'
import { createApiKey, hashApiKey } from '../../shared/domain/api-key.ts'
import type { OtherPayoutAddresses } from '../../shared/domain/chain-families/chain-families.ts'
import { newId } from '../../shared/domain/ids.ts'
import type { Environment } from '../../shared/domain/networks.ts'
import type { Scope } from '../../shared/domain/scope.ts'
import { type ApiConfig, readApiConfig } from '../../shared/runtime/api-config.ts'
import { createLogger } from '../../shared/runtime/logger.ts'
import { createMetrics, type Metrics } from '../../shared/runtime/metrics.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { nodesAt } from './nodes-at.ts'
import { createTestDatabase, type TestDatabase } from './postgres.ts'
import { recordResponses } from './record-answers.ts'
import { insertServiceTerms } from './trusted-terms.ts'

/** The API over HTTP on its own database, with the database role that it has in production. */
export type TestApi = {
  readonly database: TestDatabase
  /** Connections as the database owner, for rows that other processes write in production. */
  readonly owner: Sql
  readonly baseUrl: string
  readonly routes: readonly Route[]
  readonly hub: StreamHub
  readonly metrics: Metrics
  readonly config: ApiConfig
  /** Lines logged at error level, as JSON. */
  readonly errors: readonly string[]
  /** Lines logged at warning level, as JSON. */
  readonly warnings: readonly string[]
  /** Issues an API key for an organization. Creates the organization if it does not exist. */
  readonly issueKey: (key?: IssuedKey) => Promise<{ key: string; id: string }>
  /** Starts another process of the API on the same database, with the same configuration except for `change`. */
  readonly startAnother: (
    change?: (config: ApiConfig) => ApiConfig,
  ) => Promise<Pick<TestApi, 'baseUrl' | 'routes' | 'stop'>>
  readonly stop: () => Promise<void>
}

type IssuedKey = {
  readonly organization?: string
  readonly environment?: Environment
  readonly scopes?: readonly Scope[]
  readonly payoutAddress?: Address
  readonly otherPayoutAddresses?: OtherPayoutAddresses
}

/** Default scopes of an issued key. */
const CHARGE_SCOPES: readonly Scope[] = ['charges:read', 'charges:write']

export const MERCHANT = address('0x00000000000000000000000000000000000a11ce')
export const TREASURY = address('0x0000000000000000000000000000000000077ea5')

/** Starts the API. `env` adds or replaces settings, and `change` changes values that no setting controls. */
export async function startTestApi(
  env: Readonly<Record<string, string>> = {},
  change: (config: ApiConfig) => ApiConfig = (config) => config,
): Promise<TestApi> {
  const database = await createTestDatabase()
  await insertDeployments(database.sql)
  await insertServiceTerms(database.sql, TREASURY)
  const api = await startTestApiOn(database, env, change)
  const stop = async () => {
    await api.stop()
    await database.drop()
  }
  return { ...api, stop }
}

/**
 * Starts the API on a given database. Unlike with `startTestApi`, the caller inserts deployments and terms, and drops
 * the database.
 */
export async function startTestApiOn(
  database: TestDatabase,
  env: Readonly<Record<string, string>> = {},
  change: (config: ApiConfig) => ApiConfig = (config) => config,
): Promise<TestApi> {
  const settings = readApiConfig({
    API_DATABASE_URL: database.url.api,
    TREASURY_ADDRESS: TREASURY,
    CURSOR_SECRET: 'a secret of thirty-two characters',
    RATE_LIMIT_PER_MINUTE: '100000',
    RATE_LIMIT_CHECKS_PER_MINUTE: '100000',
    RATE_LIMIT_CHECKOUT_PER_MINUTE: '100000',
    ...env,
  })
  const config = change({ ...settings, deployments: settings.deployments.map(withoutNode) })
  const logged = { errors: [] as string[], warnings: [] as string[] }
  const first = await startProcess(config, logged)
  return {
    database,
    owner: database.sql,
    config,
    ...logged,
    ...first,
    issueKey: async (wanted = {}) => {
      const organization = wanted.organization ?? 'org_one'
      await database.sql`
        insert into organizations (id, name) values (${organization}, ${organization}) on conflict do nothing`
      return issueKey(database.sql, { ...wanted, organization })
    },
    startAnother: (change = (same) => same) => startProcess(change(config), logged),
  }
}

/**
 * Replaces the deployment's nodes, so that no test queries a public node. Port 9 (discard) refuses connections
 * immediately.
 */
function withoutNode(deployment: DeploymentConfig): DeploymentConfig {
  return { ...deployment, ...nodesAt(['http://127.0.0.1:9']) }
}

export function address(text: string): Address {
  const parsed = parseEvmAddress(text)
  if (parsed === null) throw new Error(`${text} is not an address`)
  return parsed
}

async function startProcess(
  config: ApiConfig,
  { errors, warnings }: { errors: string[]; warnings: string[] },
) {
  const log = createLogger({
    level: 'warn',
    service: 'api',
    destination: { write: (line) => (line.includes('"level":"warn"') ? warnings : errors).push(line) },
  })
  const sql = connect({ url: config.databaseUrl, applicationName: 'api', maxConnections: 10 })
  const metrics = createMetrics({ service: 'api' })
  const readers = createReaders({ maxBytes: config.maxUnreadBytes, metrics })
  const swap = createSwap({ sql, config, log })
  const hub = createStreamHub({
    sql,
    log,
    ...{ readers, metrics },
    config,
    present: (charge) => presentStreamedCharge(charge, { config, swap }),
    readPages: createReadPages({ sql, config, swap }),
  })
  const exportSql = connectExports(config)
  const deps = { sql, exportSql, config, log, hub, readers, swap, metrics, version: '1.2.3' }
  const described = listRoutes(deps)
  const { routes } = described
  const app = createApp(deps, described)
  recordResponses(app, routes)
  const server = createApiServer(app, {
    connections: config.connections,
    host: '127.0.0.1',
    port: 0,
    drainMs: 0,
    onStopping: hub.endStreams,
  })
  await hub.start()
  swap?.start()
  const port = await server.start()
  return {
    hub,
    metrics,
    routes,
    baseUrl: `http://127.0.0.1:${port}`,
    stop: async () => {
      await server.stop()
      await hub.stop()
      await swap?.stop()
      await exportSql.end({ timeout: 1 })
      await sql.end({ timeout: 1 })
    },
  }
}

async function issueKey(
  sql: Sql,
  {
    organization,
    environment = 'live',
    scopes = CHARGE_SCOPES,
    payoutAddress = MERCHANT,
    otherPayoutAddresses = {},
  }: IssuedKey & { organization: string },
) {
  const key = createApiKey(environment)
  const id = newId('key', Date.now())
  await insertApiKey(sql, {
    id,
    organizationId: organization,
    environment,
    keyHash: hashApiKey(key),
    hint: key.slice(0, 13),
    payoutAddress,
    otherPayoutAddresses,
    scopes,
  })
  return { key, id }
}

/**
 * Inserts live `base`, live `bnb` and test `base`, and their pairs, as the daemon does, but with heads that do not
 * become stale during a test.
 */
export async function insertDeployments(sql: Sql): Promise<void> {
  await sql`
    insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, contracts_match,
      head_number, max_head_number, max_head_at)
    values (8453, 'base', 'live', 'evm', 12, 2000, true, 100, 100, now() + interval '1 hour'),
      (56, 'bnb', 'live', 'evm', 15, 750, true, 100, 100, now() + interval '1 hour'),
      (84532, 'base', 'test', 'evm', 12, 2000, true, 100, 100, now() + interval '1 hour')`
  await sql`
    insert into pairs (chain_id, network, environment, token, token_address, decimals, enabled)
    values (8453, 'base', 'live', 'USDC', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 6, true),
      (8453, 'base', 'live', 'USDT', '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2', 6, true),
      (56, 'bnb', 'live', 'USDT', '0x55d398326f99059ff775485246999027b3197955', 18, true),
      (84532, 'base', 'test', 'USDC', '0x036cbd53842c5426634e7929541ec2318f3dcf7e', 6, true)`
}
