import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Abi,
  createPublicClient,
  createTestClient,
  createWalletClient,
  erc20Abi,
  type Hex,
  http,
  publicActions,
} from 'viem'
import { foundry } from 'viem/chains'
import usdcArtifact from '../../contracts/artifacts/TestUSDC.json' with { type: 'json' }
import { runChargeTurns } from '../../indexer/charges/charge-actor.ts'
import { createTurnFailureTracker } from '../../indexer/charges/turn-failure-tracker.ts'
import { createChainSources } from '../../indexer/corroboration/chain-sources.ts'
import type { CheckedChain } from '../../indexer/corroboration/checked-chain.ts'
import { createCorroboration } from '../../indexer/corroboration/corroborate-rows.ts'
import { openPayouts } from '../../indexer/payouts/open-payouts.ts'
import { createPayoutWorker, type PayoutWorkerDeps } from '../../indexer/payouts/payout-actor.ts'
import { createReleaseWorker, type ReleaseWorkerDeps } from '../../indexer/payouts/release-held.ts'
import { createChainReconciler } from '../../indexer/reconciliation/reconcile-chain.ts'
import { createExpiryVerifier } from '../../indexer/reconciliation/verify-expiries.ts'
import { createEvmRelayer, type EvmRelayer } from '../../indexer/relayer/evm-relayer.ts'
import { createPayoutMetrics } from '../../indexer/relayer/payout-metrics.ts'
import type { RelayerTerms } from '../../indexer/relayer/relayer-context.ts'
import { toRelayer } from '../../indexer/relayer/to-relayer.ts'
import { paymentSplitFactoryAbi } from '../../shared/chain/abi/payment-split-factory.ts'
import { deployFactory } from '../../shared/chain/contracts/deploy-factory.ts'
import { type ChainClient, createChainClient } from '../../shared/chain/nodes/client.ts'
import { nodeTransport } from '../../shared/chain/nodes/node-transport.ts'
import { createRestrictionReader } from '../../shared/chain/tokens/restrictions.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { type Address, parseEvmAddress } from '../../shared/domain/address.ts'
import { allocate, type Split } from '../../shared/domain/allocation.ts'
import { DATA_FEES } from '../../shared/domain/data-fees.ts'
import { predictSafeAddress } from '../../shared/domain/escrow-address.ts'
import { newId } from '../../shared/domain/ids.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { type Percent, parsePercent } from '../../shared/domain/percent.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../shared/domain/split-address.ts'
import { createLogger } from '../../shared/runtime/logger.ts'
import { createMetrics } from '../../shared/runtime/metrics.ts'
import { ACCOUNTS, toSigner } from '../devnet/accounts.ts'
import { startAnvil } from '../devnet/anvil.ts'
import { deployMulticall3 } from '../devnet/deploy.ts'
import { requireMined } from '../devnet/require-mined.ts'
import { chainAt } from './chain-at.ts'
import { MINIMUM_PAYOUT } from './factories.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from './postgres.ts'
import { recordingLog } from './recording-log.ts'
import { insertPayoutKey, insertServiceTerms } from './trusted-terms.ts'

const CHAIN_ID = 31337
export const CONFIRMATIONS = 3
export const GRACE_SECONDS = 300

/** A charge that was paid on the chain and credited in the ledger. Its payout is pending. */
export type PaidCharge = { readonly chargeId: string; readonly split: Split; readonly splitAddress: Address }

/** Payout worker and relayer of one daemon process. Several processes can share a stage. */
export type Cast = {
  readonly relayer: EvmRelayer
  readonly turn: () => Promise<'more' | 'idle'>
  /** Runs a turn of the worker that releases held shares. */
  readonly release: () => Promise<'idle'>
  /** Returns the metrics of the relayer and the workers as text. */
  readonly metricsText: () => Promise<string>
}

type CastOptions = {
  readonly rpcUrl?: string
  /** URLs of several nodes; overrides `rpcUrl`. */
  readonly rpcUrls?: readonly string[]
  /** Number of operators that must agree; by default 2 if there are several nodes, else 1. */
  readonly quorum?: number
  /** Timeout of a call to a node, and of a query of an issuer's restriction; by default `NODE_TIMEOUT_MS`. */
  readonly timeoutMs?: number
  readonly sql?: Sql
  readonly relayerTerms?: Partial<RelayerTerms>
  readonly workerTerms?: Partial<PayoutWorkerDeps['terms']> & { readonly maxGas?: bigint }
  readonly reportPayoutFailed?: PayoutWorkerDeps['reportPayoutFailed']
  /** Replaces the relayer's broadcast, to simulate a process that is killed while it broadcasts. */
  readonly broadcast?: EvmRelayer['broadcast']
}

const CIRCLE = REGISTRY.base.live.tokens.USDC?.restriction ?? null

/**
 * Long, because a node responds slowly on a busy machine, and a timeout would change the test: the attempt would be
 * canceled and restarted. A test in which a node never responds sets a shorter timeout.
 */
export const NODE_TIMEOUT_MS = 30_000

export type Stage = Awaited<ReturnType<typeof setStage>>

/**
 * Starts a chain with two tokens and, by default, the split factory. The chain mines each transaction immediately until
 * a test turns automine off.
 */
export async function startChain({ hasFactory = true } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'settlement-'))
  const anvil = await startAnvil({ name: 'chain', chainId: CHAIN_ID, directory })
  const node = createTestClient({
    chain: foundry,
    mode: 'anvil',
    // On a busy machine, mining a thousand blocks in one call takes longer than viem's default timeout.
    transport: http(anvil.rpcUrl, { timeout: 110_000 }),
    account: toSigner(ACCOUNTS.payer),
  }).extend(publicActions)
  const wallet = createWalletClient({ chain: foundry, transport: http(anvil.rpcUrl), pollingInterval: 20 })
  if (hasFactory) {
    const client = createChainClient({ chainId: CHAIN_ID, rpcUrls: [anvil.rpcUrl] })
    await deployFactory(client, toSigner(ACCOUNTS.deployer))
  }
  await deployMulticall3(anvil)
  const deployToken = async () => {
    const hash = await wallet.deployContract({
      account: toSigner(ACCOUNTS.deployer),
      abi: usdcArtifact.abi as Abi,
      bytecode: usdcArtifact.bytecode as Hex,
      args: [6],
    })
    const { contractAddress } = await requireMined(node, hash)
    return addressOf(contractAddress ?? '')
  }
  const stop = async () => {
    await anvil.stop()
    await rm(directory, { recursive: true })
  }
  const emptyPool = () => node.request({ method: 'anvil_dropAllTransactions' } as never)
  const reset = async (snapshot: Hex) => {
    await emptyPool()
    await node.revert({ id: snapshot })
  }
  return {
    rpcUrl: anvil.rpcUrl,
    node,
    wallet,
    reset,
    emptyPool,
    deployToken,
    token: await deployToken(),
    /** A second token, used as USDT. */
    usdt: await deployToken(),
    stop,
  }
}

export type TestChain = Awaited<ReturnType<typeof startChain>>

/** Creates a stage: a fresh database for the chain, a clock, and functions that act on them. */
export async function setStage(chain: TestChain) {
  const database = await createTestDatabase()
  const { sql } = database
  const daemonSql = connectForTest(database.url.daemon)
  // The chain's clock might be ahead of the machine's. From here on, only the test advances the stage's clock.
  const { timestamp } = await chain.node.getBlock()
  const time = { now: new Date(Math.max(Date.now(), Number(timestamp) * 1000)) }
  await insertDeployment(sql, chain)
  const stage = { ...chain, sql, daemonSql, database, time }
  return {
    ...stage,
    advance: (seconds: number) => {
      time.now = new Date(time.now.getTime() + seconds * 1000)
    },
    mine: (blocks = 1) => chain.node.mine({ blocks }),
    pay: (payment: Payment) => pay(stage, payment),
    /** Creates an unpaid charge. */
    openCharge: (terms: Terms = {}) => openCharge(stage, terms),
    /** Creates copies of a charge with other addresses and later ids, and returns their addresses. */
    copyCharge: (charge: PaidCharge, count: number) => copyCharge(sql, charge, count),
    reconcile: (options: ReconcileOptions = {}) => reconcile(stage, options),
    /** Creates a daemon's reconciliation. The test runs its turns. */
    reconciliation: (options: ReconcileOptions = {}) => reconciliation(stage, options),
    /** Moves the feed's head to the chain's without inserting rows, as if no payment had been made. */
    moveFeed: () => moveFeed(stage),
    /** Creates a daemon's corroboration. The test runs its turns. */
    corroboration: (rpcUrls: readonly string[]) => corroboration(stage, rpcUrls),
    /** Creates a daemon's expiry verification. The test runs its turns. */
    gathering: (options: GatheringOptions = {}) => gathering(stage, options),
    /** Runs the charges' turns until no charge has work left. */
    takeTurns: () => takeTurns(stage),
    /** Mines until the chain's events are at confirmation depth, reconciles, and runs the charges' turns. */
    settle: async () => {
      await chain.node.mine({ blocks: CONFIRMATIONS })
      // A charge's turns get increasing times even while the clock stands still. The clock must not fall behind.
      time.now = new Date(time.now.getTime() + 1000)
      const found = await reconcile(stage, {})
      await takeTurns(stage)
      return found
    },
    chargeOf: ({ chargeId }: PaidCharge) => readCharge(sql, chargeId),
    cast: (options: CastOptions = {}) => cast(stage, options),
    balanceOf: (account: Address, token: Address = chain.token) =>
      chain.node.readContract({
        address: token,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [account],
      }),
    /** Sends a charge's distribution from the keeper's account, without waiting until it is mined. */
    distributeAsKeeper: (charge: PaidCharge, options: KeeperOptions = {}) =>
      distributeAsKeeper(stage, charge, options),
    /** Calls the token, for example to mint or to restrict an account, and mines the call immediately. */
    callToken: (functionName: string, args: readonly unknown[] = [], token?: Address) =>
      callToken(token === undefined ? stage : { ...stage, token }, functionName, args),
    payoutOf: (charge: PaidCharge, token = 'USDC') => readPayout(sql, charge.chargeId, token),
    relayerTransactions: () => readRelayerTransactions(sql),
    feed: () => readFeed(sql),
    /** Records a distribution at confirmation depth, as the charge actor would. */
    applyDistribution: (charge: PaidCharge, txHash: Hex) => applyDistribution(sql, charge, txHash),
    close: async () => {
      await daemonSql.end()
      await database.drop()
    },
  }
}

type KeeperOptions = {
  readonly token?: Address
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
}

/** Fees that place a transaction before the relayer's transaction in the same block. */
export const FIRST_IN_BLOCK = { maxFeePerGas: 150_000_000_000n, maxPriorityFeePerGas: 50_000_000_000n }

/** Bounds far above the gas price of the chain. */
export const GAS_BOUNDS = { maxFeePerGasWei: 200_000_000_000n, maxTipPerGasWei: 50_000_000_000n }

type BareStage = TestChain & {
  /** Connections as the database owner. */
  readonly sql: Sql
  /** Connections with the daemon's role. */
  readonly daemonSql: Sql
  readonly database: TestDatabase
  readonly time: { now: Date }
}

type Payment = {
  /** The paid amount, in atomic units of a token with 6 decimals. */
  readonly amount: bigint
  readonly status?: 'confirmed' | 'underpaid'
  /** Whether the payment is also on the chain and not only in the ledger; by default true. */
  readonly isOnChain?: boolean
  /** The charge's organization, which is created if it does not exist. */
  readonly organizationId?: string
}

async function pay(stage: BareStage, payment: Payment): Promise<PaidCharge> {
  const { sql, time, token } = stage
  const { amount, status = 'confirmed', isOnChain = true, organizationId = 'org_1' } = payment
  const chargeId = newId('ch', time.now.getTime())
  const charge = { chargeId, ...splitOf(chargeId) }
  await sql`insert into organizations (id, name) values (${organizationId}, 'One') on conflict do nothing`
  await insertPayees(sql, { chargeId, organizationId })
  if (isOnChain) await callToken(stage, 'mint', [charge.splitAddress, amount])
  await inTransaction(sql, async (db) => {
    await db`
      insert into charges (id, organization_id, api_key_id, environment, family, amount_micro, fee_payer, fee_percent,
        accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, request_hash,
        created_at, expires_at, last_activity_at, status, settlement_status, confirmed_at)
      values (${chargeId}, ${organizationId}, ${`key_${chargeId}`}, 'live', 'evm', ${db.types.numeric(amount)}, 'merchant', ${'1'},
        ${['USDC/base']}, ${[CHAIN_ID]}, ${charge.splitAddress}, ${charge.splitAddress},
        ${db.json({ ...charge.split, factory: SPLIT_FACTORY })}, ${db.json(partnersOf(chargeId))}, ${Buffer.alloc(32)},
        ${time.now}, ${new Date(time.now.getTime() + 3_600_000)}, ${time.now}, ${status}, 'pending',
        ${status === 'confirmed' ? time.now : null})`
    await db`
      insert into charge_ledgers (charge_id, network, token, chain_id, token_address, credited_atomic, settlement_atomic)
      values (${chargeId}, 'base', 'USDC', ${CHAIN_ID}, ${token}, ${db.types.numeric(amount)},
        ${db.types.numeric(amount)})`
    await openPayouts(db, { chargeIds: [chargeId], graceSeconds: GRACE_SECONDS, nowDate: time.now })
  })
  return charge
}

type Terms = {
  readonly amount?: bigint
  readonly expiresInSeconds?: number
  readonly acceptedPayments?: readonly string[]
  /** Whether the charge is an escrow charge. The second payer then owns the charge's Safe. */
  readonly isEscrow?: boolean
}

/** `address` is the payment address: the split, or the Safe of an escrow charge. */
type OpenCharge = PaidCharge & { readonly address: Address }

/** Creates a charge for 10 dollars that expires after an hour, unless the terms set other values. */
async function openCharge(stage: BareStage, terms: Terms): Promise<OpenCharge> {
  const { sql, time } = stage
  const { amount = 10_000_000n, expiresInSeconds = 3600, acceptedPayments = ['USDC/base'] } = terms
  const chargeId = newId('ch', time.now.getTime())
  const [feePercent, escrowFeePercent, releaser] = terms.isEscrow
    ? ['1.5', '0.5', addressOf(ACCOUNTS.payer2.address)]
    : ['1', null, null]
  const split = splitOf(chargeId, feePercent)
  const address =
    releaser === null ? split.splitAddress : predictSafeAddress({ releaser, saltNonce: chargeSalt(chargeId) })
  const charge = { chargeId, address, ...split }
  await insertPayees(sql, { chargeId, organizationId: 'org_1' })
  await sql`
    insert into charges (id, organization_id, api_key_id, environment, family, amount_micro, fee_payer, fee_percent,
      accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, request_hash,
      created_at, expires_at, last_activity_at, escrow_releaser, escrow_fee_percent)
    values (${chargeId}, 'org_1', ${`key_${chargeId}`}, 'live', 'evm', ${sql.types.numeric(amount)}, 'merchant',
      ${feePercent}, ${[...acceptedPayments]}, ${[CHAIN_ID]}, ${address}, ${charge.splitAddress},
      ${sql.json({ ...charge.split, factory: SPLIT_FACTORY })}, ${sql.json(partnersOf(chargeId))}, ${Buffer.alloc(32)},
      ${time.now}, ${new Date(time.now.getTime() + expiresInSeconds * 1000)}, ${time.now}, ${releaser}, ${escrowFeePercent})`
  return charge
}

async function copyCharge(sql: Sql, { chargeId }: PaidCharge, count: number): Promise<readonly Address[]> {
  const copies = await sql<{ address: Address }[]>`
    insert into charges (id, organization_id, environment, family, amount_micro, fee_payer, fee_percent,
      accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, request_hash,
      created_at, expires_at, last_activity_at)
    select c.id || lpad(n::text, 4, '0'), organization_id, environment, family, amount_micro, fee_payer, fee_percent,
      accepted_payments, accepted_chains, '0xaa' || lpad(to_hex(n), 38, '0'), '0xaa' || lpad(to_hex(n), 38, '0'),
      split_terms, split_recipients, request_hash, created_at, expires_at, last_activity_at
    from charges c, generate_series(1, ${count}::int) n where c.id = ${chargeId} order by n
    returning address`
  return copies.map(({ address }) => address)
}

function readingOf(rpcUrls: readonly string[], { trustsFirst = false } = {}) {
  const connect = (url: string) => connectChain(url, NODE_TIMEOUT_MS)
  const nodes = chainAt(rpcUrls, { chainId: CHAIN_ID, connect })
  const trusted = nodes.nodes[0]?.name ?? null
  const chain = trustsFirst ? { ...nodes, getTrusted: () => trusted } : nodes
  return { chain, sources: createChainSources(chain, 'evm') }
}

type ReconcileOptions = { readonly rpcUrls?: readonly string[]; readonly blockTimeMs?: number }

type GatheringOptions = Pick<ReconcileOptions, 'rpcUrls'> & {
  /** Whether the first node decides alone, as if an operator had chosen to trust it. */
  readonly trustsFirst?: boolean
}

/** Runs a whole reconciliation. Returns its counts, its log lines, and the nodes that a quorum contradicted. */
async function reconcile(stage: BareStage, options: ReconcileOptions) {
  const { turn, counts, lines, contradicting } = reconciliation(stage, options)
  for (let outcome = 'more'; outcome === 'more'; ) outcome = await turn()
  return { ...counts, lines, contradicting }
}

function reconciliation({ daemonSql, rpcUrl, token, usdt, time }: BareStage, options: ReconcileOptions) {
  const { rpcUrls = [rpcUrl], blockTimeMs = 1000 } = options
  const { log, lines } = recordingLog()
  const counts = { found: 0, unexplained: 0 }
  const contradicting: string[] = []
  const { turn } = createChainReconciler({
    sql: daemonSql,
    deployment: {
      ...{ chainId: CHAIN_ID, network: 'base', environment: 'live' },
      ...{ confirmations: CONFIRMATIONS, blockTimeMs },
      tokens: [
        { token: 'USDC', address: token, emitter: token, decimals: 6, emitterDecimals: 6 },
        { token: 'USDT', address: usdt, emitter: usdt, decimals: 6, emitterDecimals: 6 },
      ],
    },
    ...readingOf(rpcUrls),
    intervalSeconds: 0,
    now: () => time.now,
    log,
    metrics: {
      countFound: (_chainId, rows) => {
        counts.found += rows
      },
      countUnexplained: () => {
        counts.unexplained += 1
      },
      noteVerdict: (_chainId, verdict) => {
        if (verdict.outcome === 'agreed') contradicting.push(...verdict.denied.map(({ node }) => node))
      },
    },
    onNews: () => undefined,
  })
  return { turn, counts, lines, contradicting }
}

async function moveFeed({ sql, node }: BareStage): Promise<void> {
  const head = await node.getBlock()
  const deep = await node.getBlock({ blockNumber: head.number - BigInt(CONFIRMATIONS - 1) })
  await sql`
    update deployments set head_number = ${Number(head.number)}, head_timestamp = ${Number(head.timestamp)},
      confirmed_head_number = ${Number(deep.number)}, confirmed_head_timestamp = ${Number(deep.timestamp)}`
}

function gathering({ daemonSql, rpcUrl, token, usdt, time }: BareStage, options: GatheringOptions) {
  const { rpcUrls = [rpcUrl], trustsFirst } = options
  const { log, lines } = recordingLog()
  const { turn } = createExpiryVerifier({
    ...{ sql: daemonSql, silentSeconds: 900, now: () => time.now, log },
    deployment: {
      ...{ chainId: CHAIN_ID, network: 'base', environment: 'live' },
      ...{ confirmations: CONFIRMATIONS, blockTimeMs: 1000 },
      tokens: [
        { token: 'USDC', address: token, emitter: token, decimals: 6, emitterDecimals: 6 },
        { token: 'USDT', address: usdt, emitter: usdt, decimals: 6, emitterDecimals: 6 },
      ],
    },
    ...readingOf(rpcUrls, { trustsFirst: trustsFirst === true }),
    metrics: { countFound: () => undefined, noteVerdict: () => undefined },
    onNews: () => undefined,
  })
  return { turn, alerts: () => lines.filter(({ level }) => level === 'error').map(({ msg }) => String(msg)) }
}

function corroboration(stage: BareStage, rpcUrls: readonly string[]) {
  const { log, lines } = recordingLog()
  const verdicts: string[] = []
  const { turn } = createCorroboration({
    ...{ sql: stage.daemonSql, deployment: watchedDeployment(stage), now: () => stage.time.now, log },
    ...readingOf(rpcUrls),
    metrics: { countFound: () => undefined, noteVerdict: (_chainId, { outcome }) => verdicts.push(outcome) },
    onNews: () => undefined,
  })
  const alerts = () => lines.filter(({ level }) => level === 'error').map(({ msg }) => String(msg))
  return { turn, alerts, verdicts: () => verdicts }
}

/** Returns the chain's deployment, as configured in the daemon. */
export function watchedDeployment({
  token,
  usdt,
}: Pick<TestChain, 'token' | 'usdt'>): CheckedChain['deployment'] {
  return {
    ...{ chainId: CHAIN_ID, network: 'base', environment: 'live' },
    ...{ confirmations: CONFIRMATIONS, blockTimeMs: 1000 },
    tokens: [
      { token: 'USDC', address: token, emitter: token, decimals: 6, emitterDecimals: 6 },
      { token: 'USDT', address: usdt, emitter: usdt, decimals: 6, emitterDecimals: 6 },
    ],
  }
}

async function takeTurns({ daemonSql, time }: BareStage): Promise<void> {
  const deps = {
    sql: daemonSql,
    now: () => time.now,
    log: createLogger({ level: 'error', service: 'test', destination: { write: () => undefined } }),
    graceSeconds: GRACE_SECONDS,
    expiry: { silentSeconds: 900 },
    minimumPayoutOf: () => MINIMUM_PAYOUT,
    checkoutBaseUrl: null,
    swapProvider: null,
    failedTurns: createTurnFailureTracker(),
    onEvents: () => undefined,
  }
  for (let outcome = 'more'; outcome === 'more'; ) outcome = await runChargeTurns(deps)
}

async function readCharge(sql: Sql, chargeId: string) {
  const [charge] = await sql<
    { status: string; settlementStatus: string | null; receivedAtto: bigint | null; sources: string[] }[]
  >`
    select status, settlement_status, received_atto,
      (select array_agg(source order by t.id) from transfers t where t.charge_id = c.id) as sources
    from charges c where id = ${chargeId}`
  if (charge === undefined) throw new Error(`charge ${chargeId} does not exist`)
  return charge
}

function cast(stage: BareStage, options: CastOptions): Cast {
  const { time, daemonSql, rpcUrl: stageUrl } = stage
  const sql = options.sql ?? daemonSql
  const rpcUrls = options.rpcUrls ?? [options.rpcUrl ?? stageUrl]
  const { timeoutMs = NODE_TIMEOUT_MS } = options
  const connect = (url: string) => connectChain(url, timeoutMs)
  const nodes = chainAt(rpcUrls, { chainId: CHAIN_ID, connect, quorum: options.quorum })
  const log = createLogger({ level: 'error', service: 'test', destination: { write: () => undefined } })
  const registry = createMetrics({ service: 'test' })
  const shared = {
    sql,
    nodes,
    log,
    clock: () => time.now,
    metrics: createPayoutMetrics(registry)(CHAIN_ID),
  }
  const relayer = createEvmRelayer({
    ...shared,
    account: toSigner(ACCOUNTS.relayer),
    duty: 'payouts',
    terms: {
      confirmations: CONFIRMATIONS,
      gasBounds: GAS_BOUNDS,
      dataFee: DATA_FEES.base,
      maxUnmined: 8,
      rebroadcastSeconds: 30,
      replaceAfterSeconds: 180,
      emptyAfterSeconds: 300,
      ...options.relayerTerms,
    },
  })
  const readIssuer = createRestrictionReader(nodes, { nowMs: () => time.now.getTime(), timeoutMs })
  const readRestriction: ReleaseWorkerDeps['readRestriction'] = async (address, query) =>
    readIssuer({ ...query, token: { token: 'USDC', address, restriction: CIRCLE } })
  const { maxGas = 2_000_000n, ...workerTerms } = options.workerTerms ?? {}
  const broadcast = options.broadcast ?? relayer.broadcast
  const broken = toRelayer({ ...relayer, broadcast }, { nodes, maxGas })
  const terms = { leaseSeconds: 60, minimumAtto: MINIMUM_PAYOUT, batchSize: 8 }
  const { turn } = createPayoutWorker({
    ...shared,
    readSending: (address, account) => readRestriction(address, { account, direction: 'send' }),
    relayer: broken,
    reportPayoutFailed: options.reportPayoutFailed ?? (() => Promise.resolve()),
    terms: {
      ...terms,
      attemptDelaysSeconds: [0, 30, 120, 600, 1800, 3600, 10_800, 21_600],
      ...workerTerms,
    },
  })
  const { turn: release } = createReleaseWorker({ ...shared, relayer: broken, readRestriction, terms })
  return { relayer, turn, release, metricsText: () => registry.metrics() }
}

/** Creates a client of one node that never retries a request. */
export function connectChain(rpcUrl: string, timeoutMs: number): ChainClient {
  const transport = nodeTransport({ url: rpcUrl, chainId: CHAIN_ID, timeoutMs })
  return createPublicClient({ chain: foundry, transport, cacheTime: 0 }) as ChainClient
}

/** Opens a new connection pool on the stage's database, as another process would. */
export function anotherProcess({ database }: Stage): Sql {
  return connectForTest(database.url.daemon)
}

function freshAddress(seed: string): Address {
  return addressOf(`0x${chargeSalt(seed).slice(-40)}`)
}

/** Inserts the API key, recipient and treasury against which the daemon checks the charge's terms. */
async function insertPayees(
  sql: Sql,
  { chargeId, organizationId }: { readonly chargeId: string; readonly organizationId: string },
): Promise<void> {
  const { merchant, treasury, partner } = payeesOf(chargeId)
  const key = { organizationId, environment: 'live', payoutAddress: merchant } as const
  await insertPayoutKey(sql, { id: `key_${chargeId}`, ...key })
  await insertServiceTerms(sql, treasury)
  await sql`
    insert into recipients (id, organization_id, environment, address, family)
    values (${`rc_${chargeId}`}, ${organizationId}, 'live', ${partner}, 'evm')`
}

function payeesOf(chargeId: string) {
  return {
    merchant: freshAddress(`merchant of ${chargeId}`),
    treasury: freshAddress(`treasury of ${chargeId}`),
    partner: freshAddress(`partner of ${chargeId}`),
  }
}

function partnersOf(chargeId: string) {
  return [{ address: payeesOf(chargeId).partner, percentText: '12.5' }]
}

function splitOf(chargeId: string, feePercent = '1'): { split: Split; splitAddress: Address } {
  const { partner, ...payees } = payeesOf(chargeId)
  const result = allocate({
    feePercent: percentOf(feePercent),
    distributorFeePercent: percentOf('0.1'),
    ...payees,
    splitRecipients: [{ address: partner, percent: percentOf('12.5') }],
  })
  if (!result.ok) throw new Error(result.code)
  const { split } = result
  const splitAddress = predictSplitAddress({
    factory: SPLIT_FACTORY,
    implementation: SPLIT_IMPLEMENTATION,
    split,
    salt: chargeSalt(chargeId),
  })
  return { split, splitAddress }
}

async function distributeAsKeeper(
  { wallet, token: usdc }: BareStage,
  { chargeId, split }: PaidCharge,
  { token = usdc, ...fees }: KeeperOptions,
): Promise<Hex> {
  return wallet.writeContract({
    account: toSigner(ACCOUNTS.keeper),
    address: SPLIT_FACTORY,
    abi: paymentSplitFactoryAbi,
    functionName: 'createAndDistribute',
    args: [
      {
        recipients: [...split.recipients],
        allocations: split.allocations.map(BigInt),
        totalAllocation: 1_000_000n,
        distributionIncentive: split.distributionIncentive,
      },
      chargeSalt(chargeId),
      [token],
      ACCOUNTS.keeper.address,
    ],
    gas: 1_000_000n,
    ...fees,
  })
}

async function callToken(
  { node, wallet, token }: BareStage,
  functionName: string,
  args: readonly unknown[],
): Promise<void> {
  await wallet.writeContract({
    account: toSigner(ACCOUNTS.payer),
    address: token,
    abi: usdcArtifact.abi as Abi,
    functionName,
    args,
    gas: 200_000n,
  })
  await node.mine({ blocks: 1 })
}

async function insertDeployment(sql: Sql, { token, usdt }: TestChain): Promise<void> {
  await sql`insert into organizations (id, name) values ('org_1', 'Merchant')`
  await sql`
    insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, quorum)
    values (${CHAIN_ID}, 'base', 'live', 'evm', ${CONFIRMATIONS}, 1000, 1)`
  await sql`
    insert into pairs (chain_id, network, environment, token, token_address, decimals, enabled)
    values (${CHAIN_ID}, 'base', 'live', 'USDC', ${token}, 6, true),
      (${CHAIN_ID}, 'base', 'live', 'USDT', ${usdt}, 6, true)`
}

async function readPayout(sql: Sql, chargeId: string, token: string) {
  const [payout] = await sql<
    {
      id: number
      status: string
      attempts: number
      heldSince: Date | null
      nextAttemptAt: Date
      graceEndsAt: Date
      lastError: string | null
      distributorAddress: string | null
    }[]
  >`
    select id, status, attempts, held_since, next_attempt_at, grace_ends_at, last_error, distributor_address from payouts
    where charge_id = ${chargeId} and token = ${token}`
  if (payout === undefined) throw new Error(`${chargeId} has no payout`)
  return payout
}

async function readRelayerTransactions(sql: Sql) {
  return sql<{ txHash: Hex; nonce: number; status: string; payoutId: number; rawTransaction: Hex }[]>`
    select tx_hash, nonce, status, payout_id, raw_transaction from relayer_transactions order by nonce, created_at`
}

async function readFeed(sql: Sql) {
  const rows = await sql<{ data: string }[]>`
    select data from events where category = 'distributions' order by number`
  return rows.map(({ data }) => JSON.parse(data) as FeedObject)
}

type FeedObject = {
  readonly type: string
  readonly splitAddress?: string
  readonly distribution?: { readonly splitAddress: string; readonly graceEndsAt: string }
}

async function applyDistribution(sql: Sql, { chargeId }: PaidCharge, txHash: Hex): Promise<void> {
  await sql`
    insert into split_events (charge_id, kind, chain_id, token_address, tx_hash, ordinal, account, amount_atomic,
      inclusion, block_number, block_hash, block_timestamp, log_index, applied_at)
    select charge_id, 'distributed', chain_id, token_address, ${txHash}, 0, ${ACCOUNTS.keeper.address.toLowerCase()},
      credited_atomic, 'included', 1, '0x', 1, 0, now()
    from charge_ledgers where charge_id = ${chargeId}`
  await sql`update charge_ledgers set distributed_atomic = credited_atomic where charge_id = ${chargeId}`
}

function percentOf(text: string): Percent {
  const percent = parsePercent(text, { maxFractionDigits: 4 })
  if (percent === null) throw new Error(`${text} is not a percentage`)
  return percent
}

/**
 * Returns the message of the error with which a promise is rejected.
 *
 * @throws {Error} if the promise is fulfilled
 */
export async function catchMessage(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('the promise was not rejected')
}

/**
 * Parses an address.
 *
 * @throws {Error} if the text is not an address
 */
export function addressOf(text: string): Address {
  const address = parseEvmAddress(text)
  if (address === null) throw new Error(`${text} is not an address`)
  return address
}
