import type { Static } from '@sinclair/typebox'
import { listPendingTransfers } from '../../shared/db/chain-facts/confirmation-progress.ts'
import { listPageTransfers } from '../../shared/db/chain-facts/page-transfers.ts'
import type { StaleAfter } from '../../shared/db/chain-facts/stale.ts'
import { type CurrentCharge, findCharges } from '../../shared/db/charges/api/charges-read.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { listBrands } from '../../shared/db/organizations/api/brands-read.ts'
import { inSnapshot } from '../../shared/db/transaction.ts'
import { isId } from '../../shared/domain/ids.ts'
import { createBatch } from '../../shared/runtime/batch.ts'
import { type PresentDeps, presentCurrentCharge } from '../charges/present.ts'
import type { Charge } from '../charges/schema.ts'
import { type Checkout, projectCheckout } from './project.ts'

export type ReadCheckoutDeps = PresentDeps & {
  readonly sql: Sql
  readonly config: PresentDeps['config'] & {
    readonly staleAfter: StaleAfter
    readonly checkoutHasImages: boolean
    readonly checkoutFrameOrigins: readonly string[]
  }
}

/** A charge and the fields that its payer sees. */
export type CheckoutReading = {
  readonly current: CurrentCharge
  readonly checkout: Checkout
  /**
   * Origins that may show the page in a frame: the origins of the charge's merchant, otherwise the configured origins.
   */
  readonly frameOrigins: readonly string[]
}

/** Reads the current charge with this id; returns `null` if there is none or the id is malformed. */
export type ReadCheckout = (id: string, now: Date) => Promise<CheckoutReading | null>

/** An id that no charge has. It replaces a malformed id, so that the look-up takes as long as for an unknown id. */
const UNKNOWN_ID = `ch_${'0'.repeat(36)}`

/** Creates the function that reads one charge by its id. Simultaneous calls share their statements. */
export function createReadCheckout(deps: ReadCheckoutDeps): ReadCheckout {
  const read = createBatch({
    run: async (requests: readonly { readonly id: string; readonly now: Date }[]) => {
      const facts = await readFacts(
        deps,
        requests.map(({ id }) => id),
      )
      return requests.map(({ id, now }) => buildReading(deps, facts, { id, now }))
    },
    maxItems: 100,
    maxRuns: 1,
  })
  return (id, now) => read({ id: isId('ch', id) ? id : UNKNOWN_ID, now })
}

/** Reads the charges with these ids, each with the fields that its payer sees. Unknown ids are omitted. */
export async function readCheckouts(
  deps: ReadCheckoutDeps,
  ids: readonly string[],
): Promise<readonly CheckoutReading[]> {
  const facts = await readFacts(deps, ids)
  const now = new Date()
  return ids.flatMap((id) => buildReading(deps, facts, { id, now }) ?? [])
}

type Facts = {
  readonly charges: ReadonlyMap<string, CurrentCharge>
  readonly awaited: Awaited<ReturnType<typeof listPendingTransfers>>
  readonly transfers: Awaited<ReturnType<typeof listPageTransfers>>
  readonly brands: Awaited<ReturnType<typeof listBrands>>
}

/**
 * Reads the facts in one snapshot. Otherwise a late transfer could be counted as seen without being listed as late, and
 * the page would show it as in time.
 */
function readFacts({ sql, config }: ReadCheckoutDeps, ids: readonly string[]): Promise<Facts> {
  return inSnapshot(sql, async (db) => {
    const awaited = await listPendingTransfers(db, ids)
    const transfers = await listPageTransfers(db, ids)
    const found = await findCharges(db, { ids, staleAfter: config.staleAfter })
    const organizations = [...new Set(found.map(({ charge }) => charge.organizationId))]
    const brands = organizations.length === 0 ? new Map() : await listBrands(db, organizations)
    const charges = new Map(found.map((current) => [current.charge.id, current]))
    return { charges, awaited, transfers, brands }
  })
}

function buildReading(
  deps: ReadCheckoutDeps,
  facts: Facts,
  { id, now }: { readonly id: string; readonly now: Date },
): CheckoutReading | null {
  const current = facts.charges.get(id)
  if (current === undefined) return null
  const awaited = facts.awaited.filter(({ chargeId }) => chargeId === id)
  const transfers = facts.transfers.filter(({ chargeId }) => chargeId === id)
  const presented = present(current, deps)
  const brand = facts.brands.get(current.charge.organizationId) ?? null
  const hasImages = deps.config.checkoutHasImages
  const checkout = projectCheckout({
    current,
    presented,
    awaited,
    transfers,
    brand,
    hasImages,
    now,
  })
  return { current, checkout, frameOrigins: brand?.frameOrigins ?? deps.config.checkoutFrameOrigins }
}

/** Uses the presenter of the charge endpoints, so that its rules apply here as well. */
function present(current: CurrentCharge, deps: PresentDeps): Static<typeof Charge> {
  return JSON.parse(presentCurrentCharge(current, deps)) as Static<typeof Charge>
}
