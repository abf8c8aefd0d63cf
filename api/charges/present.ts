import type { CurrentCharge } from '../../shared/db/charges/charges-read.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { presentCharge } from '../../shared/domain/present-charge.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'

type Settings = Pick<ApiConfig, 'checkoutBaseUrl'>

/** Writes the JSON of a charge as it is now. */
export function presentCurrentCharge(
  { charge, paymentUnavailable }: CurrentCharge,
  settings: Settings,
): string {
  return presentCharge(charge, { ...contextOf(settings), paymentUnavailable })
}

/** Writes the JSON of a charge about to be made, for its `charge.created` event: of its networks it says nothing. */
export function presentNewCharge(charge: ChargeRecord, settings: Settings): string {
  return presentCharge(charge, contextOf(settings))
}

function contextOf({ checkoutBaseUrl }: Settings) {
  return {
    checkoutBaseUrl,
    // No swap provider can be configured yet, and without one the list is empty.
    swapAlternatives: [],
  }
}
