import { type ChargeView, readReceived } from '../charge-view.ts'
import { listFinalCharges } from '../final-state.ts'
import type { Rule } from '../rule.ts'

const FINAL = ['confirmed', 'expired', 'underpaid']

/** Late payments of less than one dollar in total may stay in the split of an expired charge. */
const DOLLAR = 10n ** 18n

/** After all faults, every charge has a final status, and its money is paid out. */
export const ENDINGS: Rule = {
  name: 'every charge ends, and its money is paid out',
  find: (history) => {
    if (history.quietAtMs === null) return ['the run ended before the final state was read']
    return listFinalCharges(history).flatMap(({ value }) => describe(value))
  },
}

function describe(charge: ChargeView): readonly string[] {
  const { id, status, settlementStatus } = charge
  if (!FINAL.includes(status)) return [`${id} is still ${status}`]
  const isOwed = status !== 'expired' || readReceived(charge) >= DOLLAR
  return isOwed && settlementStatus !== 'completed'
    ? [`${id} is ${status}, but its settlement is ${settlementStatus}`]
    : []
}
