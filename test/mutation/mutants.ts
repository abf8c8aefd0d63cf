import { ACCOUNTING_RULES } from './guards/accounting.ts'
import { AGREEING_RULES } from './guards/agreeing.ts'
import { API_RULES } from './guards/api.ts'
import { CHECKOUT_RULES } from './guards/checkout.ts'
import { CHECKOUT_SIGNATURE_RULES } from './guards/checkout-signatures.ts'
import { CLAIMING_RULES } from './guards/claiming.ts'
import { CORROBORATING_RULES } from './guards/corroborating.ts'
import { CORROBORATING_ROWS_RULES } from './guards/corroborating-rows.ts'
import { DECIDING_RULES } from './guards/deciding.ts'
import { QUORUM_RULES } from './guards/deciding-by-quorum.ts'
import { EMBEDDING_RULES } from './guards/embedding.ts'
import { ESCROW_RULES } from './guards/escrow.ts'
import { EVIDENCE_RULES } from './guards/evidence.ts'
import { EXPIRY_VERIFICATION_RULES } from './guards/expiry-verification.ts'
import { EXPORTING_RULES } from './guards/exporting.ts'
import { INCLUSION_RULES } from './guards/inclusion.ts'
import { LEAVING_RULES } from './guards/leaving.ts'
import { NOTIFYING_RULES } from './guards/notifying.ts'
import { OLD_CHARGE_RULES } from './guards/old-charges.ts'
import { OWNERSHIP_RULES } from './guards/ownership.ts'
import { PACING_RULES } from './guards/pacing.ts'
import { PAY_BY_SIGNATURE_RULES } from './guards/pay-by-signature.ts'
import { PAYING_OUT_RULES } from './guards/paying-out.ts'
import { READING_RULES } from './guards/reading.ts'
import { REFUNDING_RULES } from './guards/refunding.ts'
import { SIGNING_RULES } from './guards/signing.ts'
import { SLEEPING_RULES } from './guards/sleeping.ts'
import { STRIKING_RULES } from './guards/striking.ts'
import { SWAPPING_RULES } from './guards/swapping.ts'
import { TRON_RULES } from './guards/tron.ts'
import { TRUST_RULES } from './guards/trust.ts'
import { VOTING_RULES } from './guards/voting.ts'
import { WATCHING_RULES } from './guards/watching.ts'
import type { Mutant } from './mutant.ts'

/** Rules that protect money or trust, each with the edit that removes it and the test that must then fail. */
export const MUTANTS: readonly Mutant[] = [
  ...SLEEPING_RULES,
  ...WATCHING_RULES,
  ...TRUST_RULES,
  ...AGREEING_RULES,
  ...QUORUM_RULES,
  ...EVIDENCE_RULES,
  ...EXPIRY_VERIFICATION_RULES,
  ...OLD_CHARGE_RULES,
  ...VOTING_RULES,
  ...OWNERSHIP_RULES,
  ...PACING_RULES,
  ...CORROBORATING_RULES,
  ...CORROBORATING_ROWS_RULES,
  ...DECIDING_RULES,
  ...ESCROW_RULES,
  ...PAYING_OUT_RULES,
  ...NOTIFYING_RULES,
  ...SWAPPING_RULES,
  ...API_RULES,
  ...TRON_RULES,
  ...CHECKOUT_RULES,
  ...EMBEDDING_RULES,
  ...SIGNING_RULES,
  ...CHECKOUT_SIGNATURE_RULES,
  ...PAY_BY_SIGNATURE_RULES,
  ...READING_RULES,
  ...INCLUSION_RULES,
  ...STRIKING_RULES,
  ...REFUNDING_RULES,
  ...CLAIMING_RULES,
  ...ACCOUNTING_RULES,
  ...EXPORTING_RULES,
  ...LEAVING_RULES,
]
