import type { Address } from '../../../domain/address.ts'
import type { AttoDollars } from '../../../domain/money.ts'
import type { Network, Token } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** A credit that no chain knows of; its identity is the request it came from (design, section 4). */
export type SandboxCredit = {
  readonly requestId: string
  readonly chargeId: string
  readonly network: Network
  readonly token: Token
  /** Whom a refund would go to. */
  readonly sender: Address | null
  readonly amountAtto: AttoDollars
  readonly onTime: boolean
  readonly causedTransition: boolean
}

/**
 * Inserts a credit that was decided on, in its turn's transaction. Its atomic units are of 18 decimals, since there is
 * no token behind it.
 *
 * @throws {Error} a unique violation if the request has made one already
 */
export async function insertSandboxCredit(db: Db, credit: SandboxCredit, now: Date): Promise<void> {
  const amount = db.types.numeric(credit.amountAtto)
  await db`
    insert into transfers (charge_id, network, token, sender, source, request_id, value_atomic, amount_atto, accepted, presence,
      detected_at, credited_at, on_time, caused_transition)
    values (${credit.chargeId}, ${credit.network}, ${credit.token}, ${credit.sender}, 'sandbox', ${credit.requestId}, ${amount}, ${amount},
      true, 'present', ${now}, ${now}, ${credit.onTime}, ${credit.causedTransition})`
}
