import { type Address, CHAIN_FAMILY_NAMES, type ChainFamilyName } from '../../../domain/address.ts'
import {
  CHARGE_STATUSES,
  FEE_PAYERS,
  PAYOUT_STATUSES,
  SETTLEMENT_STATUSES,
  TRANSACTION_SOURCES,
} from '../../../domain/charge.ts'
import { REGISTRY } from '../../../domain/network-registry.ts'
import { NETWORKS, TOKENS } from '../../../domain/networks.ts'

/** A text field. `words` lists its possible values; `null` allows any text. */
export type TextField = {
  readonly kind: 'text'
  readonly sql: string
  readonly words: readonly string[] | null
}

export type BooleanField = { readonly kind: 'boolean'; readonly sql: string }

/**
 * An account of one chain family. `sql` returns it in the form of `formatStoredAddress`, because the same twenty bytes
 * are a different account in another family.
 */
export type AddressField = { readonly kind: 'address'; readonly sql: string }

/** A number. `sql` returns it in units of 10^-`scale`, in which sums stay exact. */
export type NumberField = {
  readonly kind: 'number'
  readonly sql: string
  readonly scale: number
  readonly isMoney: boolean
}

/** A time, which might be in the future. */
export type DateField = { readonly kind: 'date'; readonly sql: string }

export type GroupField = TextField | BooleanField | AddressField

export type MetricsField = GroupField | NumberField | DateField

type Resource = {
  readonly from: string
  /** Alias of the table that has the tenant's columns. */
  readonly tenantOf: 'c' | 'p'
  /** Additional condition for every row; `true` if there is none. */
  readonly where: string
  readonly fields: Readonly<Record<string, MetricsField>>
}

/** Formats an address as the `sql` of address fields returns it. Addresses of one family sort together. */
export function formatStoredAddress(address: Address, family: ChainFamilyName): string {
  return `${family}:${address}`
}

export function parseStoredAddress(text: string): {
  readonly address: Address
  readonly family: ChainFamilyName
} {
  const [family, address] = text.split(':')
  return { address: address as Address, family: family as ChainFamilyName }
}

/**
 * The amount of a payout `p` that was distributed at confirmation depth, by any sender. Computed only if a query uses
 * it.
 */
const DISTRIBUTED_ATTO = `(
  select trunc(l.distributed_atomic * 10::numeric ^ (18 - d.decimals))
  from charge_ledgers l join pairs d on d.chain_id = l.chain_id and d.token_address = l.token_address
  where l.charge_id = p.charge_id and l.network = p.network and l.token = p.token)`

/**
 * The resources and fields that can be queried, named as in the specification. Queries are built only from this SQL.
 *
 * Sandbox credits are included, because they are the transfers of the test environment; the field `source` shows them.
 * Transfers on a pair that the charge does not accept are excluded, and so are transfers that were orphaned before they
 * were credited.
 */
export const METRICS_RESOURCES = {
  charges: {
    from: 'charges c',
    tenantOf: 'c',
    where: 'true',
    fields: {
      status: word('c.status', CHARGE_STATUSES),
      settlementStatus: word('c.settlement_status', SETTLEMENT_STATUSES),
      source: word('c.source', null),
      apiKeyId: word('c.api_key_id', null),
      currency: word("'USD'::text", ['USD']),
      isOverpaid: { kind: 'boolean', sql: 'c.is_overpaid' },
      externalRef: word('c.external_ref', null),
      feePayer: word('c.fee_payer', FEE_PAYERS),
      escrowReleaserAddress: account('c.family', 'c.escrow_releaser'),
      amount: money('c.amount_micro', 6),
      amountReceived: money('c.received_atto', 18),
      feePercent: plain('c.fee_percent'),
      // The product of micro-dollars and a percent, in units of 10^-8 dollars.
      feeAmount: money('(c.amount_micro * c.fee_percent)', 8),
      merchantAmount: money('(c.amount_micro * (100 - c.fee_percent))', 8),
      merchantReceived: money(booked('merchant_received_atto'), 18),
      feeCharged: money(booked('fee_charged_atto'), 18),
      escrowFeePercent: plain('c.escrow_fee_percent'),
      createdAt: moment('c.created_at'),
      confirmedAt: moment('c.confirmed_at'),
      settledAt: moment('c.settled_at'),
      lastActivityAt: moment('c.last_activity_at'),
      expiresAt: moment('c.expires_at'),
      escrowReleasedAt: moment('c.escrow_released_at'),
    },
  },
  transactions: {
    from: 'charges c join transfers t on t.charge_id = c.id',
    tenantOf: 'c',
    where: "t.accepted and (t.inclusion <> 'orphaned' or t.credited_at is not null)",
    fields: {
      network: word('t.network', NETWORKS),
      token: word('t.token', TOKENS),
      source: word('t.source', TRANSACTION_SOURCES),
      causedTransition: { kind: 'boolean', sql: 't.caused_transition' },
      amount: money('t.amount_atto', 18),
      detectedAt: moment('t.detected_at'),
    },
  },
  distributions: {
    from: 'payouts p',
    tenantOf: 'p',
    where: 'true',
    fields: {
      status: word('p.status', PAYOUT_STATUSES),
      network: word('p.network', NETWORKS),
      token: word('p.token', TOKENS),
      distributorAddress: account(familyOf('p.network'), 'p.distributor_address'),
      amount: money(DISTRIBUTED_ATTO, 18),
      attempts: plain('p.attempts'),
      createdAt: moment('p.created_at'),
      processingStartedAt: moment('p.processing_started_at'),
      completedAt: moment('p.completed_at'),
    },
  },
} as const satisfies Readonly<Record<string, Resource>>

export type MetricsResource = keyof typeof METRICS_RESOURCES

/**
 * Returns the SQL of a sum over the accounting entries of the charge `c`; null before a payment counts. Computed only
 * if a query uses it.
 */
function booked(column: 'merchant_received_atto' | 'fee_charged_atto'): string {
  return `(select sum(e.${column}) from accounting_entries e where e.charge_id = c.id)`
}

function word(sql: string, words: readonly string[] | null): TextField {
  return { kind: 'text', sql, words }
}

function account(familySql: string, addressSql: string): AddressField {
  return { kind: 'address', sql: `(${familySql} || ':' || ${addressSql})` }
}

function familyOf(networkSql: string): string {
  const cases = CHAIN_FAMILY_NAMES.map((family) => {
    const networks = NETWORKS.filter((network) => REGISTRY[network].family === family)
    return `when ${networkSql} in (${networks.map((network) => `'${network}'`).join(', ')}) then '${family}'`
  })
  return `case ${cases.join(' ')} end`
}

function money(sql: string, scale: number): NumberField {
  return { kind: 'number', sql, scale, isMoney: true }
}

function plain(sql: string): NumberField {
  return { kind: 'number', sql, scale: 0, isMoney: false }
}

function moment(sql: string): DateField {
  return { kind: 'date', sql }
}
