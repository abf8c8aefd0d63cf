import { findSignatureFacts } from '../../shared/db/authorizations/authorization-facts.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { invariant } from '../../shared/domain/errors.ts'
import { planAuthorization, type SignaturePlan } from '../../shared/domain/plan-authorization.ts'

/** Answers what a payer may be asked to sign for a charge now, for whoever asks. Whose charge it is, is his to know. */
export async function planPayment(
  { sql }: { readonly sql: Sql },
  { chargeId, now }: { readonly chargeId: string; readonly now: Date },
): Promise<SignaturePlan> {
  const facts = await findSignatureFacts(sql, { chargeId })
  invariant(facts !== null, `charge ${chargeId} was there a moment ago`)
  return planAuthorization(facts, now)
}
