import type { ChargeFact } from '../../machines/charge.ts'
import type { RequestError } from '../../shared/db/requests/charge-requests.ts'
import { type AttoDollars, atto, formatAtto, microToAtto } from '../../shared/domain/money.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import type { SandboxTrigger } from '../../shared/domain/sandbox-trigger.ts'
import { type ChargeInbox, type ChargeOutcome, decideCharge } from './decide-charge.ts'

/**
 * The input of the charge's turn, including the simulated payment or fact, and the turn's decision; or the reason why
 * the trigger is rejected.
 */
export type TriggerDecision =
  | { readonly outcome: 'done'; readonly mail: ChargeInbox; readonly decision: ChargeOutcome }
  | RequestError

/**
 * Decides the effect of a trigger on a charge whose inbox has been processed.
 *
 * Pure. Accepts only charges of the test environment, and pairs that the charge accepts. A trigger is possible if the
 * simulated payment or fact makes the state machine append the requested event. The settlement of a charge that was
 * paid on a testnet cannot be simulated.
 *
 * The default amount is tried before a given amount. If the default amount does not cause the event, the error names
 * the charge's state; otherwise the given amount is at fault.
 */
export function decideTrigger(mail: ChargeInbox, trigger: SandboxTrigger, now: Date): TriggerDecision {
  const { charge, ledgers } = mail
  const { event, pair } = trigger
  if (charge.environment !== 'test') return refuseLive(charge.id)
  if (!charge.acceptedPayments.includes(pairKey(pair))) {
    return refuse('payment_pair_not_accepted', `${charge.id} does not accept ${pairKey(pair)}`)
  }
  const isSettlement = event === 'charge.settled' || event === 'charge.settlement_failed'
  if (isSettlement && ledgers.length > 0) {
    return refuseState(
      `${event} cannot be simulated: ${charge.id} was paid on a testnet, and only payouts there settle it`,
    )
  }
  const byDefault = attempt(mail, trigger, { amountAtto: defaultAmount(mail, trigger), now })
  if (!byDefault.decision.events.includes(event)) {
    return refuseState(`${event} is not possible: ${charge.id} is ${describe(mail)}`)
  }
  if (trigger.amountAtto === null) return { outcome: 'done', ...byDefault }

  const amountAtto = atto(BigInt(trigger.amountAtto))
  const asked = attempt(mail, trigger, { amountAtto, now })
  if (asked.decision.events.includes(event)) return { outcome: 'done', ...asked }
  const message = `amount ${formatAtto(amountAtto)} does not cause ${event}: ${charge.id} is ${describe(mail)}`
  return { outcome: 'refused', code: 'invalid_amount', message, param: 'amount' }
}

function attempt(
  mail: ChargeInbox,
  { event, pair }: SandboxTrigger,
  { amountAtto, now }: { readonly amountAtto: AttoDollars; readonly now: Date },
): { readonly mail: ChargeInbox; readonly decision: ChargeOutcome } {
  const fact = FACTS[event]
  const triggered: ChargeInbox =
    fact === undefined ? { ...mail, sandboxCredit: { ...pair, amountAtto } } : { ...mail, facts: [fact] }
  return { mail: triggered, decision: decideCharge(triggered, now) }
}

/** Facts for events that no payment causes. */
const FACTS: Partial<Record<SandboxTrigger['event'], ChargeFact>> = {
  'charge.expired': { type: 'deadline.passed' },
  'charge.underpaid': { type: 'deadline.passed' },
  'charge.settled': { type: 'payouts.completed' },
  'charge.settlement_failed': { type: 'payouts.failed' },
}

/** Always above zero. */
function defaultAmount({ charge }: ChargeInbox, { event }: SandboxTrigger): AttoDollars {
  const target = microToAtto(charge.amountMicro)
  const received = charge.receivedAtto ?? 0n
  const amount =
    event === 'charge.partially_paid'
      ? target / 2n
      : event === 'charge.overpaid'
        ? target + target / 2n - received
        : target - charge.onTimeAtto
  return atto(amount > 0n ? amount : 1n)
}

function describe({ charge }: ChargeInbox): string {
  const { status, settlementStatus, amountMicro, receivedAtto } = charge
  const received = `${formatAtto(receivedAtto ?? atto(0n))} of ${formatAtto(microToAtto(amountMicro))}`
  return `${status} with ${received}${settlementStatus === null ? '' : ` and settlement status ${settlementStatus}`}`
}

/** The API never creates a trigger for a live charge, so someone else must have written the request. */
function refuseLive(id: string): RequestError {
  return refuse('forbidden', `${id} is a live charge: the sandbox accepts only test charges`)
}

function refuseState(message: string): RequestError {
  return refuse('invalid_trigger_state', message)
}

function refuse(code: RequestError['code'], message: string): RequestError {
  return { outcome: 'refused', code, message }
}
