import { type ChargeView, readReceived } from '../charge-view.ts'
import { listFinalCharges } from '../final-state.ts'
import type { Rule } from '../rule.ts'

const FINAL = ['confirmed', 'expired', 'underpaid']

/** An expired charge's late payments may stay in the split if their sum is below one dollar. */
const DOLLAR = 10n ** 18n

/** In the final state, every charge has a final status, and its money is paid out. */
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
