import { type AcceptedPair, toPairStates } from '../../shared/db/charges/api/accepted-pairs.ts'
import { type CurrentCharge, isPaymentUnavailable } from '../../shared/db/charges/api/charges-read.ts'
import type { PaidPair } from '../../shared/db/refunds/paid-pairs.ts'
import { findAmountAsked } from '../../shared/domain/amount-due.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { atto } from '../../shared/domain/money.ts'
import type { PairKey } from '../../shared/domain/networks.ts'
import { listPaymentOptions } from '../../shared/domain/payment-options.ts'
import { preparePresentation, presentCharge } from '../../shared/domain/present-charge.ts'
import { presentRefundable } from '../../shared/domain/refund/refundable.ts'
import { listSwapAlternatives, type SwapAlternative } from '../../shared/domain/swap/swap-alternatives.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { Swap } from '../swap/create-swap.ts'

/** Sources of the values in the Charge JSON that are not stored with the charge. */
export type PresentDeps = {
  readonly config: Pick<ApiConfig, 'checkoutBaseUrl'>
  /** `null` without a swap provider. */
  readonly swap: Pick<Swap, 'networks'> | null
}

/**
 * Returns the JSON of a charge in its current state.
 *
 * @param pairs - the pairs on which the charge was paid, if the response must contain the refundable amounts
 */
export function presentCurrentCharge(
  current: CurrentCharge,
  deps: PresentDeps,
  pairs?: readonly PaidPair[],
): string {
  const refundable = pairs === undefined ? undefined : presentRefundable(pairs)
  return presentCharge(current.charge, { ...buildContext(deps), ...buildState(current, deps), refundable })
}

/**
 * Returns the JSON of a charge for its stream. As in a webhook, the JSON omits the state of the networks and the
 * amounts to send, because they change without an event of the charge, and a payer might pay an outdated amount. For
 * the same reason, it contains swap alternatives into paused pairs.
 */
export function presentStreamedCharge(charge: ChargeRecord, deps: PresentDeps): string {
  const swapAlternatives = listAlternatives(charge, { unavailablePayments: [], deps })
  return presentCharge(charge, { ...buildContext(deps), swapAlternatives })
}

/**
 * Prepares the JSON of a new charge. The returned function is called twice: before the insert for the `charge.created`
 * event, and afterwards for the response, with the state of the networks that the insert returns.
 */
export function prepareNewCharge(charge: ChargeRecord, deps: PresentDeps): PresentNewCharge {
  const present = preparePresentation(charge, buildContext(deps))
  return (inserted) => {
    // No pair is paused here, because the insert rejects charges that accept a paused pair.
    if (inserted === null) {
      return present({ swapAlternatives: listAlternatives(charge, { unavailablePayments: [], deps }) })
    }
    const states = toPairStates(charge, inserted.pairs)
    const current = {
      charge,
      ...states,
      ...{ onTimeAtto: atto(0n), seenAtto: atto(0n), isSignatureInFlight: false },
      paymentUnavailable: isPaymentUnavailable(charge, states),
      payBySignature: inserted.payBySignature,
      readAt: charge.createdAt,
    }
    return present(buildState(current, deps))
  }
}

/** Returns the JSON of a new charge. `null` omits the state of its networks. */
type PresentNewCharge = (
  inserted: { readonly pairs: readonly AcceptedPair[]; readonly payBySignature: readonly PairKey[] } | null,
) => string

function buildState(current: CurrentCharge, deps: PresentDeps) {
  const { charge, contracts, paymentUnavailable, unavailablePayments, payBySignature } = current
  const askedAtto = findAmountAsked(current, current.readAt)
  return {
    swapAlternatives: listAlternatives(charge, { unavailablePayments, deps }),
    ...{ paymentUnavailable, unavailablePayments, payBySignature },
    paymentOptions: listPaymentOptions(charge, { askedAtto, contracts, unavailablePayments }),
  }
}

function buildContext({ config: { checkoutBaseUrl } }: PresentDeps) {
  return { checkoutBaseUrl }
}

function listAlternatives(
  charge: ChargeRecord,
  { unavailablePayments, deps }: { unavailablePayments: readonly PairKey[]; deps: PresentDeps },
): readonly SwapAlternative[] {
  const { swap } = deps
  if (swap === null) return []
  const offering = { networks: swap.networks(), unavailablePayments: new Set(unavailablePayments) }
  return listSwapAlternatives(charge, offering)
}
