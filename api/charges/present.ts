import { type AcceptedPair, toPairStates } from '../../shared/db/charges/api/accepted-pairs.ts'
import { type CurrentCharge, isPaymentUnavailable } from '../../shared/db/charges/api/charges-read.ts'
import { findAmountAsked } from '../../shared/domain/amount-due.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { atto } from '../../shared/domain/money.ts'
import type { PairKey } from '../../shared/domain/networks.ts'
import { listPaymentOptions } from '../../shared/domain/payment-options.ts'
import { preparePresentation, presentCharge } from '../../shared/domain/present-charge.ts'
import { listSwapAlternatives } from '../../shared/domain/swap/swap-alternatives.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { Swap } from '../swap/create-swap.ts'

/** Dependencies for values of the Charge JSON that are not stored with the charge. */
export type PresentDeps = {
  readonly config: Pick<ApiConfig, 'checkoutBaseUrl'>
  /** `null` without a swap provider. */
  readonly swap: Pick<Swap, 'networks'> | null
}

/** Returns the JSON of a charge in its current state. */
export function presentCurrentCharge(current: CurrentCharge, deps: PresentDeps): string {
  const { charge, unavailablePayments } = current
  return presentCharge(charge, { ...buildContext(charge, deps, unavailablePayments), ...buildState(current) })
}

/**
 * Prepares the JSON of a new charge. It is completed twice: for the `charge.created` event, without the state of its
 * networks, and for the response, with the state that the insert returns.
 */
export function prepareNewCharge(charge: ChargeRecord, deps: PresentDeps): PresentNewCharge {
  // The insert rejects charges that accept a paused pair.
  const present = preparePresentation(charge, buildContext(charge, deps, []))
  return (inserted) => {
    if (inserted === null) return present({})
    const states = toPairStates(charge, inserted.pairs)
    return present(
      buildState({
        charge,
        ...states,
        ...{ onTimeAtto: atto(0n), seenAtto: atto(0n) },
        paymentUnavailable: isPaymentUnavailable(charge, states),
        payBySignature: inserted.payBySignature,
        readAt: charge.createdAt,
      }),
    )
  }
}

/** Returns the JSON of a new charge with the state of its networks; `null` leaves that state out. */
type PresentNewCharge = (
  inserted: { readonly pairs: readonly AcceptedPair[]; readonly payBySignature: readonly PairKey[] } | null,
) => string

function buildState({ charge, seenAtto, readAt, contracts, ...state }: CurrentCharge) {
  const { paymentUnavailable, unavailablePayments, payBySignature } = state
  const askedAtto = findAmountAsked({ ...charge, seenAtto }, readAt)
  return {
    ...{ paymentUnavailable, unavailablePayments, payBySignature },
    paymentOptions: listPaymentOptions(charge, { askedAtto, contracts, unavailablePayments }),
  }
}

function buildContext(
  charge: ChargeRecord,
  { config, swap }: PresentDeps,
  unavailablePayments: readonly PairKey[],
) {
  return {
    checkoutBaseUrl: config.checkoutBaseUrl,
    swapAlternatives:
      swap === null
        ? []
        : listSwapAlternatives(charge, {
            networks: swap.networks(),
            unavailablePayments: new Set(unavailablePayments),
          }),
  }
}
