import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'

import type { Migration } from '../../shared/db/migrate.ts'
import { ACCOUNTS } from './accounts.ts'
import { claimDirectory, newDataDirectory, recordRun, releaseDirectory } from './claim-directory.ts'
import { createDatabase, type DatabaseUrls, type ServerAddress } from './database.ts'
import type { DevnetExtra, StartedExtra } from './extra.ts'
import {
  CHAINS,
  type ChainPlan,
  type DevnetChain,
  isPayable,
  presentNetworks,
  startChain,
  writeNetworksConfig,
} from './networks.ts'
import { createOrganizations } from './organization.ts'
import { controlPostgres, type PostgresControl } from './postgres-control.ts'
import { planService, type Service, type ServicePlan } from './service.ts'
import { processSettings, type Settings } from './settings.ts'
import { PRESENTED_TRON_ACCOUNTS } from './tron/accounts.ts'
import { untilOffered } from './until-offered.ts'
import { type DevnetDescription, writeDescription } from './write-description.ts'

export type DevnetOptions = {
  /** Created if it does not exist. If a killed devnet used it, its database server is stopped and its data removed. */
  readonly directory: string
  /** Default: `CHAINS`. */
  readonly chains?: readonly ChainPlan[]
  /** Confirmation depth of the chains whose plan does not set one. Default: 2. */
  readonly confirmations?: number
  /** Seconds between two blocks of the chains whose plan does not set `blockMs`. Default: 1. */
  readonly blockSeconds?: number
  /** Seconds during which only keepers may send a payout. Default: 5. */
  readonly graceSeconds?: number
  /** `dist` runs the shipped build. Default: `sources`. */
  readonly program?: ServicePlan['program']
  /** Replaces the command of both processes, for example to give them fewer rights. Default: that of `program`. */
  readonly confine?: ServicePlan['confine']
  /** Migrations to apply, for example those of an earlier build. Default: the current migrations. */
  readonly migrations?: readonly Migration[]
  /** Settings that override the devnet's settings. */
  readonly settings?: { readonly api?: Settings; readonly indexer?: Settings }
  /** An empty server, which the caller stops. Default: the devnet starts its own PostgreSQL. */
  readonly database?: ServerAddress
  /** Extras of the devnet, see `everything.ts`. Default: none. */
  readonly extras?: readonly DevnetExtra[]
  /** Whether to use the documented ports if they are free. Default: random ports. */
  readonly prefersUsualPorts?: boolean
  /** Whether to start both processes and wait until they are ready. Default: true. */
  readonly startsServices?: boolean
}

/** A running devnet, with functions that break and repair it. */
export type Devnet = {
  readonly description: DevnetDescription
  readonly chains: readonly DevnetChain[]
  readonly databaseUrls: DatabaseUrls
  /** Throws if the caller passed `database`. */
  readonly postgres: PostgresControl
  readonly indexer: Service
  readonly api: Service
  /** Plans another process of this kind with its own ports, without starting it. `confine` replaces its command. */
  readonly addService: (
    kind: ServicePlan['kind'],
    name: string,
    confine?: ServicePlan['confine'],
  ) => Promise<Service>
  /** Stops all parts in the reverse order of their start. May be called twice. */
  readonly stop: () => Promise<void>
}

/** The documented ports, which are the defaults of the settings. */
const USUAL_PORTS = {
  api: { public: 3000, internal: 9464 },
  indexer: { public: 0, internal: 9465 },
} as const

const ANY_PORTS = { public: 0, internal: 0 } as const

/**
 * Starts PostgreSQL, the chains with their contracts, two organizations with keys, the indexer and the API.
 *
 * Unless `startsServices` is false, waits until both processes are ready and the API offers every token. Then writes
 * `devnet.json`. If a step fails, stops all parts and throws.
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const started: (() => Promise<void>)[] = []
  const stop = async () => {
    for (let end = started.pop(); end !== undefined; end = started.pop()) await end()
  }
  try {
    const parts = await startParts(options, (end) => started.push(end))
    return Object.assign(parts, { stop })
  } catch (error) {
    await stop()
    throw error
  }
}

/** Builds the browser script of the checkout pages next to its sources, as `npm run build` does for `dist/`. */
const BUNDLE_CHECKOUT = resolve(import.meta.dirname, '../../.ci/bundle-checkout.mjs')

/** Starts all parts. When a part has started, passes the function that stops it to `later`. */
async function startParts(
  options: DevnetOptions,
  later: (end: () => Promise<void>) => void,
): Promise<Omit<Devnet, 'stop'>> {
  const { confirmations = 2, blockSeconds = 1, graceSeconds = 5, program = 'sources' } = options
  const directory = resolve(options.directory)
  if (program === 'sources') execFileSync(process.execPath, [BUNDLE_CHECKOUT])
  await claimDirectory(directory)
  later(() => releaseDirectory(directory))

  const postgres = options.database ? null : await startOwnPostgres(directory, later)
  const server = options.database ?? postgres?.server
  if (server === undefined) throw new Error('the devnet has no database')
  const databaseUrls = await createDatabase(server, options.migrations)
  const keys = await createOrganizations(databaseUrls.operator)

  const chains: DevnetChain[] = []
  for (const plan of options.chains ?? CHAINS) {
    const chain = await startChain(plan, { directory, blockSeconds })
    later(chain.anvil.stop)
    chains.push(chain)
  }

  const extras: StartedExtra[] = []
  for (const startExtra of options.extras ?? []) {
    const extra = await startExtra(chains)
    later(extra.stop)
    extras.push(extra)
  }

  const networksConfig = await writeNetworksConfig(chains, { directory, confirmations, blockSeconds })
  const shared = processSettings({ urls: databaseUrls, networks: networksConfig, graceSeconds })
  const addService: Devnet['addService'] = async (kind, name, confine = options.confine) => {
    const added = extras.map(({ settings }) => settings[kind])
    const settings = (): Settings =>
      Object.assign(checkoutSettings(api.url), shared[kind], ...added, options.settings?.[kind])
    const preferredPorts = options.prefersUsualPorts ? USUAL_PORTS[kind] : ANY_PORTS
    const plan = { kind, name, program, settings, preferredPorts, directory }
    const service = await planService({ ...plan, ...(confine && { confine }) })
    later(service.stop)
    return service
  }
  const api: Service = await addService('api', 'api')
  const indexer = await addService('indexer', 'indexer')
  const networks = presentNetworks(chains, confirmations)
  const description: DevnetDescription = {
    apiUrl: api.url,
    internalUrls: { api: api.internalUrl, indexer: indexer.internalUrl },
    databaseUrl: databaseUrls.owner,
    keys,
    networks,
    accounts: networks.tron === undefined ? ACCOUNTS : { ...ACCOUNTS, ...PRESENTED_TRON_ACCOUNTS },
    ...Object.assign({}, ...extras.map(({ description }) => description)),
  }
  if (options.startsServices ?? true) {
    await Promise.all([indexer.start(), api.start()])
    await untilOffered(description, chains.filter(isPayable))
    for (const { untilReady } of extras) await untilReady?.(description)
  }
  await writeDescription(directory, description)
  return {
    ...{ description, chains, databaseUrls, indexer, api, addService },
    get postgres() {
      if (postgres === null) throw new Error('the caller of this devnet controls its server')
      return postgres
    },
  }
}

async function startOwnPostgres(
  directory: string,
  later: (end: () => Promise<void>) => void,
): Promise<PostgresControl> {
  const postgres = await controlPostgres({ dataDirectory: newDataDirectory(directory), port: 0 })
  later(postgres.stop)
  await recordRun(directory, postgres.server.dataDirectory)
  return postgres
}

/** Returns the setting that makes every process link to the checkout pages of the first API process. */
function checkoutSettings(apiUrl: string): Record<string, string> {
  return { CHECKOUT_BASE_URL: `${apiUrl}/pay` }
}
