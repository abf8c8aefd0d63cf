import { parseTargetAmount } from '../../shared/domain/money.ts'
import { SANDBOX_PAYMENTS } from '../../shared/domain/sandbox-trigger.ts'
import type { FieldRules } from '../http/middleware/validate.ts'
import type { SandboxTriggerBody } from './schema.ts'

/** Rules of a trigger that its schema cannot express. */
export const sandboxTriggerRules: FieldRules<typeof SandboxTriggerBody> = {
  amount: (body, { sourceOf }) => {
    const { event, amount } = body
    if (amount === undefined) return null
    if (!isPayment(event))
      return { param: 'amount', reason: `is not allowed for ${event}, which is not a payment` }
    parseTargetAmount(sourceOf(body, 'amount') ?? '')
    return null
  },

  from: ({ event, from }) =>
    from === undefined || isPayment(event)
      ? null
      : { param: 'from', reason: `is not allowed for ${event}, which is not a payment` },

  network: ({ event, token, network }) => {
    const param = token === undefined ? 'token' : 'network'
    if ((token === undefined) !== (network === undefined))
      return { param, reason: 'is missing; give token and network together' }
    return token === undefined || isPayment(event)
      ? null
      : { param, reason: `is not allowed for ${event}, which is not a payment` }
  },
}

function isPayment(event: string): boolean {
  return SANDBOX_PAYMENTS.some((payment) => payment === event)
}
