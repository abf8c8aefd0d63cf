import {
  observeSplitEvents,
  observeTransfers,
  type WatchedDeployment,
} from '../../../indexer/chain-feed/observe.ts'
import { type ChargeActorDeps, runChargeTurns } from '../../../indexer/charges/charge-actor.ts'
import { createTurnFailureTracker } from '../../../indexer/charges/turn-failure-tracker.ts'
import { recordAgreedHead } from '../../../shared/db/chain-facts/daemon/agreed-heads.ts'
import {
  advanceFeedWatermark,
  getFeedWatermark,
  upsertDeployment,
} from '../../../shared/db/chain-facts/daemon/deployments.ts'
import { recordChainRows } from '../../../shared/db/chain-facts/daemon/observed-rows.ts'
import type { ChargeRow } from '../../../shared/db/charges/charge-row.ts'
import type { Db, Sql } from '../../../shared/db/connect.ts'
import { syncPairs } from '../../../shared/db/organizations/daemon/pairs.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { ENVIRONMENTS, type Environment, TOKENS, type Token } from '../../../shared/domain/networks.ts'
import { agreeOnRows } from '../../support/agreed.ts'
import { insertChargeRows } from '../../support/charge-rows.ts'
import { matchBalances } from '../../support/expiry-verifications.ts'
import {
  buildCharge,
  CHAINS,
  type ChainName,
  getTokenAddress,
  KEEPER,
  MERCHANT,
  MINIMUM_PAYOUT,
  randomHex,
  TREASURY,
  units,
} from '../../support/factories.ts'
import { connectForTest, createTestDatabase } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { insertPayoutKey, insertServiceTerms } from '../../support/trusted-terms.ts'

const CONFIRMATIONS = 3

const GRACE_SECONDS = 300

/** Seconds that a network may be silent before our clock replaces its block time. */
export const SILENT_SECONDS = 900

export type ChargeFixture = Awaited<ReturnType<typeof createChargeFixture>>

/**
 * Creates a migrated database in which every chain of `CHAINS` is watched and has the head 100. `deps` uses the
 * daemon's role.
 */
export async function createChargeFixture() {
  const database = await createTestDatabase()
  const { sql } = database
  const daemon = connectForTest(database.url.daemon)
  await sql`insert into organizations (id, name) values ('org_one', 'one')`
  for (const environment of ENVIRONMENTS) {
    const key = { id: keyOf(environment), organizationId: 'org_one', environment, payoutAddress: MERCHANT }
    await insertPayoutKey(sql, key)
  }
  await insertServiceTerms(sql, TREASURY)
  for (const chain of Object.keys(CHAINS) as ChainName[]) await watch(daemon, chain)
  const { log, lines } = recordingLog()
  const deps: ChargeActorDeps = {
    ...{ sql: daemon, log, graceSeconds: GRACE_SECONDS, expiry: { silentSeconds: SILENT_SECONDS } },
    now: () => new Date(),
    minimumPayoutOf: () => MINIMUM_PAYOUT,
    checkoutBaseUrl: 'https://pay.example/pay/',
    swapProvider: null,
    failedTurns: createTurnFailureTracker(),
    onEvents: () => undefined,
  }
  const stage = { database, sql, daemon, deps, lines }
  return {
    ...stage,
    addCharge: async (columns: Partial<ChargeRow> = {}) => {
      const charge = openCharge(columns)
      await insertChargeRows(sql, [charge])
      return charge
    },
    addCharges: async (count: number) => {
      const charges = Array.from({ length: count }, () => openCharge())
      await insertChargeRows(sql, charges)
      return charges
    },
    /**
     * Records a transfer as the feed does. If the transfer is at confirmation depth, it is also marked as shown by a
     * quorum.
     */
    pay: async (charge: ChargeRow, payment: Payment = {}) => {
      const txHash = await recordPayment(daemon, charge, payment)
      await agreeOnRows(sql)
      return txHash
    },
    /**
     * Records an event of the charge's split as the feed does. At confirmation depth, the event is also shown by a
     * quorum.
     */
    splitEvent: async (charge: ChargeRow, event: SplitEvent) => {
      const txHash = await recordSplitEvent(daemon, charge, event)
      await agreeOnRows(sql)
      return txHash
    },
    /** Marks every row at confirmation depth below the feed's head as shown by a quorum. */
    agree: () => agreeOnRows(sql),
    moveHead: (head: Head) => moveHead(daemon, head),
    /**
     * Records that the balances match our rows, unless the test has recorded another result. Then marks the rows at
     * confirmation depth as shown by a quorum, and runs all due turns.
     */
    takeTurns: async (changed: Partial<ChargeActorDeps> = {}) => {
      await matchBalances(sql)
      await agreeOnRows(sql)
      await runAllTurns({ ...deps, ...changed })
    },
    /** Opens another connection pool with the daemon's role. */
    connectDaemon: () => connectForTest(database.url.daemon),
    chargeOf: ({ id }: ChargeRow) => readCharge(sql, id),
    eventsOf: ({ id }: ChargeRow) => readEvents(sql, id),
    payoutsOf: ({ id }: ChargeRow) => readPayouts(sql, id),
    creditsOf: ({ id }: ChargeRow) => readCredits(sql, id),
    close: async () => {
      await daemon.end()
      await database.drop()
    },
  }
}

/** @throws {Error} if turns are still due after 200 turns */
export async function runAllTurns(deps: ChargeActorDeps): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    if ((await runChargeTurns(deps)) === 'idle') return
  }
  throw new Error('turns are still due after 200 turns')
}

type Payment = {
  readonly chain?: ChainName
  readonly token?: Token
  readonly dollars?: number
  /** Block 90 is at confirmation depth while the head is 100. */
  readonly block?: number
  /** Timestamp of the block in Unix seconds. Defaults to a minute ago. */
  readonly timestamp?: number
  readonly txHash?: Hex
}

/** Records a transfer as the feed does. Returns the transaction hash. */
export async function recordPayment(db: Db, charge: ChargeRow, payment: Payment): Promise<Hex> {
  const { chain = 'base', token = 'USDC', dollars = 10, block = 90, txHash = randomHex(32) } = payment
  const row = {
    ...{ txHash, blockNumber: block, blockHash: randomHex(32), logIndex: 0 },
    blockTimestamp: payment.timestamp ?? nowSeconds() - 60,
    emitter: getTokenAddress(chain, token),
    sender: KEEPER,
    recipient: charge.address,
    value: units(dollars, chain),
  }
  const rows = observeTransfers([row], watchedDeployment(chain), [charge])
  await recordChainRows(db, 'transfers', { rows, ponderSchema: 'schema_one' })
  return txHash
}

type SplitEvent = {
  readonly kind?: 'distributed' | 'held' | 'released'
  readonly chain?: ChainName
  readonly dollars?: number
  /** Block 99 is not at confirmation depth while the head is 100. */
  readonly block?: number
  readonly account?: Address
  readonly txHash?: Hex
}

async function recordSplitEvent(db: Db, charge: ChargeRow, event: SplitEvent): Promise<Hex> {
  const { kind = 'distributed', chain = 'base', dollars = 10, block = 99, account = KEEPER } = event
  const { txHash = randomHex(32) } = event
  const row = {
    ...{ txHash, blockNumber: block, blockHash: randomHex(32), blockTimestamp: nowSeconds(), logIndex: 1 },
    ...{ split: charge.splitAddress, kind, account, token: getTokenAddress(chain) },
    amount: units(dollars, chain),
  }
  const rows = observeSplitEvents([row], watchedDeployment(chain), [charge])
  await recordChainRows(db, 'split_events', { rows, ponderSchema: 'schema_one' })
  return txHash
}

/** Head of a feed. A quorum shows the same confirmed head. */
type Head = {
  readonly chain?: ChainName
  readonly number?: number
  /** Timestamp of the confirmed head, Unix seconds. */
  readonly confirmedHeadTimestamp?: number
}

async function moveHead(sql: Sql, head: Head): Promise<void> {
  const { chain = 'base', number = 100, confirmedHeadTimestamp = nowSeconds() } = head
  const { chainId } = CHAINS[chain]
  await inTransaction(sql, async (db) => {
    const { watermarkVersion } = await getFeedWatermark(db, chainId)
    await advanceFeedWatermark(db, {
      ...{ chainId, watermarkVersion, ponderSchema: 'schema_one', watermarkNumber: 0 },
      head: { number, timestamp: confirmedHeadTimestamp + CONFIRMATIONS },
      deep: { number: number - CONFIRMATIONS + 1, timestamp: confirmedHeadTimestamp },
    })
    const deep = {
      number: number - CONFIRMATIONS + 1,
      hash: randomHex(32),
      timestamp: confirmedHeadTimestamp,
    }
    await recordAgreedHead(db, { chainId, block: deep })
  })
}

async function watch(daemon: Sql, chain: ChainName): Promise<void> {
  const { chainId, network, environment, decimals } = CHAINS[chain]
  const place = { chainId, network, environment }
  await upsertDeployment(daemon, {
    ...place,
    family: 'evm',
    confirmations: CONFIRMATIONS,
    blockTimeMs: 1000,
    quorum: 2,
  })
  const pairs = TOKENS.map((token) => ({
    ...{ ...place, token, tokenAddress: getTokenAddress(chain, token), decimals, enabled: true },
  }))
  await syncPairs(daemon, chainId, pairs)
  await moveHead(daemon, { chain, confirmedHeadTimestamp: nowSeconds() - 30 })
}

function watchedDeployment(chain: ChainName): WatchedDeployment {
  const { chainId, network, environment, decimals } = CHAINS[chain]
  const tokens = TOKENS.map((token) => {
    const address = getTokenAddress(chain, token)
    return { token, address, decimals, emitter: address, emitterDecimals: decimals }
  })
  return { chainId, network, environment, tokens }
}

function openCharge(columns: Partial<ChargeRow> = {}): ChargeRow {
  const createdAt = secondsFromNow(-3600)
  return buildCharge({
    ...{ createdAt, lastActivityAt: createdAt, expiresAt: secondsFromNow(3600) },
    apiKeyId: keyOf(columns.environment ?? 'live'),
    // An escrow charge pays a fee of 1.5 %, including the surcharge.
    ...(columns.escrowReleaser && { feePercent: '1.5', escrowFeePercent: '0.5', splitTerms: ESCROW_TERMS }),
    ...columns,
  })
}

/** Split terms for a fee of 1.5 % of the payment, which includes 0.1 % of the payment for the keeper. */
const ESCROW_TERMS = {
  ...buildCharge().splitTerms,
  allocations: [985_986, 14_014],
}

function keyOf(environment: Environment): string {
  return `key_${environment}`
}

async function readCharge(sql: Sql, id: string) {
  const [charge] = await sql<
    (Pick<ChargeRow, 'status' | 'settlementStatus' | 'receivedAtto' | 'paidWith' | 'settledAt'> & {
      quarantinedAt: Date | null
      isOverpaid: boolean
    })[]
  >`
    select status, settlement_status, received_atto, paid_with, settled_at, quarantined_at, is_overpaid from charges
    where id = ${id}`
  if (charge === undefined) throw new Error(`charge ${id} does not exist`)
  return charge
}

async function readEvents(sql: Sql, id: string): Promise<readonly string[]> {
  const rows = await sql<{ type: string }[]>`select type from events where charge_id = ${id} order by number`
  return rows.map(({ type }) => type)
}

async function readPayouts(sql: Sql, id: string) {
  return sql<{ network: string; status: string; txHash: Hex | null; graceEndsAt: Date }[]>`
    select network, status, tx_hash, grace_ends_at from payouts where charge_id = ${id} order by network`
}

async function readCredits(sql: Sql, id: string) {
  const rows = await sql<{ valueAtomic: bigint; onTime: boolean; causedTransition: boolean }[]>`
    select value_atomic, on_time, caused_transition from transfers
    where charge_id = ${id} and credited_at is not null order by id`
  return rows.map((row) => ({ ...row, valueAtomic: atomic(row.valueAtomic) }))
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

export function secondsFromNow(seconds: number): Date {
  return new Date((nowSeconds() + seconds) * 1000)
}
