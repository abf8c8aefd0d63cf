import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { PairKey } from '../../shared/domain/networks.ts'
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
export function presentCurrentCharge(
  { charge, paymentUnavailable, pausedPayments, payBySignature }: CurrentCharge,
  deps: PresentDeps,
): string {
  const context = buildContext(charge, deps, pausedPayments)
  return presentCharge(charge, { ...context, paymentUnavailable, payBySignature })
}

/**
 * Prepares the JSON of a new charge. It is completed twice: for the `charge.created` event, without the state of its
 * networks, and for the response, with the state that the insert returns.
 */
export function prepareNewCharge(charge: ChargeRecord, deps: PresentDeps) {
  // The insert rejects charges that accept a paused pair.
  return preparePresentation(charge, buildContext(charge, deps, []))
}

function buildContext(
  charge: ChargeRecord,
  { config, swap }: PresentDeps,
  pausedPayments: readonly PairKey[],
) {
  return {
    checkoutBaseUrl: config.checkoutBaseUrl,
    swapAlternatives:
      swap === null
        ? []
        : listSwapAlternatives(charge, {
            networks: swap.networks(),
            pausedPayments: new Set(pausedPayments),
          }),
  }
}
