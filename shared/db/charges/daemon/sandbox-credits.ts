import type { Address } from '../../../domain/address.ts'
import { invariant } from '../../../domain/errors.ts'
import type { AttoDollars } from '../../../domain/money.ts'
import type { Network, Token } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** A credit without a chain, identified by the request that created it (design, section 4). */
export type SandboxCredit = {
  readonly requestId: string
  readonly chargeId: string
  readonly network: Network
  readonly token: Token
  /** The account to which a refund would go. */
  readonly sender: Address | null
  readonly amountAtto: AttoDollars
  readonly onTime: boolean
  readonly causedTransition: boolean
}

/**
 * Inserts a credit, in the transaction of the turn that decided it. `value_atomic` has 18 decimals, because the credit
 * has no token contract.
 *
 * @returns the id of the inserted row
 * @throws {Error} a unique violation if the request has already created a credit
 */
export async function insertSandboxCredit(db: Db, credit: SandboxCredit, now: Date): Promise<number> {
  const amount = db.types.numeric(credit.amountAtto)
  const [row] = await db<{ id: number }[]>`
    insert into transfers (charge_id, network, token, sender, source, request_id, value_atomic, amount_atto, accepted, inclusion,
      detected_at, credited_at, on_time, caused_transition)
    values (${credit.chargeId}, ${credit.network}, ${credit.token}, ${credit.sender}, 'sandbox', ${credit.requestId}, ${amount}, ${amount},
      true, 'included', ${now}, ${now}, ${credit.onTime}, ${credit.causedTransition})
    returning id`
  invariant(row, 'the insertion of a sandbox credit returned no row')
  return row.id
}
