import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Address } from '../../shared/domain/address.ts'
import { CHARGE_STATUSES, PAYOUT_STATUSES } from '../../shared/domain/charge.ts'
import { atto, micro } from '../../shared/domain/money.ts'
import type { Environment } from '../../shared/domain/networks.ts'
import { insertChargeRows } from './charge-rows.ts'
import { buildCharge, KEEPER, MERCHANT, randomHex, TREASURY } from './factories.ts'
import type { FieldValue, MetricsRecord } from './naive-metrics.ts'
import { createRandom, type Random } from './seeded-random.ts'

/** First of the `DAYS` days of the rows, which include a new year and a change of daylight saving time. */
export const FIRST_DAY = Date.UTC(2025, 10, 20)
export const DAYS = 160

const DAY_MS = 86_400_000
const MICRO_TO_ATTO = 10n ** 12n
const ONE = 10n ** 18n

/** Two pairs of `startTestApi`, with 6 and 18 decimals. */
const PAIRS = [
  {
    ...{ network: 'base', token: 'USDC', chainId: 8453, decimals: 6 },
    tokenAddress: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  },
  {
    ...{ network: 'bnb', token: 'USDT', chainId: 56, decimals: 18 },
    tokenAddress: '0x55d398326f99059ff775485246999027b3197955',
  },
] as const

/** The inserted rows as records of the metrics API. */
export type SeededMetrics = Readonly<
  Record<'charges' | 'transactions' | 'distributions', readonly MetricsRecord[]>
>

/** Inserts random charges of one organization, with transfers and payouts. */
export async function seedMetrics(
  sql: Sql,
  options: { organizationId: string; environment: Environment; charges: number; seed: number },
): Promise<SeededMetrics> {
  const random = createRandom(options.seed)
  const rows = Array.from({ length: options.charges }, () => someCharge(random, options))
  await insertChargeRows(sql, rows)
  const transfers = rows.flatMap((row) => someTransfers(random, row))
  if (transfers.length > 0) await sql`insert into transfers ${sql(transfers as never)}`
  const payouts = rows.flatMap((row) => (row.receivedAtto === null ? [] : [somePayout(random, row)]))
  await sql`insert into charge_ledgers ${sql(payouts.map(pairOf) as never)}`
  await sql`insert into payouts ${sql(payouts.map(payoutOf) as never)}`
  return {
    charges: rows.map(chargeRecord),
    transactions: transfers.filter(isCounted).map(transactionRecord),
    distributions: payouts.map(distributionRecord),
  }
}

/** Draws a time in whole milliseconds, which a `Date` represents exactly. */
function someMoment(random: Random): Date {
  // A fifth of the times are at the start of an hour, and so on the edge of a bucket.
  const withinMs = random.fraction() < 0.2 ? random.integer(24) * 3_600_000 : random.integer(DAY_MS)
  return new Date(FIRST_DAY + random.integer(DAYS) * DAY_MS + withinMs)
}

function someCharge(
  random: Random,
  { organizationId, environment }: { organizationId: string; environment: Environment },
): ChargeRow {
  const createdAt = someMoment(random)
  const later = (hours: number) => new Date(createdAt.getTime() + random.integer(hours * 3_600_000))
  const status = random.pick(CHARGE_STATUSES)
  const isPaid = status === 'confirmed' || status === 'partially_paid' || status === 'underpaid'
  const amountMicro = 1n + BigInt(random.integer(2 ** 31)) * (random.fraction() < 0.05 ? 449_999_999n : 1n)
  const receivedAtto = isPaid ? BigInt(random.integer(2 ** 31)) * BigInt(1 + random.integer(2 ** 31)) : null
  const settlementStatus = isPaid ? random.pick([null, 'pending', 'completed', 'failed'] as const) : null
  const isEscrow = random.fraction() < 0.3
  return buildCharge({
    organizationId,
    environment,
    status,
    settlementStatus,
    amountMicro: micro(amountMicro),
    receivedAtto: receivedAtto === null ? null : atto(receivedAtto),
    feePayer: random.pick(['merchant', 'payer']),
    feePercent: random.pick(['1', '0.75', '2.1234', '0']),
    escrowFeePercent: isEscrow ? random.pick(['0.5', '0.3333']) : null,
    escrowReleaser: isEscrow ? random.pick([MERCHANT, TREASURY, KEEPER]) : null,
    escrowReleasedAt: isEscrow && random.fraction() < 0.5 ? later(48) : null,
    splitAddress: randomHex(20) as Address,
    externalRef: random.fraction() < 0.5 ? random.pick(['order 1', 'Order 2', 'ärger', 'ZZ']) : null,
    source: random.fraction() < 0.5 ? random.pick(['shop', 'app', 'Shop']) : null,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + 60_000 + random.integer(3_600_000)),
    confirmedAt: status === 'confirmed' ? later(2) : null,
    settledAt: settlementStatus === 'completed' ? later(48) : null,
    lastActivityAt: isPaid ? later(2) : createdAt,
  })
}

type TransferRow = ReturnType<typeof someTransfers>[number]

function someTransfers(random: Random, charge: ChargeRow) {
  return Array.from({ length: charge.receivedAtto === null ? 0 : random.integer(3) }, (_, ordinal) => {
    const isSandbox = charge.environment === 'test' && random.fraction() < 0.5
    const amountAtto = 1n + BigInt(random.integer(2 ** 31)) * 10n ** 12n
    return {
      chargeId: charge.id,
      network: random.pick(['base', 'bnb']),
      token: random.pick(['USDC', 'USDT']),
      source: isSandbox ? 'sandbox' : random.pick(['contract_watcher', 'reconciliation_job']),
      chainId: isSandbox ? null : 8453,
      tokenAddress: isSandbox ? null : TREASURY,
      txHash: isSandbox ? null : randomHex(32),
      ordinal: isSandbox ? null : ordinal,
      blockNumber: isSandbox ? null : 7,
      valueAtomic: '1',
      amountAtto: String(amountAtto),
      accepted: random.fraction() < 0.9,
      inclusion: random.pick(['included', 'included', 'included', 'missing', 'orphaned']),
      causedTransition: random.fraction() < 0.5,
      detectedAt: new Date(charge.createdAt.getTime() + random.integer(3_600_000)),
    }
  })
}

/** Whether the API counts a transfer. No transfer here is credited, so orphaned transfers do not count. */
function isCounted({ accepted, inclusion }: TransferRow): boolean {
  return accepted && inclusion !== 'orphaned'
}

type PayoutRow = ReturnType<typeof somePayout>

function somePayout(random: Random, charge: ChargeRow) {
  const status = random.pick(PAYOUT_STATUSES)
  const createdAt = new Date(charge.createdAt.getTime() + random.integer(3_600_000))
  const later = new Date(createdAt.getTime() + random.integer(3_600_000))
  return {
    chargeId: charge.id,
    ...random.pick(PAIRS),
    distributedAtomic: String(random.integer(2 ** 31)) + '0'.repeat(random.integer(12)),
    splitAddress: charge.splitAddress,
    environment: charge.environment,
    organizationId: charge.organizationId,
    status,
    attempts: random.integer(9),
    graceEndsAt: later,
    nextAttemptAt: later,
    processingStartedAt: status === 'pending' ? null : later,
    completedAt: status === 'completed' ? later : null,
    distributorAddress: status === 'completed' ? random.pick([MERCHANT, KEEPER]) : null,
    createdAt,
  }
}

function pairOf({ chargeId, network, token, chainId, tokenAddress, distributedAtomic }: PayoutRow) {
  return { chargeId, network, token, chainId, tokenAddress, distributedAtomic }
}

function payoutOf({ decimals: _, distributedAtomic: __, ...payout }: PayoutRow) {
  return payout
}

function chargeRecord(row: ChargeRow): MetricsRecord {
  const amount = row.amountMicro * MICRO_TO_ATTO
  const feePercent = percentOf(row.feePercent)
  const feeAmount = (amount * feePercent) / ONE / 100n
  return {
    status: row.status,
    settlementStatus: row.settlementStatus,
    source: row.source,
    apiKeyId: row.apiKeyId,
    currency: 'USD',
    isOverpaid: (row.receivedAtto ?? 0n) > amount,
    externalRef: row.externalRef,
    feePayer: row.feePayer,
    escrowReleaserAddress: row.escrowReleaser,
    amount,
    amountReceived: row.receivedAtto,
    feePercent,
    feeAmount,
    merchantAmount: amount - feeAmount,
    // These charges have no accounting entries.
    merchantReceived: null,
    feeCharged: null,
    escrowFeePercent: row.escrowFeePercent === null ? null : percentOf(row.escrowFeePercent),
    createdAt: row.createdAt,
    confirmedAt: row.confirmedAt,
    settledAt: row.settledAt,
    lastActivityAt: row.lastActivityAt,
    expiresAt: row.expiresAt,
    escrowReleasedAt: row.escrowReleasedAt,
  }
}

function transactionRecord({
  network,
  token,
  source,
  causedTransition,
  amountAtto,
  detectedAt,
}: TransferRow): MetricsRecord {
  return { network, token, source, causedTransition, amount: BigInt(amountAtto), detectedAt }
}

function distributionRecord(row: PayoutRow): MetricsRecord {
  const { status, network, token, distributorAddress, createdAt, processingStartedAt, completedAt } = row
  const attempts: FieldValue = BigInt(row.attempts) * ONE
  const amount: FieldValue = BigInt(row.distributedAtomic) * 10n ** BigInt(18 - row.decimals)
  const dates = { createdAt, processingStartedAt, completedAt }
  return { status, network, token, distributorAddress, amount, attempts, ...dates }
}

/** Converts a percentage to units of 10^-18. */
function percentOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(18, '0'))
}
