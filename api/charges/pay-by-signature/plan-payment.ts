import type { StaleAfter } from '../../../shared/db/chain-facts/stale.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { findSignatureFacts } from '../../../shared/db/pay-by-signature/authorization-facts.ts'
import { planAuthorization, type SignaturePlan } from '../../../shared/domain/eip3009/plan-authorization.ts'
import { invariant } from '../../../shared/domain/errors.ts'

export type PlanDeps = { readonly sql: Sql; readonly config: { readonly staleAfter: StaleAfter } }

/**
 * Returns the pairs on which a charge can currently be paid by signature, or the reason why it cannot. The caller must
 * check access to the charge.
 */
export async function planPayment(
  { sql, config }: PlanDeps,
  { chargeId, now }: { readonly chargeId: string; readonly now: Date },
): Promise<SignaturePlan> {
  const facts = await findSignatureFacts(sql, { chargeId, staleAfter: config.staleAfter })
  invariant(facts !== null, `charge ${chargeId} was found before, but has no signature facts`)
  return planAuthorization(facts, now)
}
