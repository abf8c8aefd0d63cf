import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Network } from '../../shared/domain/networks.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import type { ChainPlan } from '../devnet/networks.ts'
import { registeredChain } from '../devnet/real-networks/registered-chain.ts'
import { TRON_PLAN } from '../devnet/tron/tron-plan.ts'
import { untilOffered } from '../devnet/until-offered.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { createCharge, query } from '../support/scenario.ts'
import { untilAsleep } from '../support/sleeping-networks.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { behindDoor, type Door, type NoteRequest } from './counting-proxy.ts'

/** An installation without payments on local chains with the registry's block times. */
type IdleInstallation = {
  readonly devnet: Devnet
  readonly untilAsleep: () => Promise<unknown>
  /** Creates an open charge on every network, and waits until the feeds show the new blocks. */
  readonly watch: () => Promise<void>
  readonly stop: () => Promise<void>
}

type IdleTerms = {
  readonly networks: readonly Network[]
  readonly program: 'dist' | 'sources'
  readonly noteOf: (network: Network) => NoteRequest
}

/**
 * Time until a network sleeps. With at least a minute, the daemon reads a sleeping network's head once a minute, as in
 * production. A short run does not wait that long.
 */
const SLEEPY = {
  dist: { indexer: { NETWORK_SLEEP_AFTER_SECONDS: '60' } },
  sources: { indexer: { NETWORK_SLEEP_AFTER_SECONDS: '1' } },
}

/** Maximum time until all networks are awake and each Ponder has started and read the missed blocks. */
const WATCHED_WITHIN_MS = 180_000

/** Amount of each charge in USD, more than the minimum of any network. */
const AMOUNT = 1_000

/**
 * Starts the shipped build or the sources with these networks, each behind a proxy that reports the requests to its
 * node. The networks have the registry's settings, except nodes and first blocks; TRON has the devnet's settings. All
 * networks sleep earlier than by default.
 */
export async function startIdleInstallation({
  networks,
  program,
  noteOf,
}: IdleTerms): Promise<IdleInstallation> {
  const doors: Door[] = []
  const directory = await temporaryDirectory('bench-footprint')
  const devnet = await startDevnet({
    directory,
    chains: networks.map((network) => behindDoor(planOf(network), noteOf(network), { doors })),
    ...{ program, startsServices: false, settings: SLEEPY[program] },
  })
  const stop = async () => {
    await devnet.stop()
    for (const door of doors) await door.stop()
  }
  try {
    await removePollingIntervals(join(directory, 'networks.json'))
    await Promise.all([devnet.indexer.start(), devnet.api.start()])
    await untilOffered(devnet.description, devnet.chains)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    ...{ devnet, stop },
    untilAsleep: () => untilAsleep(devnet, networks),
    watch: () => openCharges(devnet).then(() => untilWatched(devnet)),
  }
}

/** Sets TRON's block time explicitly. The other local chains use the registry's block time by default. */
function planOf(network: Network): ChainPlan {
  if (network !== 'tron') return registeredChain({ network, environment: 'live' }, { payers: [] }).plan
  return { ...TRON_PLAN, blockMs: REGISTRY.tron.live.blockTimeMs }
}

type Config = Record<string, { live: { pollingIntervalMs?: number } }>

/** Removes the polling intervals of the devnet, which polls its chains more often than a production installation. */
async function removePollingIntervals(path: string): Promise<void> {
  const config = JSON.parse(await readFile(path, 'utf8')) as Config
  for (const { live } of Object.values(config)) delete live.pollingIntervalMs
  await writeFile(path, JSON.stringify(config))
}

async function openCharges(devnet: Devnet): Promise<void> {
  for (const { network, deployed } of devnet.chains) {
    const acceptedPayments = deployed.map(({ token }) => ({ token, network }))
    await createCharge(devnet, { amount: AMOUNT, acceptedPayments })
  }
}

/** Waits until the feed of every network has applied a block that was mined after this call. */
async function untilWatched(devnet: Devnet): Promise<void> {
  const since = Math.ceil(Date.now() / 1000)
  const areWatched = () =>
    query(devnet, async (sql) => {
      const behind = await sql`
        select from deployments where asleep_since is not null or coalesce(head_timestamp, 0) < ${since}`
      return behind.length === 0
    })
  await waitFor(areWatched, { what: 'every feed to show a new block', timeoutMs: WATCHED_WITHIN_MS })
}
