import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { ClientRecord } from './api/api-invariants.ts'
import type { SimulatedDatabase } from './engine/database.ts'
import type { History } from './history.ts'
import type { Operators } from './operators.ts'

/** The data that the invariants check. */
export type InvariantContext = {
  readonly database: SimulatedDatabase
  readonly history: History
  readonly charges: readonly ChargeRecord[]
  readonly api: ClientRecord
  readonly operators: Pick<Operators, 'mayEndUnpaid'>
  /** Ids of the charges that operators have imported, which have no event `charge.created`. */
  readonly imported: ReadonlySet<string>
  /** Returns the releasers' orders that were neither executed nor refused for good reason. */
  readonly listUnfinishedOrders: () => readonly string[]
  /** Returns the simulated time. */
  readonly nowMs: () => number
  /** Messages that daemons have logged as errors. */
  readonly alerts: readonly string[]
}
