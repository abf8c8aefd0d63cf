import type { FieldRules } from '../middleware/validate.ts'
import type { CreateWebhookBody } from './schema.ts'

/** What the schema of a webhook cannot say: a webhook wants to hear something. */
export const webhookRules: FieldRules<typeof CreateWebhookBody> = {
  eventCategories: ({ events, eventCategories }) =>
    (events?.length ?? 0) + (eventCategories?.length ?? 0) > 0
      ? null
      : { param: 'events', reason: 'and eventCategories are both empty; at least one must name something' },
}
