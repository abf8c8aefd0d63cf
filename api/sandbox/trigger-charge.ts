import type { Static } from '@sinclair/typebox'
import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { parseEvmAddress } from '../../shared/domain/address.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import { newId } from '../../shared/domain/ids.ts'
import { microToAtto, parseTargetAmount } from '../../shared/domain/money.ts'
import { type Pair, pairKey } from '../../shared/domain/networks.ts'
import {
  SANDBOX_REFUND_EVENTS,
  type SandboxEvent,
  type SandboxTrigger,
} from '../../shared/domain/sandbox-trigger.ts'
import { DAEMON_TIMEOUT, requestDaemon } from '../http/request-daemon.ts'
import type { Request } from '../http/route.ts'
import { requestRefund } from '../refunds/request-refund.ts'
import type { SandboxTriggerBody } from './schema.ts'

type TriggerRequest = Request<unknown, Static<typeof SandboxTriggerBody>>

/**
 * Has the daemon apply an event to a test charge. Waits up to 10 s for the daemon's response, or returns without one if
 * the daemon has started but not responded by then.
 *
 * @throws {AppError} `payment_pair_not_accepted`; `invalid_amount`, `invalid_trigger_state`; `request_in_progress`;
 * `service_unavailable` if the daemon did not start in time, in which case the event is canceled
 */
export async function triggerCharge(
  sql: Sql,
  { charge }: CurrentCharge,
  { key, requestId: apiRequestId, body, sourceOf }: TriggerRequest,
): Promise<void> {
  const { event } = body
  const refundEvent = SANDBOX_REFUND_EVENTS.find((one) => one === event)
  if (refundEvent !== undefined) {
    const payload = { action: 'simulate', event: refundEvent } as const
    await requestRefund(sql, { key, requestId: apiRequestId }, { chargeId: charge.id, payload })
    return
  }
  const source = sourceOf(body, 'amount')
  const trigger: SandboxTrigger = {
    event: event as SandboxEvent,
    amountAtto: source === null ? null : String(microToAtto(parseTargetAmount(source))),
    pair: getPair(charge.acceptedPayments, body),
    from: body.from === undefined ? null : parseEvmAddress(body.from),
  }
  const { organizationId, now } = key
  const id = newId('req', now.getTime())
  await requestDaemon(
    sql,
    { id, kind: 'sandbox_trigger', organizationId, chargeId: charge.id, apiRequestId, payload: trigger },
    DAEMON_TIMEOUT,
  )
}

function getPair(accepted: readonly Pair[], { token, network }: TriggerRequest['body']): Pair {
  const [first] = accepted
  invariant(first !== undefined, 'a charge accepts a pair')
  if (token === undefined || network === undefined) return first
  const found = accepted.find((pair) => pairKey(pair) === pairKey({ token, network }))
  if (found !== undefined) return found
  throw new AppError(
    'payment_pair_not_accepted',
    `the charge does not accept ${token} on ${network}; it accepts ${accepted.map(pairKey).join(', ')}`,
    { param: 'network' },
  )
}
