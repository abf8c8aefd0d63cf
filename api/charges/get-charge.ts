import type { StaleAfter } from '../../shared/db/chain-facts/stale.ts'
import { type CurrentCharge, findChargesOf } from '../../shared/db/charges/api/charges-read.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { isId } from '../../shared/domain/ids.ts'
import type { Tenant } from '../../shared/domain/tenant.ts'
import { createBatch } from '../../shared/runtime/batch.ts'
import type { Request } from '../route.ts'

/** What a request says of the charge it is about. */
export type ChargeRequest = Pick<Request<unknown, unknown>, 'key' | 'params'>

/** Answers the charge that a request's path names, as it is now; throws `charge_not_found`. */
export type GetCharge = (request: ChargeRequest) => Promise<CurrentCharge>

type Deps = { readonly sql: Sql; readonly config: { readonly staleAfter: StaleAfter } }

/** Makes the read of one charge, in which simultaneous requests share a statement. */
export function createGetCharge({ sql, config }: Deps): GetCharge {
  const find = createBatch({
    run: (wanted: readonly { tenant: Tenant; id: string }[]) =>
      findChargesOf(sql, { wanted, staleAfter: config.staleAfter }),
    maxItems: 100,
    maxRuns: 1,
  })
  return async ({ key, params }) => {
    const id = params['id'] ?? ''
    const current = isId('ch', id) ? await find({ tenant: key, id }) : null
    if (current === null) throw refuseCharge(id)
    return current
  }
}

/** Says that a charge is not there, or not for this key to see: one answer for both. */
export function refuseCharge(id: string): AppError {
  return new AppError('charge_not_found', `there is no charge ${id.slice(0, 60)} for this API key`)
}
