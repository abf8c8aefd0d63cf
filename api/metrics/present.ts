import { parseStoredAddress } from '../../shared/db/metrics/api/metrics-fields.ts'
import type {
  Metric,
  MetricsGroup,
  MetricsQuery,
  MetricsRow,
} from '../../shared/db/metrics/api/metrics-query.ts'
import { presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { formatDecimal, parseDecimal } from '../../shared/domain/decimal.ts'
import { invariant } from '../../shared/domain/errors.ts'

type Value = string | number | boolean | null

/** Returns whether a metric is an amount of money, for which the response also contains the exact text. */
export function isMoney({ measure }: Metric): boolean {
  const { aggregation } = measure
  if (aggregation === 'count' || aggregation === 'countDistinct') return false
  return measure.field.isMoney
}

/** Returns the JSON of one row: its groups, then its metrics, in the order of the request. */
export function presentMetricsRow(
  row: MetricsRow,
  { groups, metrics }: Pick<MetricsQuery, 'groups' | 'metrics'>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries([
    ...groups.map((group, index): [string, Value] => [
      group.name,
      presentGroup(row[`g${index}`] ?? null, group),
    ]),
    ...metrics.flatMap((metric, index) => presentMetric(row[`m${index}`] ?? null, metric)),
  ])
}

function presentGroup(value: string | boolean | null, { field }: MetricsGroup): Value {
  if (field.kind !== 'address' || typeof value !== 'string') return value
  const { address, family } = parseStoredAddress(value)
  return presentAddress(address, family)
}

function presentMetric(value: string | boolean | null, metric: Metric): readonly [string, Value][] {
  const { alias } = metric
  const exact = typeof value === 'string' ? toExactText(value, metric) : null
  const number = exact === null ? null : Number(exact)
  return isMoney(metric)
    ? [
        [alias, number],
        [`${alias}Exact`, exact],
      ]
    : [[alias, number]]
}

/** Converts a value from the field's stored unit to its public unit. */
function toExactText(text: string, { measure }: Metric): string {
  const decimal = parseDecimal(text)
  invariant(decimal !== null, `metric ${text} is not a decimal`)
  const isCounted = measure.aggregation === 'count' || measure.aggregation === 'countDistinct'
  return formatDecimal(decimal.digits, decimal.scale + (isCounted ? 0 : measure.field.scale))
}
