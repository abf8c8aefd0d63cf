import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChainFeedDeps, createChainFeed } from '../../indexer/chain-feed/chain-feed.ts'
import { createSleepWatch } from '../../indexer/chain-feed/sleep-watch.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Address, ChainFamilyName, Hex } from '../../shared/domain/address.ts'
import type { Environment } from '../../shared/domain/networks.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { nodesAt } from './nodes-at.ts'
import { type PonderChain, startPonderChain, transferLog } from './ponder-chain.ts'
import { connectForTest, createTestDatabase } from './postgres.ts'
import { recordingLog } from './recording-log.ts'
import { startRpcProxy } from './rpc-proxy.ts'

/** Two contracts that log transfers: the watched token, and an imitation. */
export const USDC = `0x${'c0'.repeat(20)}` as Address
export const FAKE_USDC = `0x${'fa'.repeat(20)}` as Address

const CONFIRMATIONS = 3

/** Time limit for Ponder's start, which takes 3 s on an idle machine. */
export const PONDER_TIMEOUT_MS = 150_000

export type LedgerRow = {
  readonly txHash: Hex
  readonly ordinal: number
  readonly valueAtomic: bigint
  readonly inclusion: 'included' | 'missing' | 'orphaned'
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly logIndex: number
  readonly accepted: boolean
}

export type Stage = Awaited<ReturnType<typeof createPonderFixture>>

/** Starts a chain, a proxy in front of its node, and a migrated database, but no feed. */
export async function createPonderFixture() {
  const directory = await mkdtemp(join(tmpdir(), 'chain-feed-'))
  const chain = await startPonderChain({ directory })
  const proxy = await startRpcProxy(chain.rpcUrl)
  const database = await createTestDatabase()
  const sql = connectForTest(database.url.daemon)
  await database.sql`insert into organizations (id, name) values ('org_one', 'one')`
  return {
    ...{ chain, proxy, sql, directory },
    owner: database.sql,
    daemonUrl: database.url.daemon,
    ponderUrl: database.url.ponder,
    deployment: deploymentOf(chain, proxy.url),
    addCharge: (changes: Partial<NewCharge> = {}) =>
      insertPonderCharge(database.sql, { chainId: chain.chainId, ...changes }),
    /** Sends one transfer to an address. It is mined in the next block. */
    pay: (to: Address, amount: bigint, from?: 'payer' | 'payer2') =>
      chain.speak(USDC, [transferLog({ to, amount })], from),
    transfersTo: (address: Address) => transfersTo(sql, address),
    schema: () => currentSchema(sql),
    /** Waits until the feed has applied the chain's tip. Returns the tip's number. */
    level: () => waitForLevel(sql, chain),
    close: async () => {
      await sql.end()
      await database.drop()
      await proxy.stop()
      await chain.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/**
 * Creates a feed as the daemon does, but in the test's process and with a log that tests can read. Does not start the
 * feed.
 */
export function createTestFeed(
  stage: Pick<Stage, 'sql' | 'daemonUrl' | 'ponderUrl' | 'deployment'>,
  changes: Partial<ChainFeedDeps> = {},
) {
  const { log, lines } = recordingLog()
  const counts = { missing: 0, lostCredits: 0, news: 0 }
  const sleepWatch = createSleepWatch({ sql: stage.sql, log })
  const feed = createChainFeed({
    ...{ sql: stage.sql, log },
    ...{ databaseUrl: stage.daemonUrl, ponderDatabaseUrl: stage.ponderUrl },
    maxHeapMb: 200,
    silentMs: 900_000,
    sleepAfterSeconds: 0,
    now: () => new Date(),
    metrics: {
      setHead: () => undefined,
      setOwner: () => undefined,
      countMissing: (_chainId, rows) => {
        counts.missing += rows
      },
      countLostCredit: () => {
        counts.lostCredits += 1
      },
      setAboveChain: () => undefined,
      setOperatorsResponding: () => undefined,
    },
    onNews: () => {
      counts.news += 1
    },
    ...changes,
    deployment: withSleep(changes.deployment ?? stage.deployment, sleepWatch),
  })
  return {
    ...{ name: feed.name, lines, counts },
    start: async () => {
      await sleepWatch.part.start()
      await feed.start()
    },
    stop: async () => {
      await feed.stop()
      await sleepWatch.part.stop?.()
    },
  }
}

/** Adds the network's sleep state to the configuration, as the daemon does. */
export function withSleep(deployment: DeploymentConfig, { sleepOf }: ReturnType<typeof createSleepWatch>) {
  return { ...deployment, sleep: sleepOf(deployment.chainId) }
}

function deploymentOf(chain: PonderChain, rpcUrl: string): DeploymentConfig {
  return {
    ...{ network: 'base', environment: 'live', family: 'evm', chainId: chain.chainId },
    ...{ confirmations: CONFIRMATIONS, finalityBlocks: 30, startBlock: 0 },
    ...{ blockTimeMs: 1000, pollingIntervalMs: 100, ...nodesAt([rpcUrl]) },
    tokens: [{ token: 'USDC', address: USDC, decimals: 6, enabled: true, restriction: null }],
  }
}

type NewCharge = {
  readonly chainId: number
  readonly environment: Environment
  readonly acceptedPayments: readonly string[]
  readonly escrowReleaser: Address | null
  readonly address: Address
  readonly family: ChainFamilyName
  readonly organizationId: string
}

/** Inserts a charge of 10 dollars, and returns its id and addresses. */
export async function insertPonderCharge(
  sql: Sql,
  terms: Partial<NewCharge>,
): Promise<{ id: string; address: Address; split: Address }> {
  const {
    chainId = 31337,
    environment = 'live',
    acceptedPayments = ['USDC/base'],
    escrowReleaser = null,
    family = 'evm',
    organizationId = 'org_one',
  } = terms
  const id = `ch_${randomBytes(16).toString('hex')}`
  const address = terms.address ?? randomAddress()
  const split = escrowReleaser === null ? address : randomAddress()
  await sql`
    insert into charges (id, organization_id, environment, family, amount_micro, fee_payer, fee_percent,
      accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, escrow_releaser,
      request_hash, created_at, expires_at, last_activity_at)
    values (${id}, ${organizationId}, ${environment}, ${family}, 10000000, 'merchant', 1, ${[...acceptedPayments]}, ${[chainId]},
      ${address}, ${split}, '{}', '[]', ${escrowReleaser}, '\\x00', now(), now() + interval '1 hour', now())`
  return { id, address, split }
}

/** Lists the ledger's transfers to an address. */
export async function transfersTo(sql: Sql, address: Address): Promise<readonly LedgerRow[]> {
  return sql<LedgerRow[]>`
    select t.tx_hash, t.ordinal, t.value_atomic, t.inclusion, t.block_number, t.block_hash, t.log_index, t.accepted
    from transfers t join charges c on c.id = t.charge_id where c.address = ${address} order by t.id`
}

async function currentSchema(sql: Sql): Promise<string> {
  const [row] = await sql<{ ponderSchema: string }[]>`
    select ponder_schema from feeds where retired_at is null order by created_at limit 1`
  if (!row) throw new Error('Ponder has no generation yet')
  return row.ponderSchema
}

async function waitForLevel(sql: Sql, chain: PonderChain): Promise<number> {
  const tip = await chain.tip()
  await waitFor(
    async () => {
      const [row] = await sql<{ headNumber: number | null }[]>`select head_number from deployments`
      return (row?.headNumber ?? -1) >= tip
    },
    { what: `the feed to apply block ${tip}`, timeoutMs: PONDER_TIMEOUT_MS },
  )
  return tip
}

export function randomAddress(): Address {
  return `0x${randomBytes(20).toString('hex')}` as Address
}
