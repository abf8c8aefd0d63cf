import type { Address } from '../../domain/address.ts'
import type { ChargeRecord } from '../../domain/charge.ts'
import { invariant } from '../../domain/errors.ts'
import type { EscrowAction } from '../../domain/escrow-action.ts'
import type { AttoDollars } from '../../domain/money.ts'
import { type Pair, parsePairKey } from '../../domain/networks.ts'
import { FEE_FRACTION_DIGITS, type Percent, parsePercent } from '../../domain/percent.ts'
import type { Db } from '../connect.ts'
import { selectPendingEscrowAction } from '../escrow/escrow-requests.ts'
import { latestAuthorization } from '../pay-by-signature/authorization-row.ts'
import { type StoredChargeRefund, selectChargeRefunds, toChargeRefund } from '../refunds/refund-row.ts'

/** One row of `chargeColumns`: names in camelCase, money as bigint, percents as text. */
export type ChargeRow = Omit<ChargeRecord, ConvertedField> & {
  /** The `Request-Id` of the request that created the charge. */
  readonly apiRequestId: string | null
  readonly onTimeAtto: AttoDollars
  /** Whether `charge.overpaid` was announced before a strike, so that it is not announced again. */
  readonly overpaidAnnounced: boolean
  readonly feePercent: string
  readonly escrowFeePercent: string | null
  readonly acceptedPayments: readonly string[]
  readonly acceptedChains: readonly number[]
  readonly paidWith: readonly string[]
  readonly escrowReleaser: Address | null
  readonly escrowReleasedAt: Date | null
  readonly escrowRefundedAt: Date | null
  readonly escrowPendingAction: EscrowAction | null
  readonly metadata: string | null
  readonly refunds: readonly StoredChargeRefund[]
}

type ConvertedField =
  | 'feePercent'
  | 'escrowFeePercent'
  | 'acceptedPayments'
  | 'paidWith'
  | 'metadataText'
  | 'escrow'
  | 'refunds'

/**
 * Returns SQL for the select list of a charge `c`. `tx_hash` is the hash of the last recorded transfer that is on an
 * accepted pair and not orphaned.
 */
export function chargeColumns(db: Db) {
  return db`
    c.id, c.organization_id, c.api_key_id, c.api_request_id, c.environment, c.is_simulated, c.family, c.status, c.settlement_status, c.amount_micro,
    c.received_atto, c.on_time_atto, c.overpaid_announced, c.fee_payer, c.fee_percent::text, c.escrow_fee_percent::text,
    c.accepted_payments, c.accepted_chains, c.paid_with, c.address, c.split_address, c.split_terms,
    c.split_recipients, c.escrow_releaser, c.escrow_released_at, c.escrow_refunded_at, c.external_ref, c.source,
    c.metadata, c.redirect_url, c.created_at, c.expires_at, c.confirmed_at, c.settled_at, c.last_activity_at,
    (select t.tx_hash from transfers t where t.charge_id = c.id and t.accepted and t.inclusion <> 'orphaned'
     order by t.id desc limit 1) as tx_hash,
    ${selectPendingEscrowAction(db)} as escrow_pending_action, ${latestAuthorization(db)} as "authorization",
    ${selectChargeRefunds(db)} as refunds`
}

/** Converts a stored charge to the domain's type. */
export function toChargeRecord(row: ChargeRow): ChargeRecord {
  return {
    ...row,
    feePercent: toPercent(row.feePercent),
    escrowFeePercent: row.escrowFeePercent === null ? null : toPercent(row.escrowFeePercent),
    acceptedPayments: row.acceptedPayments.map(toPair),
    paidWith: row.paidWith.map(toPair),
    metadataText: row.metadata,
    refunds: row.refunds.map(toChargeRefund),
    escrow:
      row.escrowReleaser === null
        ? null
        : {
            releaserAddress: row.escrowReleaser,
            releasedAt: row.escrowReleasedAt,
            refundedAt: row.escrowRefundedAt,
            pendingAction: hasEscrowEnded(row) ? null : row.escrowPendingAction,
          },
  }
}

/** A turn sets the end only on its row in memory, where `escrowPendingAction` can then be out of date. */
function hasEscrowEnded({ escrowReleasedAt, escrowRefundedAt }: ChargeRow): boolean {
  return escrowReleasedAt !== null || escrowRefundedAt !== null
}

function toPercent(text: string): Percent {
  const percent = parsePercent(text, { maxFractionDigits: FEE_FRACTION_DIGITS })
  invariant(
    percent !== null,
    `stored percent ${text} is invalid or has over ${FEE_FRACTION_DIGITS} fraction digits`,
  )
  return percent
}

function toPair(key: string): Pair {
  const pair = parsePairKey(key)
  invariant(pair !== null, `stored pair ${key} is not in the registry`)
  return pair
}
