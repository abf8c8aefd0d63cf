import type { StaleAfter } from '../../../shared/db/chain-facts/stale.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { findSignatureFacts } from '../../../shared/db/pay-by-signature/authorization-facts.ts'
import { planAuthorization, type SignaturePlan } from '../../../shared/domain/eip3009/plan-authorization.ts'
import { invariant } from '../../../shared/domain/errors.ts'

/** Dependencies for reading where a charge can be paid by signature. */
export type PlanDeps = { readonly sql: Sql; readonly config: { readonly staleAfter: StaleAfter } }

/**
 * Returns the authorizations that a payer can currently sign for a charge. The caller must check access to the charge.
 */
export async function planPayment(
  { sql, config }: PlanDeps,
  { chargeId, now }: { readonly chargeId: string; readonly now: Date },
): Promise<SignaturePlan> {
  const facts = await findSignatureFacts(sql, { chargeId, staleAfter: config.staleAfter })
  invariant(facts !== null, `charge ${chargeId} was found before`)
  return planAuthorization(facts, now)
}
