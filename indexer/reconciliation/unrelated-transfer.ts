import type { LogPosition } from '../../shared/db/chain-facts/reconciliations.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { AttoDollars } from '../../shared/domain/money.ts'

/** A transfer that is not a payment, but changes the balance of a charge's address. */
export type UnrelatedTransfer = LogPosition & {
  readonly account: Address
  readonly tokenAddress: Address
  readonly amountAtto: AttoDollars
}
