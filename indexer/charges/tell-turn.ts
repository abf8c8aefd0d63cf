import { type ChargeRow, toChargeRecord } from '../../shared/db/charges/charge-row.ts'
import type { NewEvent } from '../../shared/db/events/daemon/events.ts'
import type { HeldChange } from '../../shared/db/payouts/daemon/held-shares.ts'
import { EVENT_CATEGORY, type EventType } from '../../shared/domain/event.ts'
import { newId } from '../../shared/domain/ids.ts'
import { atomic } from '../../shared/domain/money.ts'
import { presentCharge } from '../../shared/domain/present-charge.ts'
import { listSwapAlternatives, type SwapOffering } from '../../shared/domain/swap-alternatives.ts'
import type { ChargeDecision, ChargeMail } from './decide-charge.ts'

/** A charge as it was, what it had to act on, and what was decided. */
export type ChargeTurn = {
  readonly charge: ChargeRow
  readonly mail: ChargeMail
  readonly decision: ChargeDecision
}

/** What events say beside what was decided. */
export type EventTerms = {
  /** Events carry the same Charge as reads (specification, "Charge"), the link to its checkout included. */
  readonly checkoutBaseUrl: string | null
  /** And what else it can be paid with. */
  readonly offering: SwapOffering
  /** The `Request-Id` of the request that led to the turn, if one did. */
  readonly apiRequestId?: string | null
}

/** Answers what splits hold for their recipients since this turn (decisions 5.3); pure. */
export function heldChangesOf({ mail }: ChargeTurn): readonly HeldChange[] {
  return mail.splitEvents.flatMap(({ kind, isDeep, account, amountAtomic, ...event }) => {
    if (!isDeep || kind === 'distributed') return []
    const { chargeId, chainId, tokenAddress } = event
    const changeAtomic = atomic(kind === 'held' ? amountAtomic : -1n * amountAtomic)
    return [{ chargeId, chainId, tokenAddress, recipient: account, changeAtomic }]
  })
}

/** What changes without a public event: an escrow that its releaser moves on chain (decisions 4.4), a struck credit (9.2). */
const SILENT_CHANGES = ['settlementStatus', 'escrowReleasedAt', 'escrowRefundedAt', 'receivedAtto'] as const

/**
 * Answers the public events of a turn, or the internal one that tells streams of any other change (decisions 3.12), each
 * with the charge as it stands after the whole turn.
 */
export function eventsOf(
  { checkoutBaseUrl, offering, apiRequestId = null }: EventTerms,
  { taken, now }: { readonly taken: ChargeTurn; readonly now: Date },
): readonly NewEvent[] {
  const { charge, mail, decision } = taken
  const hasChanged =
    mail.credits.length > 0 || SILENT_CHANGES.some((key) => charge[key] !== decision.state[key])
  const types: readonly EventType[] =
    decision.events.length > 0 ? decision.events : hasChanged ? ['charge.updated'] : []
  const record = toChargeRecord({ ...charge, ...decision.state })
  const data = presentCharge(record, {
    checkoutBaseUrl,
    swapAlternatives: listSwapAlternatives(record, offering),
  })
  return types.map((type) => ({
    // What leaves the service has an id that is the same if a lost commit is made again.
    id: EVENT_CATEGORY[type] === 'payments' ? null : newId('evt', now.getTime()),
    category: EVENT_CATEGORY[type],
    type,
    organizationId: charge.organizationId,
    environment: charge.environment,
    chargeId: charge.id,
    data,
    createdAt: now,
    apiRequestId,
  }))
}
