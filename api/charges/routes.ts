import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import {
  type InsertChargeOutcome,
  insertCharges,
  isOfOneCharge,
  type NewCharge,
} from '../../shared/db/charges/api/insert-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { isFinalCharge } from '../../shared/domain/is-final-charge.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { createBatch } from '../../shared/runtime/batch.ts'
import type { ChainOf } from '../chain-clients.ts'
import type { AskIssuer } from '../issuers.ts'
import { requireScope } from '../middleware/authenticate.ts'
import { keyedRoute, type Route } from '../route.ts'
import type { StreamHub } from '../streams/hub.ts'
import { createCharge } from './create-charge.ts'
import type { GetCharge } from './get-charge.ts'
import { withIdempotencyHeader } from './idempotency-header.ts'
import { listCharges } from './list-charges.ts'
import { type PresentDeps, presentCurrentCharge } from './present.ts'
import { createChargeRules } from './rules.ts'
import { Charge, ChargePage, ConfirmationProgress, CreateChargeBody, ListChargesQuery } from './schema.ts'

type Deps = PresentDeps & {
  readonly sql: Sql
  readonly config: ApiConfig
  readonly hub: StreamHub
  readonly chainOf: ChainOf
  readonly getCharge: GetCharge
  readonly ask: AskIssuer
}

/** Metadata, what the checkout shows, and everything else at its own limit. */
const MAX_CHARGE_BYTES = 96 * 1024

/** The endpoints of charges. */
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
        'Answers an address to pay to; nothing happens on chain. A replay of an `idempotencyKey` answers 201 with the charge as it is now. `splitRecipients` need the scope `charges:split_write` besides.',
      scope: 'charges:write',
      body: { schema: CreateChargeBody, rules: createChargeRules, maxBytes: MAX_CHARGE_BYTES },
      headers: {
        'Idempotency-Key':
          'The same as `idempotencyKey` in the body, 1 to 255 visible ASCII characters. If both are given and differ, the answer is `400 validation_error`.',
      },
      success: {
        status: 201,
        body: Charge,
        headers: { 'Idempotent-Replayed': '`true` where the charge was there already.' },
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
      handle: async (ctx, request) => {
        if (request.body.splitRecipients) requireScope(ctx, request.key, 'charges:split_write')
        const keyed = withIdempotencyHeader(request, ctx.req.headers['idempotency-key'])
        const { id, json, isReplay } = await createCharge({ ...deps, insert }, keyed)
        ctx.state['charge_id'] = id // For the log.
        if (isReplay) ctx.set('Idempotent-Replayed', 'true')
        ctx.status = 201
        ctx.type = 'json'
        ctx.body = json
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
      handle: async (ctx, request) => {
        const json = await listCharges(deps, request)
        ctx.type = 'json'
        ctx.body = json
      },
    }),

    keyedRoute({
      method: 'GET',
      path: '/v1/charges/:id',
      operationId: 'getCharge',
      summary: 'Read a charge',
      scope: 'charges:read',
      success: { status: 200, body: Charge },
      errors: ['charge_not_found'],
      handle: async (ctx, request) => {
        const current = await getCharge(request)
        ctx.type = 'json'
        ctx.body = presentCurrentCharge(current, deps)
      },
    }),

    keyedRoute({
      method: 'GET',
      path: '/v1/charges/:id/events',
      operationId: 'followCharge',
      summary: 'Follow a charge as server-sent events',
      description:
        'First the charge as it is, then again at every change and every credit. It ends when nothing more is to be expected; before that, come again. What follows a lost connection is the present state, so nothing needs to be resumed; who has the last frame already is told so.',
      scope: 'charges:read',
      success: {
        status: 200,
        body: 'event-stream',
        isResumable: false,
        whenOver:
          'There is nothing more to tell: `Last-Event-ID` is the final frame’s. It keeps an `EventSource` from coming again.',
        events: [
          { name: 'charge', summary: 'The charge as it is now.', data: Charge },
          {
            name: 'confirmation_progress',
            summary: 'A transfer was seen and is not yet deep enough; the next `charge` tells of its credit.',
            data: ConfirmationProgress,
          },
        ],
      },
      errors: ['charge_not_found', 'sse_capacity'],
      handle: async (ctx, request) => {
        const current = await getCharge(request)
        if (isToldInFull(current, { lastEventId: ctx.get('last-event-id'), deps })) ctx.status = 204
        else deps.hub.followCharge(current.charge.id, deps.hub.open(ctx, request.key.id))
      },
    }),
  ]
}

/** Tells whether a client comes back with the final frame's id, and nothing has happened since. */
function isToldInFull(
  current: CurrentCharge,
  { lastEventId, deps }: { readonly lastEventId: string; readonly deps: Deps },
): boolean {
  if (lastEventId === '' || !isFinalCharge(current.charge)) return false
  return deps.hub.ids.ofState(presentCurrentCharge(current, deps)) === lastEventId
}

/** Makes the insert of one charge, in which simultaneous requests share a transaction. */
function createInsert({ sql, config }: Deps): (created: NewCharge) => Promise<InsertChargeOutcome> {
  return createBatch({
    run: (created: readonly NewCharge[]) => insertCharges(sql, created, config.staleAfter),
    // One at a time: two smaller batches side by side cost PostgreSQL half as much again for each charge (measured).
    maxItems: 50,
    maxRuns: 1,
    isOfOneItem: isOfOneCharge,
  })
}
