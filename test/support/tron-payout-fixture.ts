import { readFileSync } from 'node:fs'
import { type Hex, parseAbi, parseEventLogs } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

import { runChargeTurns } from '../../indexer/charges/charge-actor.ts'
import { createTurnFailureTracker } from '../../indexer/charges/turn-failure-tracker.ts'
import { createChainSources } from '../../indexer/corroboration/chain-sources.ts'
import { createPayoutWorker } from '../../indexer/payouts/payout-actor.ts'
import { createReleaseWorker, type ReleaseWorkerDeps } from '../../indexer/payouts/release-held.ts'
import { createChainReconciler } from '../../indexer/reconciliation/reconcile-chain.ts'
import { createPayoutMetrics } from '../../indexer/relayer/payout-metrics.ts'
import type { Relayer } from '../../indexer/relayer/relayer.ts'
import { createTronRelayer } from '../../indexer/relayer/tron/tron-relayer.ts'
import { paymentSplitAbi } from '../../shared/chain/abi/payment-split.ts'
import { createChainClient } from '../../shared/chain/nodes/client.ts'
import { createRestrictionReader } from '../../shared/chain/tokens/restrictions.ts'
import { createTronVoters } from '../../shared/chain/tron/tron-nodes.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Address } from '../../shared/domain/address.ts'
import { allocate, type Split } from '../../shared/domain/allocation.ts'
import { formatTronAddress } from '../../shared/domain/chain-families/tron/address.ts'
import { tronDeployedAddress } from '../../shared/domain/chain-families/tron/contract-address.ts'
import { predictTronSplit } from '../../shared/domain/chain-families/tron/predict-split.ts'
import { encodeDistribution } from '../../shared/domain/distribution-call.ts'
import { newId } from '../../shared/domain/ids.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Token } from '../../shared/domain/networks.ts'
import { type Percent, parsePercent } from '../../shared/domain/percent.ts'
import { chargeSalt } from '../../shared/domain/split-address.ts'
import { createMetrics } from '../../shared/runtime/metrics.ts'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../devnet/tron/addresses.ts'
import { chainAt } from './chain-at.ts'
import { MINIMUM_PAYOUT } from './factories.ts'
import { NODE_TIMEOUT_MS } from './payout-fixture.ts'
import { connectForTest, createTestDatabase } from './postgres.ts'
import { recordingLog } from './recording-log.ts'
import { addressOf, createTronFixture, FEE_LIMIT_SUN, type TronFixture, trigger } from './tron-fixture.ts'
import { insertTrustedTerms } from './trusted-terms.ts'

const USDT = TRON_USDT as Address
/** The API key's payout address on EVM chains. It receives nothing in these tests. */
const OTHER_MERCHANT = `0x${'e1'.repeat(20)}`
const CONFIRMATIONS = 19
export const GRACE_SECONDS = 300
/**
 * Number of blocks after which a pending transaction has certainly expired: 40 for its lifetime, 18 until a block is
 * solid, and 10 for lag.
 */
export const BLOCKS_TO_EXPIRE = 40 + 18 + 10
const LIFE_SECONDS = 120

/** A charge that was paid on the local TRON. */
export type TronCharge = { readonly chargeId: string; readonly split: Split; readonly splitAddress: Address }

/** Payout worker and relayer of one daemon process. */
export type TronCast = {
  readonly relayer: Relayer
  readonly turn: () => Promise<'more' | 'idle'>
  readonly release: () => Promise<'idle'>
  readonly lines: ReturnType<typeof recordingLog>['lines']
}

type CastOptions = {
  /** URLs of the nodes, the preferred node first. By default the chain's own node. */
  readonly urls?: readonly string[]
  /** Number of operators that must agree; by default 2 if there are several nodes, else 1. */
  readonly quorum?: number
  readonly maxFeeLimitSun?: bigint
  /** Private key of the relayer. By default the key of the devnet's relayer, which holds TRX. */
  readonly privateKey?: Hex
  readonly sql?: Sql
  /** Simulates a killed process by changing the relayer's behaviour. */
  readonly breaking?: (relayer: Relayer) => Relayer
}

export type TronPayoutFixture = Awaited<ReturnType<typeof createTronPayoutFixture>>

export type TronChainFixture = TronFixture & {
  readonly factory: Address
  /** A token that reverts transfers to addresses that it refuses. Used as USDC. */
  readonly refusing: Address
}

/** Starts a local TRON with the split factory and a token that can refuse addresses. */
export async function startTronChain(): Promise<TronChainFixture> {
  const stage = await createTronFixture()
  const factory = await deployOnTron(stage, 'TronPaymentSplitFactory')
  return { ...stage, factory, refusing: await deployOnTron(stage, 'TestTronToken') }
}

/** Deploys a contract without constructor arguments. */
async function deployOnTron({ chain, walletOf }: TronFixture, name: string): Promise<Address> {
  const path = new URL(`../../contracts/artifacts/${name}.json`, import.meta.url)
  const { bytecode } = JSON.parse(readFileSync(path, 'utf8')) as { bytecode: Hex }
  const owner = addressOf(ACCOUNTS.deployer)
  const wallet = walletOf(ACCOUNTS.deployer)
  const transaction = await wallet.transactionBuilder.createSmartContract(
    { abi: '[]', bytecode: bytecode.slice(2), feeLimit: 10_000_000_000, name },
    formatTronAddress(owner),
  )
  await wallet.trx.sendRawTransaction(await wallet.trx.sign(transaction))
  await chain.mine()
  return tronDeployedAddress({ txId: `0x${transaction.txID}`, owner })
}

/** Creates a fixture: a fresh database for the chain, a clock, and functions that act on them. */
export async function createTronPayoutFixture(tron: TronChainFixture) {
  const database = await createTestDatabase()
  const { sql } = database
  const daemonSql = connectForTest(database.url.daemon)
  // The chain's time might be ahead of the machine's, because tests create blocks faster than every 3 s.
  const time = { now: new Date(Math.max(Date.now(), tron.chain.head().timestamp * 1000)) }
  await insertDeployment(sql, tron)
  await mine(tron, 25)
  const client = createChainClient({ chainId: TRON_CHAIN_ID, rpcUrls: [`${tron.url}/jsonrpc`] })
  const scene = { ...tron, sql, daemonSql, time }
  // The first reconciliation sets the block at which later reconciliations start.
  await reconcile(scene)
  return {
    ...scene,
    database,
    advance: (seconds: number) => {
      time.now = new Date(time.now.getTime() + seconds * 1000)
    },
    /** Mines blocks. Advances the fixture's clock if it is behind the chain's. */
    mine: async (blocks = 1) => {
      await mine(tron, blocks)
      time.now = new Date(Math.max(time.now.getTime(), tron.chain.head().timestamp * 1000))
    },
    /** Creates a charge that is paid and confirmed: in USDT, or in USDC for tests of the refusing token. */
    pay: (amount: bigint, token: Token = 'USDT') => pay(scene, { amount, token }),
    /** Creates an unpaid charge. */
    open: (amount: bigint) => open(scene, { amount, token: 'USDT' }),
    /** Pays a charge in USDT, and mines to confirmation depth. */
    payDeep: async ({ splitAddress }: TronCharge, amount: bigint) => {
      await mint(tron, splitAddress, amount)
      await mine(tron, CONFIRMATIONS)
    },
    /** Pays all charges in one block, and mines to confirmation depth. */
    payAtOnce: async (charges: readonly TronCharge[], amount: bigint) => {
      for (const { splitAddress } of charges) await mint(tron, splitAddress, amount)
      await mine(tron, CONFIRMATIONS)
    },
    /** Runs a whole reconciliation. Returns its log. */
    reconcile: (options: ReconcileOptions = {}) => reconcile(scene, options),
    takeTurns: () => takeTurns(scene),
    cast: (options: CastOptions = {}) => cast(scene, options),
    /** Mines until the chain's events are at confirmation depth, reconciles, and runs the charges' turns. */
    settle: async () => {
      await mine(tron, CONFIRMATIONS)
      await reconcile(scene)
      await takeTurns(scene)
    },
    balanceOf: (account: Address, token: Address = USDT) =>
      client.readContract({
        ...{ address: token, abi: parseAbi(['function balanceOf(address) view returns (uint256)']) },
        ...{ functionName: 'balanceOf', args: [account] },
      }),
    /** Calls USDT as its issuer, and mines the call immediately. */
    callToken: (signature: string, account: Address) => callToken(tron, signature, account),
    refuse: (account: Address, isRefused: boolean) => refuse(tron, account, isRefused),
    /** Sends a distribution from the keeper's account, which is pending until the next block. */
    keep: (charge: TronCharge) => keep(tron, charge),
    /** Sends TRX to an account, and mines the transaction immediately. */
    fund: async (account: Address, sun: number) => {
      await tron.walletOf(ACCOUNTS.deployer).trx.sendTransaction(formatTronAddress(account), sun)
      await mine(tron, 1)
    },
    /** Returns the number of distributions that a split has logged. */
    distributionsOf: ({ splitAddress }: TronCharge) => distributionsOf(tron, splitAddress),
    chargeOf: async ({ chargeId }: TronCharge) => {
      const [row] = await sql<{ status: string; settlementStatus: string }[]>`
        select status, settlement_status from charges where id = ${chargeId}`
      return row
    },
    payoutOf: async ({ chargeId }: TronCharge) => {
      const [row] = await sql<{ id: number; status: string; attempts: number; lastError: string | null }[]>`
        select id, status, attempts, last_error from payouts where charge_id = ${chargeId}`
      return row
    },
    transactions: () =>
      sql<{ txHash: Hex; status: string; payoutId: number | null; heldShareId: number | null }[]>`
        select tx_hash, status, payout_id, held_share_id from relayer_transactions order by created_at, tx_hash`,
    /** Opens a new connection pool on the same database, as another process would. */
    anotherSql: () => connectForTest(database.url.daemon),
    close: async () => {
      await daemonSql.end()
      await database.drop()
    },
  }
}

type Scene = TronChainFixture & {
  /** Connections as the database owner. */
  readonly sql: Sql
  /** Connections with the daemon's role. */
  readonly daemonSql: Sql
  readonly time: { now: Date }
}

async function mine({ chain }: TronFixture, blocks: number): Promise<void> {
  for (let count = 0; count < blocks; count += 1) await chain.mine()
}

async function insertDeployment(sql: Sql, { refusing }: TronChainFixture): Promise<void> {
  await sql`insert into organizations (id, name) values ('org_1', 'Merchant')`
  await sql`
    insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, quorum)
    values (${TRON_CHAIN_ID}, 'tron', 'live', 'tron', ${CONFIRMATIONS}, 3000, 1)`
  await sql`
    insert into pairs (chain_id, network, environment, token, token_address, decimals, enabled)
    values (${TRON_CHAIN_ID}, 'tron', 'live', 'USDT', ${USDT}, 6, true),
      (${TRON_CHAIN_ID}, 'tron', 'live', 'USDC', ${refusing}, 6, true)`
}

/**
 * Creates and pays a charge, and processes the payment until the charge is confirmed and its payout is pending.
 */
async function pay(scene: Scene, payment: Payment): Promise<TronCharge> {
  const charge = await open(scene, payment)
  await send(scene, payment.token === 'USDT' ? USDT : scene.refusing, {
    signature: 'mint(address,uint256)',
    account: charge.splitAddress,
    word: String(payment.amount),
  })
  await mine(scene, CONFIRMATIONS)
  await reconcile(scene)
  await takeTurns(scene)
  return charge
}

type Payment = { readonly amount: bigint; readonly token: Token }

async function open(scene: Scene, { amount, token }: Payment): Promise<TronCharge> {
  const { sql, time, factory } = scene
  const chargeId = newId('ch', time.now.getTime())
  const payees = payeesOf(chargeId)
  const allocation = allocate({
    ...{ feePercent: percentOf('1'), distributorFeePercent: percentOf('0.1') },
    ...{ merchant: payees.merchant, treasury: payees.treasury },
    splitRecipients: [{ address: payees.partner, percent: percentOf('12.5') }],
  })
  if (!allocation.ok) throw new Error(allocation.code)
  const { split } = allocation
  const splitAddress = predictTronSplit({ factory, split, salt: chargeSalt(chargeId) })
  await insertPayees(scene, chargeId)
  await sql`
    insert into charges (id, organization_id, api_key_id, environment, family, amount_micro, fee_payer, fee_percent,
      accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, request_hash,
      created_at, expires_at, last_activity_at)
    values (${chargeId}, 'org_1', ${`key_${chargeId}`}, 'live', 'tron', ${sql.types.numeric(amount)}, 'merchant', 1,
      ${[`${token}/tron`]}, ${[TRON_CHAIN_ID]}, ${splitAddress}, ${splitAddress}, ${sql.json({ ...split, factory })},
      ${sql.json([{ address: payees.partner, percentText: '12.5' }])}, ${Buffer.alloc(32)}, ${time.now},
      ${new Date(time.now.getTime() + 3_600_000)}, ${time.now})`
  return { chargeId, split, splitAddress }
}

async function insertPayees({ sql, factory }: Scene, chargeId: string): Promise<void> {
  const { merchant, treasury, partner } = payeesOf(chargeId)
  await sql`
    insert into api_keys (id, organization_id, environment, key_hash, hint, payout_address, other_payout_addresses, scopes)
    values (${`key_${chargeId}`}, 'org_1', 'live', sha256(${chargeId}::bytea), '…', ${OTHER_MERCHANT},
      ${sql.json({ tron: merchant })}, '{}')`
  await insertTrustedTerms(sql, { family: 'tron', environment: 'live', factory, treasury })
  await sql`
    insert into recipients (id, organization_id, environment, address, family)
    values (${`rc_${chargeId}`}, 'org_1', 'live', ${partner}, 'tron')`
}

function payeesOf(chargeId: string) {
  const fresh = (seed: string) => `0x${chargeSalt(seed).slice(-40)}` as Address
  return {
    merchant: fresh(`merchant of ${chargeId}`),
    treasury: fresh(`treasury of ${chargeId}`),
    partner: fresh(`partner of ${chargeId}`),
  }
}

function percentOf(text: string): Percent {
  const percent = parsePercent(text, { maxFractionDigits: 4 })
  if (percent === null) throw new Error(`${text} is not a percentage`)
  return percent
}

function cast(scene: Scene, options: CastOptions): TronCast {
  const { time, url } = scene
  const sql = options.sql ?? scene.daemonSql
  const { log, lines } = recordingLog()
  const metrics = createPayoutMetrics(createMetrics({ service: 'test' }))(TRON_CHAIN_ID)
  const urls = (options.urls ?? [url]).map((one) => `${one}/jsonrpc`)
  const nodes = chainAt(urls, { chainId: TRON_CHAIN_ID, quorum: options.quorum })
  const shared = { sql, log, clock: () => time.now, metrics, nodes }
  const voters = createTronVoters(nodes)
  const whole = createTronRelayer({
    ...{
      ...shared,
      nodes: voters,
      account: privateKeyToAccount(options.privateKey ?? ACCOUNTS.relayer.privateKey),
    },
    terms: {
      ...{ maxFeeLimitSun: options.maxFeeLimitSun ?? 500_000_000n, maxUnresolved: 8 },
      maxEnergy: 5_000_000n,
      ...{ lifeSeconds: LIFE_SECONDS, rebroadcastSeconds: 15 },
    },
  })
  const relayer = options.breaking?.(whole) ?? whole
  const chain = chainAt([`${url}/jsonrpc`], { chainId: TRON_CHAIN_ID })
  const readIssuer = createRestrictionReader(chain, {
    nowMs: () => time.now.getTime(),
    timeoutMs: NODE_TIMEOUT_MS,
  })
  const readRestriction: ReleaseWorkerDeps['readRestriction'] = async (address, query) => {
    const token: Token = address === USDT ? 'USDT' : 'USDC'
    const restriction = REGISTRY.tron.live.tokens[token]?.restriction ?? null
    return readIssuer({ ...query, token: { token, address, restriction } })
  }
  const terms = { leaseSeconds: 60, minimumAtto: MINIMUM_PAYOUT, batchSize: 8 }
  const { turn } = createPayoutWorker({
    ...{ ...shared, relayer, reportPayoutFailed: () => Promise.resolve() },
    readSending: (address, account) => readRestriction(address, { account, direction: 'send' }),
    terms: { ...terms, attemptDelaysSeconds: [0, 30, 120, 600, 1800, 3600, 10_800, 21_600] },
  })
  const { turn: release } = createReleaseWorker({ ...shared, relayer, readRestriction, terms })
  return { relayer, turn, release, lines }
}

type ReconcileOptions = {
  /** URLs of the nodes, the preferred node first. By default the chain's own node. */
  readonly urls?: readonly string[]
}

async function reconcile(
  { daemonSql, url, time, refusing }: Scene,
  { urls = [url] }: ReconcileOptions = {},
): Promise<ReturnType<typeof recordingLog>['lines']> {
  const { log, lines } = recordingLog()
  const decimals = { decimals: 6, emitterDecimals: 6 }
  const tokens = [
    { ...decimals, token: 'USDT', address: USDT, emitter: USDT },
    { ...decimals, token: 'USDC', address: refusing, emitter: refusing },
  ] as const
  const chain = chainAt(
    urls.map((one) => `${one}/jsonrpc`),
    { chainId: TRON_CHAIN_ID },
  )
  const { turn } = createChainReconciler({
    ...{ sql: daemonSql, intervalSeconds: 0, log, onNews: () => undefined },
    deployment: {
      ...{ chainId: TRON_CHAIN_ID, network: 'tron', environment: 'live' },
      ...{ confirmations: CONFIRMATIONS, blockTimeMs: 3_000, tokens },
    },
    ...{ chain, sources: createChainSources(chain, 'tron') },
    now: () => time.now,
    metrics: { countFound: () => undefined, countUnexplained: () => undefined, noteVerdict: () => undefined },
  })
  for (let outcome = 'more'; outcome === 'more'; ) outcome = await turn().catch(leaveBalances)
  return lines
}

/**
 * Ends a reconciliation that fails to read balances, because no TRON node can read balances as of an earlier block. The
 * reconciliation has already found the rows.
 */
function leaveBalances(error: unknown): 'idle' {
  if (error instanceof Error && error.message.includes('reads the balances')) return 'idle'
  throw error
}

async function takeTurns({ daemonSql, time }: Scene): Promise<void> {
  const deps = {
    ...{ sql: daemonSql, now: () => time.now, log: recordingLog().log, graceSeconds: GRACE_SECONDS },
    ...{ expiry: { silentSeconds: 900 }, minimumPayoutOf: () => MINIMUM_PAYOUT, checkoutBaseUrl: null },
    ...{ swapProvider: null, onEvents: () => undefined, failedTurns: createTurnFailureTracker() },
  }
  for (let outcome = 'more'; outcome === 'more'; ) outcome = await runChargeTurns(deps)
}

function callToken(tron: TronFixture, signature: string, account: Address): Promise<void> {
  return send(tron, USDT, { signature, account })
}

function refuse(tron: TronChainFixture, account: Address, isRefused: boolean): Promise<void> {
  return send(tron, tron.refusing, { signature: 'refuse(address,bool)', account, word: isRefused })
}

type TokenCall = { readonly signature: string; readonly account: Address; readonly word?: string | boolean }

/** Sends a transaction that mints USDT. It is pending until the next block. */
async function mint({ walletOf }: TronFixture, to: Address, units: bigint): Promise<void> {
  const args = [
    { type: 'address', value: formatTronAddress(to) },
    { type: 'uint256', value: String(units) },
  ]
  await trigger(walletOf(ACCOUNTS.deployer), { to: USDT, signature: 'mint(address,uint256)', args })
}

async function send(tron: TronFixture, to: Address, { signature, account, word }: TokenCall): Promise<void> {
  const args = [
    { type: 'address', value: formatTronAddress(account) },
    ...(word === undefined ? [] : [{ type: typeof word === 'string' ? 'uint256' : 'bool', value: word }]),
  ]
  await trigger(tron.walletOf(ACCOUNTS.deployer), { to, signature, args })
  await tron.chain.mine()
}

async function keep(tron: TronChainFixture, { chargeId, split }: TronCharge): Promise<void> {
  const distributor = addressOf(ACCOUNTS.keeper)
  const data = encodeDistribution({ split, salt: chargeSalt(chargeId), token: USDT, distributor })
  const wallet = tron.walletOf(ACCOUNTS.keeper)
  const { transaction } = await wallet.transactionBuilder.triggerSmartContract(
    ...([`41${tron.factory.slice(2)}`, '', { feeLimit: FEE_LIMIT_SUN, input: data.slice(2) }] as const),
    [],
  )
  await wallet.trx.sendRawTransaction(await wallet.trx.sign(transaction))
}

function distributionsOf({ chain }: TronFixture, splitAddress: Address): number {
  const logs = chain.blocks().flatMap(({ transactions }) => transactions.flatMap((one) => one.logs))
  const ours = logs.filter(({ address }) => address === splitAddress)
  return parseEventLogs({ abi: paymentSplitAbi, logs: ours as never, eventName: 'SplitDistributed' }).length
}
