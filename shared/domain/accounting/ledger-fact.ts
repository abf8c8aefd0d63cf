import type { Address, Hex } from '../address.ts'
import type { AttoDollars } from '../money.ts'
import type { EntryPlace } from './entry.ts'

/**
 * A counted row: a credit, an event of the split, a transfer out of the Safe (`moved`), or a refund that the merchant
 * paid. If `struckAt` is set, it is the strike that removes such a row from the books.
 */
export type LedgerFact = EntryPlace & {
  readonly chargeId: string
  readonly event: 'credited' | 'distributed' | 'held' | 'released' | 'moved' | 'refunded'
  /** `null` in the sandbox. */
  readonly txHash: Hex | null
  /** Position among the logs of the same transaction, event and token; `null` in the sandbox. */
  readonly ordinal: number | null
  /** Identity of a sandbox credit or of a refund; `null` for other rows. */
  readonly requestId: string | null
  /** Number of earlier strikes of the same log. */
  readonly strikes: number
  /** The sender, distributor or recipient, depending on `event`. */
  readonly party: Address | null
  readonly amountAtto: AttoDollars
  readonly blockNumber: number | null
  /** Time of the block that contains the log; in the sandbox, the time of counting. */
  readonly minedAt: Date
  readonly countedAt: Date
  /** Time of the strike; `null` if the fact is not a strike. */
  readonly struckAt: Date | null
}
