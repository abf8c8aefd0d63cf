import type { StaleAfter } from '../../shared/db/chain-facts/stale.ts'
import { type CurrentCharge, findTenantCharges } from '../../shared/db/charges/api/charges-read.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { isId } from '../../shared/domain/ids.ts'
import type { Tenant } from '../../shared/domain/tenant.ts'
import { createBatch } from '../../shared/runtime/batch.ts'
import type { Request } from '../http/route.ts'

/** The part of a request that identifies its charge. */
export type ChargeRequest = Pick<Request<unknown, unknown>, 'key' | 'params'>

/** Returns the charge that a request's path names, in its current state; throws `charge_not_found`. */
export type GetCharge = (request: ChargeRequest) => Promise<CurrentCharge>

type Deps = { readonly sql: Sql; readonly config: { readonly staleAfter: StaleAfter } }

/** Creates the function that reads one charge. Simultaneous requests share a statement. */
export function createGetCharge({ sql, config }: Deps): GetCharge {
  const find = createBatch({
    run: (wanted: readonly { tenant: Tenant; id: string }[]) =>
      findTenantCharges(sql, { wanted, staleAfter: config.staleAfter }),
    maxItems: 100,
    maxRuns: 1,
  })
  return async ({ key, params }) => {
    const id = params['id'] ?? ''
    const current = isId('ch', id) ? await find({ tenant: key, id }) : null
    if (current === null) throw createChargeNotFound(id)
    return current
  }
}

/** Creates the error for a charge that does not exist or is not visible to the key. It does not reveal which. */
export function createChargeNotFound(id: string): AppError {
  return new AppError(
    'charge_not_found',
    `charge ${id.slice(0, 60)} does not exist or is not visible to this API key`,
  )
}
