import { Type } from '@sinclair/typebox'
import { nullable, strictObject, stringEnum, Timestamp } from '../http/schema.ts'

/** The response of `GET /v1/health`, the same with status 200 and with 503. */
export const Health = strictObject(
  {
    status: stringEnum(['ok', 'error']),
    version: Type.String({ minLength: 1 }),
    timestamp: Timestamp,
    db: stringEnum(['ok', 'error']),
    pendingWebhooks: Type.Integer({ minimum: 0, description: 'Deliveries that have not succeeded yet.' }),
    oldestPendingChargeAgeSeconds: nullable(Type.Integer({ minimum: 0 })),
    lastContractWatcherEventAgeSeconds: nullable(Type.Integer({ minimum: 0 })),
  },
  { title: 'Health' },
)
