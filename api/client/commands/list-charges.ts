import { parseOptions, table } from '../../../shared/runtime/command-line.ts'
import type { paths } from '../api-types.ts'
import { type ApiClient, requireData } from '../client.ts'
import { paginate } from '../paginate.ts'
import type { Schema } from '../schema.ts'
import { describeCharge } from './describe-charge.ts'
import { readNumber } from './option-values.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Lists charges, newest first.

  svc charges list
      --limit N                maximum number of charges; default 20
      --status STATUS          pending, partially_paid, confirmed, underpaid or expired
      --since TIME             created at or after this time, such as 2026-11-01T00:00:00Z
      --until TIME             created before this time
      --external-ref TEXT      with this reference
      --json                   one charge per line, as JSON
`

const DEFAULT_LIMIT = '20'

/** Maximum page size of the API. */
const PAGE_SIZE = 100

type Query = NonNullable<paths['/v1/charges']['get']['parameters']['query']>

/** `svc charges list`. */
export const listCharges: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const texts = ['limit', 'status', 'since', 'until', 'external-ref'] as const
    const { values } = parseOptions(args, { texts, flags: ['json'] })
    const { limit = DEFAULT_LIMIT, status, since, until, 'external-ref': externalRef } = values
    const charges = await readCharges(api, readNumber('limit', limit), {
      ...(status !== undefined && { status: status as NonNullable<Query['status']> }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...(externalRef !== undefined && { externalRef }),
    })
    return values.json ? charges.map((charge) => JSON.stringify(charge)) : present(charges)
  },
}

async function readCharges(
  api: ApiClient,
  limit: number,
  filter: Query,
): Promise<readonly Schema<'Charge'>[]> {
  const charges: Schema<'Charge'>[] = []
  const page = (cursor: string | undefined) => {
    const size = Math.min(PAGE_SIZE, limit - charges.length)
    const query = { ...filter, limit: size, ...(cursor !== undefined && { cursor }) }
    return requireData(api.GET('/v1/charges', { params: { query } }))
  }
  for await (const charge of paginate(page)) {
    charges.push(charge)
    if (charges.length >= limit) break
  }
  return charges
}

function present(charges: readonly Schema<'Charge'>[]): readonly string[] {
  const rows = charges.map((charge) => [charge.createdAt, charge.id, describeCharge(charge)])
  return table([['created', 'charge', 'state'], ...rows])
}
