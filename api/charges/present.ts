import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { PairKey } from '../../shared/domain/networks.ts'
import { preparePresentation, presentCharge } from '../../shared/domain/present-charge.ts'
import { listSwapAlternatives } from '../../shared/domain/swap-alternatives.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { Swap } from '../swap/create-swap.ts'

/** What a charge shows that is not its own. */
export type PresentDeps = {
  readonly config: Pick<ApiConfig, 'checkoutBaseUrl'>
  /** `null` without a swap provider. */
  readonly swap: Pick<Swap, 'networks'> | null
}

/** Writes the JSON of a charge as it is now. */
export function presentCurrentCharge(
  { charge, paymentUnavailable, pausedPayments, payBySignature }: CurrentCharge,
  deps: PresentDeps,
): string {
  const context = contextOf(charge, deps, pausedPayments)
  return presentCharge(charge, { ...context, paymentUnavailable, payBySignature })
}

/**
 * Writes the JSON of a charge about to be made: for its `charge.created` event, which says nothing of its networks, and
 * then, with what the insert says of them, for the answer.
 */
export function prepareNewCharge(charge: ChargeRecord, deps: PresentDeps) {
  // A charge that accepts a paused pair is not made.
  return preparePresentation(charge, contextOf(charge, deps, []))
}

function contextOf(charge: ChargeRecord, { config, swap }: PresentDeps, pausedPayments: readonly PairKey[]) {
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
