import { listCreations } from '../creations.ts'
import { listFinalCharges } from '../final-state.ts'
import type { Rule } from '../rule.ts'

/** Every charge whose creation returned 201 exists at the end, with the same address, amount and times. */
export const FOUND_AGAIN: Rule = {
  name: 'a created charge is found again',
  find: (history) => {
    const found = new Map(listFinalCharges(history).map(({ chargeId, value }) => [chargeId, value]))
    return listCreations(history).flatMap(({ charge, organization }) => {
      const later = found.get(charge.id)
      if (later === undefined) return [`${charge.id} of ${organization} was created, and is not found`]
      return (['id', 'address', 'amountExact', 'createdAt', 'expiresAt'] as const)
        .filter((field) => later[field] !== charge[field])
        .map((field) => `${charge.id}: ${field} was ${charge[field]}, and is ${later[field]}`)
    })
  },
}
