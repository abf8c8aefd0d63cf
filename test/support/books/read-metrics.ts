import { parseUnits } from 'viem'
import { requireData } from '../../../api/client/client.ts'
import { createApiCaller } from '../../devnet/call-api.ts'
import type { AnsweredTotals } from './answer-figures.ts'
import type { Shop } from './create-shop.ts'

const DAY_MS = 86_400_000
const FIELDS = { received: 'amountReceived', net: 'merchantReceived', charged: 'feeCharged' } as const

/**
 * Returns the totals over the charges that a merchant created in the last 24 hours, according to
 * `POST /v1/metrics/query`, in 10^-18 dollars.
 */
export async function readMetricTotals({ devnet }: Shop): Promise<AnsweredTotals> {
  const from = new Date(Date.now() - DAY_MS).toISOString()
  const to = new Date(Date.now() + DAY_MS).toISOString()
  const metrics = Object.entries(FIELDS).map(([alias, field]) => ({
    aggregation: 'sum' as const,
    field,
    alias,
  }))
  const body = { resource: 'charges' as const, dateRange: { field: 'createdAt' as const, from, to }, metrics }
  const { data } = await requireData(createApiCaller(devnet.description).POST('/v1/metrics/query', { body }))
  const sum = (alias: keyof typeof FIELDS) => parseUnits(String(data[0]?.[`${alias}Exact`]), 18)
  return { received: sum('received'), net: sum('net'), charged: sum('charged') }
}
