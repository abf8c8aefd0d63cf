import { type ChargeRow, toChargeRecord } from '../../shared/db/charges/charge-row.ts'
import type { NewEvent } from '../../shared/db/events/daemon/events.ts'
import type { HeldShareChange } from '../../shared/db/payouts/daemon/held-shares.ts'
import { EVENT_CATEGORY, type EventType } from '../../shared/domain/event.ts'
import { newId } from '../../shared/domain/ids.ts'
import { atomic } from '../../shared/domain/money.ts'
import { presentCharge } from '../../shared/domain/present-charge.ts'
import { listSwapAlternatives, type SwapSupport } from '../../shared/domain/swap/swap-alternatives.ts'
import type { ChargeInbox, ChargeOutcome } from './decide-charge.ts'

/** A charge before its turn, the turn's input, and its decision. */
export type ChargeTurn = {
  readonly charge: ChargeRow
  readonly mail: ChargeInbox
  readonly decision: ChargeOutcome
}

export type EventContext = {
  /**
   * Base URL of the checkout link in the charge of an event (specification, "Charge"); `null` if none is configured.
   */
  readonly checkoutBaseUrl: string | null
  /** Where swaps are available, for the charge's list of swap alternatives. */
  readonly offering: SwapSupport
  /** The `Request-Id` of the request that caused the turn, if any. */
  readonly apiRequestId?: string | null
}

/** Returns the turn's changes to the shares that are held for recipients (decisions 5.3). Pure. */
export function listHeldShareChanges({ mail }: ChargeTurn): readonly HeldShareChange[] {
  return mail.splitEvents.flatMap(({ kind, isDeep, account, amountAtomic, ...event }) => {
    if (!isDeep || kind === 'distributed') return []
    const { chargeId, chainId, tokenAddress } = event
    const changeAtomic = atomic(kind === 'held' ? amountAtomic : -1n * amountAtomic)
    return [{ chargeId, chainId, tokenAddress, recipient: account, changeAtomic }]
  })
}

/**
 * Fields that may change without a public event: when the settlement of an expired charge starts, when the releaser
 * ends the escrow on chain (decisions 4.4), and when a credit is struck (9.2).
 */
const SILENT_CHANGES = ['settlementStatus', 'escrowReleasedAt', 'escrowRefundedAt', 'receivedAtto'] as const

/**
 * Returns the public events of a turn. If there are none, but the charge has changed, returns the internal event that
 * informs streams (decisions 3.12). Each event contains the charge as of the end of the turn.
 */
export function listTurnEvents(
  context: EventContext,
  { taken, now }: { readonly taken: ChargeTurn; readonly now: Date },
): readonly NewEvent[] {
  const { charge, mail, decision } = taken
  const hasChanged =
    mail.credits.length > 0 || SILENT_CHANGES.some((key) => charge[key] !== decision.state[key])
  const types: readonly EventType[] =
    decision.events.length > 0 ? decision.events : hasChanged ? ['charge.updated'] : []
  return buildChargeEvents(context, { charge: { ...charge, ...decision.state }, types, now })
}

/** Returns one event per type, each with this charge. */
export function buildChargeEvents(
  { checkoutBaseUrl, offering, apiRequestId = null }: EventContext,
  {
    charge,
    types,
    now,
  }: { readonly charge: ChargeRow; readonly types: readonly EventType[]; readonly now: Date },
): readonly NewEvent[] {
  const record = toChargeRecord(charge)
  const data = presentCharge(record, {
    checkoutBaseUrl,
    swapAlternatives: listSwapAlternatives(record, offering),
  })
  return types.map((type) => ({
    // With `null`, the id is derived from the charge, the type and the number of the charge's earlier events of this
    // type, so that it stays the same if a transaction is repeated because its commit was lost.
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
