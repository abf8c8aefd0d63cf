import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { SimulatedDatabase } from './engine/database.ts'
import type { History } from './history.ts'
import type { Operators } from './operators.ts'

/** What the laws look at. */
export type InvariantContext = {
  readonly database: SimulatedDatabase
  readonly history: History
  readonly charges: readonly ChargeRecord[]
  readonly operators: Pick<Operators, 'mayEndUnpaid'>
  /** What daemons have told operators of, as errors. */
  readonly alerts: readonly string[]
}
