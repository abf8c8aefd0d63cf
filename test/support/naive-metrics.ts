import { type Address, checksum } from '../../shared/domain/address.ts'
import { formatDecimal } from '../../shared/domain/decimal.ts'

/** Value of a field. A bigint is in units of 10^-18. */
export type FieldValue = string | boolean | bigint | Date | null

export type MetricsRecord = Readonly<Record<string, FieldValue>>

/** A body of `POST /v1/metrics/query`. */
export type NaiveQuery = {
  readonly resource: string
  readonly dateRange: { readonly field: string; readonly from: string; readonly to: string }
  readonly groupBy: readonly {
    readonly type: string
    readonly field: string
    readonly granularity?: string
  }[]
  readonly metrics: readonly {
    readonly aggregation: string
    readonly field?: string
    readonly alias?: string
  }[]
  readonly filters: readonly { readonly field: string; readonly operator: string; readonly value: unknown }[]
  readonly orderBy?: { readonly key: string; readonly direction: string }
  readonly limit: number
  readonly fill?: boolean
}

const MONEY = ['amount', 'amountReceived', 'feeAmount', 'merchantAmount', 'merchantReceived', 'feeCharged']

/** Evaluates a query by looping over rows in memory. */
export function evaluateNaively(records: readonly MetricsRecord[], query: NaiveQuery): readonly object[] {
  const from = new Date(query.dateRange.from)
  const to = new Date(query.dateRange.to)
  const rows = records.filter((record) => {
    const moment = record[query.dateRange.field]
    return (
      moment instanceof Date &&
      moment >= from &&
      moment < to &&
      query.filters.every((filter) => holds(record, filter))
    )
  })
  const groups = new Map<string, { keys: FieldValue[]; members: MetricsRecord[] }>()
  const put = (keys: FieldValue[], member: MetricsRecord | null) => {
    const id = JSON.stringify(keys)
    const group = groups.get(id) ?? { keys, members: [] }
    if (member) group.members.push(member)
    groups.set(id, group)
  }
  if (query.groupBy.length === 0) put([], null)
  for (const row of rows)
    put(
      query.groupBy.map((by) => keyOf(row, by)),
      row,
    )
  if (query.fill)
    for (const keys of missingKeys(
      [...groups.values()].map((one) => one.keys),
      query,
    ))
      put(keys, null)
  const columns = query.groupBy.map(({ field }) => field)
  const answered = [...groups.values()].map(({ keys, members }) => ({
    sorting: sortingOf(keys, members, query),
    shown: {
      ...Object.fromEntries(columns.map((name, index) => [name, show(keys[index] ?? null)])),
      ...Object.assign({}, ...query.metrics.map((metric) => present(metric, members))),
    },
  }))
  return answered
    .sort((left, right) => compareKeys(left.sorting, right.sorting))
    .map(({ shown }) => shown)
    .slice(0, query.limit)
}

function holds(record: MetricsRecord, { field, operator, value }: NaiveQuery['filters'][number]): boolean {
  const actual = record[field] ?? null
  const wanted = (one: unknown): FieldValue =>
    typeof one === 'number'
      ? attoOf(one)
      : typeof one === 'string' && one.startsWith('0x')
        ? one.toLowerCase()
        : (one as FieldValue)
  if (operator === 'eq') return actual === wanted(value)
  if (operator === 'neq') return actual !== wanted(value)
  if (operator === 'in') return (value as unknown[]).map(wanted).includes(actual)
  const limit = wanted(value)
  if (typeof actual !== 'bigint' || typeof limit !== 'bigint') return false
  if (operator === 'gt') return actual > limit
  if (operator === 'gte') return actual >= limit
  return operator === 'lt' ? actual < limit : actual <= limit
}

/** Converts a number to units of 10^-18. Numbers in the queries have at most 6 fractional digits. */
function attoOf(value: number): bigint {
  return BigInt(Math.round(value * 1e6)) * 10n ** 12n
}

function keyOf(
  record: MetricsRecord,
  { type, field, granularity }: NaiveQuery['groupBy'][number],
): FieldValue {
  const value = record[field] ?? null
  return type === 'date_bucket' && value instanceof Date ? bucketOf(value, granularity ?? '') : value
}

/** Returns the start of the time's bucket, formatted as in the response. */
function bucketOf(moment: Date, granularity: string): string {
  const [year, month, day] = [moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate()]
  const date = (...parts: [number, number, number]) => new Date(Date.UTC(...parts)).toISOString().slice(0, 10)
  switch (granularity) {
    case 'hour':
      return `${moment.toISOString().slice(0, 13)}:00:00.000Z`
    case 'week':
      return date(year, month, day - ((moment.getUTCDay() + 6) % 7))
    case 'month':
      return date(year, month, 1)
    case 'quarter':
      return date(year, month - (month % 3), 1)
    case 'year':
      return date(year, 0, 1)
    default:
      return date(year, month, day)
  }
}

/** Returns the keys of every bucket in the range, combined with the other keys of every found group. */
function missingKeys(found: readonly FieldValue[][], { dateRange, groupBy }: NaiveQuery): FieldValue[][] {
  const at = groupBy.findIndex(({ type }) => type === 'date_bucket')
  const buckets = new Set<string>()
  const end = new Date(dateRange.to).getTime()
  for (let time = new Date(dateRange.from).getTime(); time < end; time += 3_600_000) {
    buckets.add(bucketOf(new Date(time), groupBy[at]?.granularity ?? ''))
  }
  buckets.add(bucketOf(new Date(end - 1), groupBy[at]?.granularity ?? ''))
  const others = groupBy.length === 1 ? [[null]] : found
  return [...buckets].flatMap((bucket) => others.map((keys) => keys.with(at, bucket)))
}

type Metric = NaiveQuery['metrics'][number]

function present(metric: Metric, members: readonly MetricsRecord[]): object {
  const { aggregation, field = '' } = metric
  const alias = aliasOf(metric)
  const value = compute(metric, members)
  if (aggregation === 'count' || aggregation === 'countDistinct') return { [alias]: Number(value) }
  const exact = value === null ? null : formatDecimal(value, 18)
  const number = exact === null ? null : Number(exact)
  return MONEY.includes(field) ? { [alias]: number, [`${alias}Exact`]: exact } : { [alias]: number }
}

function aliasOf({ alias, aggregation, field }: Metric): string {
  return alias ?? (field === undefined ? aggregation : `${aggregation}_${field}`)
}

/** Returns a count in units of 1, and any other value in units of 10^-18. */
function compute({ aggregation, field = '' }: Metric, members: readonly MetricsRecord[]): bigint | null {
  if (aggregation === 'count') return BigInt(members.length)
  const values = members.map((member) => member[field] ?? null).filter((value) => value !== null)
  if (aggregation === 'countDistinct') return BigInt(new Set(values).size)
  const numbers = (values as bigint[]).sort((left, right) => (left < right ? -1 : left > right ? 1 : 0))
  const sum = numbers.reduce((total, number) => total + number, 0n)
  if (aggregation === 'sum') return sum
  if (numbers.length === 0) return null
  const count = BigInt(numbers.length)
  if (aggregation === 'avg') return (2n * sum + count) / (2n * count)
  if (aggregation === 'min') return numbers[0] ?? null
  if (aggregation === 'max') return numbers.at(-1) ?? null
  // The smallest value such that at least `percent` % of the values are at or below it.
  const percent = Number(aggregation.slice(1))
  return numbers[Math.max(0, Math.ceil((percent * numbers.length) / 100) - 1)] ?? null
}

type Sorting = readonly { readonly value: FieldValue; readonly isDescending: boolean }[]

function sortingOf(
  keys: readonly FieldValue[],
  members: readonly MetricsRecord[],
  query: NaiveQuery,
): Sorting {
  const { groupBy, orderBy } = query
  const places = groupBy.map(({ type }, index) => ({ type, value: keys[index] ?? null }))
  const byDefault = [
    ...places.filter(({ type }) => type === 'date_bucket'),
    ...places.filter(({ type }) => type === 'field'),
  ].map(({ value }) => ({ value, isDescending: false }))
  if (orderBy === undefined) return byDefault
  const group = groupBy.findIndex(({ field }) => field === orderBy.key)
  const metric = query.metrics.find((one) => [aliasOf(one), `${aliasOf(one)}Exact`].includes(orderBy.key))
  const value = metric === undefined ? (keys[group] ?? null) : compute(metric, members)
  return [{ value, isDescending: orderBy.direction === 'desc' }, ...byDefault]
}

/** Compares groups for sorting. Null comes last in both directions. */
function compareKeys(left: Sorting, right: Sorting): number {
  for (const [index, { value, isDescending }] of left.entries()) {
    const other = right[index]?.value ?? null
    if (value === other) continue
    if (value === null) return 1
    if (other === null) return -1
    return (value < other ? -1 : 1) * (isDescending ? -1 : 1)
  }
  return 0
}

function show(value: FieldValue): FieldValue {
  return typeof value === 'string' && value.startsWith('0x') ? checksum(value as Address) : value
}
