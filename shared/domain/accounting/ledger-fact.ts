import type { Address, Hex } from '../address.ts'
import type { AttoDollars } from '../money.ts'
import type { EntryPlace } from './entry.ts'

/**
 * A row that counted: a credit, an event of the split, a transfer out of the Safe (`moved`), or a refund that the
 * merchant paid. It can also be the strike of such a row, which removes the row from the books.
 */
export type LedgerFact = EntryPlace & {
  readonly chargeId: string
  readonly event: 'credited' | 'distributed' | 'held' | 'released' | 'moved' | 'refunded'
  /** `null` in the sandbox. */
  readonly txHash: Hex | null
  /** Position among the logs of its transaction, event and token; `null` in the sandbox. */
  readonly ordinal: number | null
  /** The identity of a credit of the sandbox, or of a refund. */
  readonly requestId: string | null
  /** Number of times that the same log was struck before. */
  readonly strikes: number
  /** The sender, the distributor or the recipient. */
  readonly party: Address | null
  readonly amountAtto: AttoDollars
  readonly blockNumber: number | null
  /** Time of its block; in the sandbox, the time of the credit. */
  readonly minedAt: Date
  readonly countedAt: Date
  /** Time at which the row was struck, if the fact is a strike; otherwise `null`. */
  readonly struckAt: Date | null
}
