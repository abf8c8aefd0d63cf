import type { Mutant } from './mutant.ts'
import { AGREEING_RULES } from './rules/agreeing.ts'
import { API_RULES } from './rules/api.ts'
import { ASKING_PAYERS_RULES } from './rules/asking-payers.ts'
import { ASKING_TO_SIGN_RULES } from './rules/asking-to-sign.ts'
import { AUTHORIZING_RULES } from './rules/authorizing.ts'
import { BELIEVING_RULES } from './rules/believing.ts'
import { CORROBORATING_RULES } from './rules/corroborating.ts'
import { CORROBORATING_ROWS_RULES } from './rules/corroborating-rows.ts'
import { DECIDING_RULES } from './rules/deciding.ts'
import { QUORUM_RULES } from './rules/deciding-by-quorum.ts'
import { ESCROW_RULES } from './rules/escrow.ts'
import { EVIDENCE_RULES } from './rules/evidence.ts'
import { JUDGING_RULES } from './rules/judging.ts'
import { OLD_CHARGE_RULES } from './rules/old-charges.ts'
import { OWNING_RULES } from './rules/owning.ts'
import { PAYING_OUT_RULES } from './rules/paying-out.ts'
import { READING_RULES } from './rules/reading.ts'
import { SIGNING_RULES } from './rules/signing.ts'
import { STRIKING_RULES } from './rules/striking.ts'
import { SWAPPING_RULES } from './rules/swapping.ts'
import { TELLING_RULES } from './rules/telling.ts'
import { TRON_RULES } from './rules/tron.ts'
import { VOTING_RULES } from './rules/voting.ts'
import { WATCHING_RULES } from './rules/watching.ts'

/** Every rule that money or trust hangs on, each with the edit that takes it out and the test that must then fail. */
export const MUTANTS: readonly Mutant[] = [
  ...WATCHING_RULES,
  ...BELIEVING_RULES,
  ...AGREEING_RULES,
  ...QUORUM_RULES,
  ...EVIDENCE_RULES,
  ...OLD_CHARGE_RULES,
  ...VOTING_RULES,
  ...OWNING_RULES,
  ...CORROBORATING_RULES,
  ...CORROBORATING_ROWS_RULES,
  ...DECIDING_RULES,
  ...ESCROW_RULES,
  ...PAYING_OUT_RULES,
  ...TELLING_RULES,
  ...SWAPPING_RULES,
  ...API_RULES,
  ...TRON_RULES,
  ...ASKING_PAYERS_RULES,
  ...SIGNING_RULES,
  ...ASKING_TO_SIGN_RULES,
  ...AUTHORIZING_RULES,
  ...READING_RULES,
  ...JUDGING_RULES,
  ...STRIKING_RULES,
]
