import { parseTargetAmount } from '../../shared/domain/money.ts'
import { SANDBOX_PAYMENTS } from '../../shared/domain/sandbox-trigger.ts'
import type { FieldRules } from '../middleware/validate.ts'
import type { SandboxTriggerBody } from './schema.ts'

/** What the schema of a trigger cannot say of its fields. */
export const sandboxTriggerRules: FieldRules<typeof SandboxTriggerBody> = {
  amount: (body, { sourceOf }) => {
    const { event, amount } = body
    if (amount === undefined) return null
    if (!SANDBOX_PAYMENTS.includes(event))
      return { param: 'amount', reason: `is not for ${event}, which no payment causes` }
    parseTargetAmount(sourceOf(body, 'amount') ?? '')
    return null
  },

  from: ({ event, from }) =>
    from === undefined || SANDBOX_PAYMENTS.includes(event)
      ? null
      : { param: 'from', reason: `is not for ${event}, which no payment causes` },

  network: ({ event, token, network }) => {
    const param = token === undefined ? 'token' : 'network'
    if ((token === undefined) !== (network === undefined))
      return { param, reason: 'is required with the other of the pair' }
    return token === undefined || SANDBOX_PAYMENTS.includes(event)
      ? null
      : { param, reason: `is not for ${event}, which no payment causes` }
  },
}
