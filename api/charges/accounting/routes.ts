import {
  type BookedRow,
  type BooksSum,
  findRecipientIds,
  listBookedRows,
  MAX_LISTED_ENTRIES,
  sumChargeBooks,
} from '../../../shared/db/accounting/api/charge-books.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { inReadOnly } from '../../../shared/db/transaction.ts'
import type { ChargeRecord } from '../../../shared/domain/charge.ts'
import { formatDecimal } from '../../../shared/domain/decimal.ts'
import { keyedRoute, type Route } from '../../http/route.ts'
import type { GetCharge } from '../get-charge.ts'
import { computeFigures, type PairBooks, presentPair } from './present-pair.ts'
import { ChargeAccounting, FIGURE_NAMES } from './schema.ts'

type Deps = { readonly sql: Sql; readonly getCharge: GetCharge }

/** Returns the endpoint for the accounting of a charge. */
export function chargeAccountingRoutes({ sql, getCharge }: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/charges/:id/accounting',
      operationId: 'getChargeAccounting',
      summary: 'Get the amounts that a charge received and paid out',
      description: `The amounts are computed with the contract's own arithmetic, from payments and distributions that a quorum of nodes agreed on. For each pair, \`received\` plus \`uncredited\` is exactly the sum of \`net\`, \`fee\`, \`incentive\`, \`otherShares\`, \`held\`, \`escrowRefunded\`, \`pending\` and \`rounding\`. All amounts are zero, and \`pairs\` is empty, until the first payment or distribution counts. Lists at most the oldest ${MAX_LISTED_ENTRIES.toLocaleString('en')} payments and payouts; the figures contain all of them.`,
      scope: 'charges:read',
      success: { status: 200, body: ChargeAccounting },
      errors: ['charge_not_found'],
      handle: async (request) => {
        const { charge } = await getCharge(request)
        const wanted = { tenant: request.key, id: charge.id }
        const addresses = charge.splitRecipients.map(({ address }) => address)
        const [sums, rows, recipientIds] = await inReadOnly(
          sql,
          async (db) =>
            [
              await sumChargeBooks(db, wanted),
              await listBookedRows(db, wanted),
              await findRecipientIds(db, { tenant: request.key, addresses, family: charge.family }),
            ] as const,
        )
        return presentAccounting(charge, groupByPair(sums, rows), recipientIds)
      },
    }),
  ]
}

function presentAccounting(
  charge: ChargeRecord,
  pairs: readonly PairBooks[],
  recipientIds: ReadonlyMap<string, string>,
) {
  const sum = (name: (typeof FIGURE_NAMES)[number]) =>
    pairs.reduce((total, { figures }) => total + figures[name], 0n)
  return {
    ...Object.fromEntries(FIGURE_NAMES.map((name) => [`${name}Exact`, formatDecimal(sum(name), 18)])),
    refundedExact: formatDecimal(sum('escrowRefunded') + sum('walletRefunded'), 18),
    pairs: pairs.map((pair) => presentPair(charge, pair, recipientIds)),
  }
}

function groupByPair(sums: readonly BooksSum[], rows: readonly BookedRow[]): readonly PairBooks[] {
  return [...new Set(sums.map(keyOf))].map((key) => {
    const ofPair = sums.filter((sum) => keyOf(sum) === key)
    const listed = rows.filter((row) => keyOf(row) === key)
    return { sums: ofPair, rows: listed, figures: computeFigures(ofPair) }
  })
}

function keyOf({ network, token, chainId }: Pick<BooksSum, 'network' | 'token' | 'chainId'>): string {
  return `${token}/${network}/${chainId ?? 'simulated'}`
}
