import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { ClientRecord } from './api/api-invariants.ts'
import type { ClaimRecord } from './claim-record.ts'
import type { SimulatedDatabase } from './engine/database.ts'
import type { History } from './history.ts'
import type { Operators } from './operators.ts'

export type InvariantContext = {
  readonly database: SimulatedDatabase
  readonly history: History
  readonly charges: readonly ChargeRecord[]
  readonly api: ClientRecord
  readonly operators: Pick<Operators, 'mayEndUnpaid' | 'isMistrusted' | 'isRepaired'>
  readonly hasStrikes: boolean
  /** The record of refunds whose payers name the destination. */
  readonly claims: ClaimRecord
  /** Whether the plan lets payers name the destinations of refunds. */
  readonly hasClaims: boolean
  /** Ids of the charges that operators have imported, which have no event `charge.created`. */
  readonly imported: ReadonlySet<string>
  /** Describes the releasers' orders that have neither ended the escrow nor been refused justifiably. */
  readonly listUnfinishedOrders: () => readonly string[]
  /** The errors that the plan causes, although only a bug could cause them in other histories. */
  readonly expectedAlerts: RegExp
  readonly nowMs: () => number
  /** Messages that the service's processes have logged as errors, and the processes' uncaught errors. */
  readonly alerts: readonly string[]
}
