import { charge } from './cases/charge.ts'
import { check } from './cases/check.ts'
import { confirm } from './cases/confirm.ts'
import { escrow } from './cases/escrow.ts'
import { exact } from './cases/exact.ts'
import { held } from './cases/held.ts'
import { over } from './cases/over.ts'
import { partial } from './cases/partial.ts'
import { payout } from './cases/payout.ts'
import { qrCode } from './cases/qr-code.ts'
import { reorganization } from './cases/reorganization.ts'
import { userOperation } from './cases/user-operation.ts'
import type { NetworkCase } from './network-case.ts'
import type { Row } from './rows.ts'

/** All cases. Cases that need the chain for themselves run first. */
export const CASES: readonly NetworkCase[] = [
  reorganization,
  confirm,
  charge,
  exact,
  partial,
  over,
  payout,
  held,
  escrow,
  qrCode,
  check,
  userOperation,
]

/**
 * Lists the cases to run on a network: all cases in the live environment, and in the test environment only those that
 * the testnet's chain id and tokens could break. The sample omits slow cases.
 */
export function listCases({ environment, isHastened }: Row): readonly NetworkCase[] {
  return CASES.filter(
    ({ isShort, isSlow = false }) => (environment === 'live' || isShort) && !(isHastened && isSlow),
  )
}
