import type { LogPlace } from '../../shared/db/chain-facts/reconciliations.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { AttoDollars } from '../../shared/domain/money.ts'

/** A transfer that pays no charge, and yet changes what an address of one holds. */
export type Stray = LogPlace & {
  readonly account: Address
  readonly tokenAddress: Address
  readonly amountAtto: AttoDollars
}
