import { listCreations } from '../creations.ts'
import { listFinalCharges } from '../final-state.ts'
import type { Exchange, History } from '../history.ts'
import type { Rule } from '../rule.ts'

/**
 * The record must contain each of `CASES`. Otherwise, a rule might hold only because nothing in the record could break
 * it.
 */
export const ENOUGH: Rule = {
  name: 'the record contains a case of each rule',
  find: (history) =>
    Object.entries(CASES)
      .filter(([, isPresent]) => !isPresent(history))
      .map(([title]) => `no ${title}`),
}

const CASES: Readonly<Record<string, (history: History) => boolean>> = {
  'charges of two organizations': (history) =>
    new Set(listCreations(history).map(({ organization }) => organization)).size > 1,
  'creation with an idempotency key': (history) =>
    listCreations(history).some(({ idempotencyKey }) => idempotencyKey !== null),
  'settled charge': (history) =>
    listFinalCharges(history).some(({ value }) => value.settlementStatus === 'completed'),
  'expired charge': (history) => listFinalCharges(history).some(({ value }) => value.status === 'expired'),
  'event in a delivery': ({ arrivals }) => arrivals.some(({ channel }) => channel === 'webhook'),
  'event in a stream': ({ arrivals }) => arrivals.some(({ channel }) => channel === 'stream'),
  'stream of a charge': ({ connections }) => connections.size > 0,
  'height of a chain': ({ heads }) => heads.size > 0,
  'transfer on a chain': ({ transfers }) => transfers.length > 0,
  'distribution on a chain': ({ distributions }) => distributions.length > 0,
  'request for another organization’s charge': (history) => history.exchanges.some(isRefused),
}

function isRefused({ path, response }: Exchange): boolean {
  return response?.status === 404 && path.startsWith('/v1/charges/ch_')
}
