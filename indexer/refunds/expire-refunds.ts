import { listDueRefunds } from '../../shared/db/refunds/daemon/watched-refunds.ts'
import { type RefundRecorder, recordDeadline } from './record-transfer.ts'

const EXPIRED_PER_TURN = 100

/** Expires the refunds whose deadline has passed. If one fails, logs the error and continues with the others. */
export async function expireRefunds(deps: RefundRecorder): Promise<'idle'> {
  for (const refund of await listDueRefunds(deps.sql, EXPIRED_PER_TURN))
    await recordDeadline(deps, refund).catch((error: unknown) => {
      deps.log.error({ msg: 'Could not expire a refund', refund_id: refund.id, error })
    })
  return 'idle'
}
