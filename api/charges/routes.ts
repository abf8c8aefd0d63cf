import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import {
  type InsertChargeOutcome,
  insertCharges,
  isChargeRowError,
  type NewCharge,
} from '../../shared/db/charges/api/insert-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { listPaidPairs, type PaidPair } from '../../shared/db/refunds/paid-pairs.ts'
import { type ChargeRecord, isOpen } from '../../shared/domain/charge.ts'
import { isFinalCharge } from '../../shared/domain/is-final-charge.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { createBatch } from '../../shared/runtime/batch.ts'
import type { FindChain } from '../http/chain-clients.ts'
import type { ReadIssuerRestriction } from '../http/issuer-restrictions.ts'
import { requireScope } from '../http/middleware/authenticate.ts'
import { keyedRoute, type Route } from '../http/route.ts'
import type { StreamHub } from '../streams/hub.ts'
import { createCharge } from './create-charge.ts'
import type { GetCharge } from './get-charge.ts'
import { withIdempotencyHeader } from './idempotency-header.ts'
import { listCharges } from './list-charges.ts'
import { type PresentDeps, presentCurrentCharge, presentStreamedCharge } from './present.ts'
import { CreateChargeBody, ListChargesQuery } from './request-schema.ts'
import { createChargeRules } from './rules.ts'
import { Charge, ChargePage, ConfirmationProgress } from './schema.ts'

type Deps = PresentDeps & {
  readonly sql: Sql
  readonly config: ApiConfig
  readonly hub: StreamHub
  readonly chainOf: FindChain
  readonly getCharge: GetCharge
  readonly ask: ReadIssuerRestriction
}

/**
 * Maximum size of a new charge's body: metadata, the checkout's products and all other fields at their maximum sizes.
 */
const MAX_CHARGE_BYTES = 96 * 1024

/** Returns the endpoints of charges. */
export function chargeRoutes(deps: Deps): readonly Route[] {
  const { getCharge } = deps
  const insert = createInsert(deps)
  return [
    keyedRoute({
      method: 'POST',
      path: '/v1/charges',
      operationId: 'createCharge',
      summary: 'Create a charge',
      description:
        'Returns the address to pay. Sends no transaction. A repeated `idempotencyKey` returns 201 with the current charge. `splitRecipients` also require the scope `charges:split_write`.',
      scope: 'charges:write',
      body: { schema: CreateChargeBody, rules: createChargeRules, maxBytes: MAX_CHARGE_BYTES },
      headers: {
        'Idempotency-Key':
          'Alternative to `idempotencyKey` in the body: 1 to 255 visible ASCII characters. If both are given and differ, the response is `400 validation_error`.',
      },
      success: {
        status: 201,
        body: Charge,
        headers: { 'Idempotent-Replayed': '`true` if the charge already existed.' },
      },
      errors: [
        'idempotency_key_reused',
        'payout_address_missing',
        'token_not_supported',
        'recipient_not_found_in_split',
        'split_recipients_exceed_available_percent',
        'split_recipient_is_treasury_address',
        'split_recipient_is_payout_address',
        'recipient_transfer_restricted',
        'rpc_unavailable',
        'payment_temporarily_unavailable',
      ],
      handle: async (request, ctx) => {
        if (request.body.splitRecipients) requireScope(ctx, request.key, 'charges:split_write')
        const keyed = withIdempotencyHeader(request, ctx.req.headers['idempotency-key'])
        const { id, json, isReplay } = await createCharge({ ...deps, insert }, keyed)
        ctx.state['charge_id'] = id // For the request log.
        if (isReplay) ctx.set('Idempotent-Replayed', 'true')
        return json
      },
    }),

    keyedRoute({
      method: 'GET',
      path: '/v1/charges',
      operationId: 'listCharges',
      summary: 'List charges, newest first',
      scope: 'charges:read',
      query: ListChargesQuery,
      success: { status: 200, body: ChargePage },
      errors: ['environment_mismatch'],
      handle: (request) => listCharges(deps, request),
    }),

    keyedRoute({
      method: 'GET',
      path: '/v1/charges/:id',
      operationId: 'getCharge',
      summary: 'Read a charge',
      scope: 'charges:read',
      success: { status: 200, body: Charge },
      errors: ['charge_not_found'],
      handle: async (request) => {
        const current = await getCharge(request)
        return presentCurrentCharge(current, deps, await listRefundablePairs(deps.sql, current.charge))
      },
    }),

    keyedRoute({
      method: 'GET',
      path: '/v1/charges/:id/events',
      operationId: 'followCharge',
      summary: 'Follow a charge as server-sent events',
      description:
        'Sends the current charge first, then the charge after every change and every credit. As in webhooks, `paymentUnavailable`, `unavailablePayments`, `paymentOptions` and `payBySignature` are omitted, because they change without an event: read the charge before you request a payment. The stream ends when the charge is final; if it closes earlier, reconnect. The first event after a reconnect is the current state, so no resume is needed. A client that already has the final event receives 204.',
      scope: 'charges:read',
      success: {
        status: 200,
        body: 'event-stream',
        isResumable: false,
        whenOver:
          'No further events: `Last-Event-ID` is the id of the final event. The status keeps an `EventSource` from reconnecting.',
        events: [
          { name: 'charge', summary: 'The current charge.', data: Charge },
          {
            name: 'confirmation_progress',
            summary:
              'A transfer was detected and waits for confirmations. A later `charge` event contains its credit.',
            data: ConfirmationProgress,
          },
        ],
      },
      errors: ['charge_not_found', 'sse_capacity'],
      handle: async (request, ctx) => {
        const current = await getCharge(request)
        if (hasFinalEvent(current, { lastEventId: ctx.get('last-event-id'), deps })) ctx.status = 204
        else deps.hub.followCharge(current.charge.id, deps.hub.open(ctx, request.key.id))
      },
    }),
  ]
}

/** Returns whether the client already has the final event of the charge, and the charge has not changed since. */
function hasFinalEvent(
  current: CurrentCharge,
  { lastEventId, deps }: { readonly lastEventId: string; readonly deps: Deps },
): boolean {
  if (lastEventId === '' || !isFinalCharge(current.charge)) return false
  return deps.hub.ids.ofState(presentStreamedCharge(current.charge, deps)) === lastEventId
}

/** Creates the function that inserts one charge. Simultaneous requests share a transaction. */
function createInsert({ sql, config }: Deps): (created: NewCharge) => Promise<InsertChargeOutcome> {
  return createBatch({
    run: (created: readonly NewCharge[]) => insertCharges(sql, created, config.staleAfter),
    // One batch at a time, because two smaller parallel batches cost PostgreSQL 1.5 times as much per charge
    // (measured).
    maxItems: 50,
    maxRuns: 1,
    isOfOneItem: isChargeRowError,
  })
}

/** Lists the pairs on which a charge was paid; `undefined` while the charge is open. */
async function listRefundablePairs(sql: Sql, charge: ChargeRecord): Promise<readonly PaidPair[] | undefined> {
  return isOpen(charge) ? undefined : listPaidPairs(sql, { chargeId: charge.id })
}
