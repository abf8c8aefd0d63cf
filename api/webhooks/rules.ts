import type { FieldRules } from '../http/middleware/validate.ts'
import type { CreateWebhookBody } from './schema.ts'

/** Rules that the schema cannot express: `events` and `eventCategories` must not both be empty. */
export const webhookRules: FieldRules<typeof CreateWebhookBody> = {
  eventCategories: ({ events, eventCategories }) =>
    (events?.length ?? 0) + (eventCategories?.length ?? 0) > 0
      ? null
      : { param: 'events', reason: 'and eventCategories are both empty; at least one must have an entry' },
}
