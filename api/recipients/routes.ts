import type { Sql } from '../../shared/db/connect.ts'
import { findRecipient } from '../../shared/db/organizations/api/recipients.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { ReadIssuerRestriction } from '../http/issuer-restrictions.ts'
import { keyedRoute, type Route } from '../http/route.ts'
import { checkTransferability } from './check-transferability.ts'
import { elevateRecipient } from './elevate-recipient.ts'
import { listRecipients } from './list-recipients.ts'
import { presentRecipient } from './present.ts'
import { registerRecipient } from './register-recipient.ts'
import { createRecipientNotFound, getRecipientId } from './require-recipient.ts'
import { revokeRecipient } from './revoke-recipient.ts'
import { registerRecipientRules } from './rules.ts'
import {
  ElevateRecipientBody,
  ListRecipientsQuery,
  Recipient,
  RecipientPage,
  RecipientTransferability,
  RegisterRecipientBody,
} from './schema.ts'

type Deps = { readonly sql: Sql; readonly config: ApiConfig; readonly ask: ReadIssuerRestriction }

/** Returns the endpoints of recipients: the addresses that an organization may pay. */
export function recipientRoutes({ sql, config, ask }: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'POST',
      path: '/v1/recipients',
      operationId: 'registerRecipient',
      summary: 'Register a recipient, or restore the existing recipient of its address',
      description:
        'An address has one recipient. Registering the address again sets the label if one is given, restores the recipient if it was revoked, and always removes its payout eligibility.',
      scope: 'recipients:write',
      body: { schema: RegisterRecipientBody, rules: registerRecipientRules },
      success: { status: 201, body: Recipient },
      errors: [],
      handle: async (request) => presentRecipient(await registerRecipient(sql, request)),
    }),

    keyedRoute({
      method: 'GET',
      path: '/v1/recipients',
      operationId: 'listRecipients',
      summary: 'List recipients that are not revoked, newest first',
      scope: 'recipients:read',
      query: ListRecipientsQuery,
      success: { status: 200, body: RecipientPage },
      errors: [],
      handle: (request) => listRecipients({ sql, config }, request),
    }),

    keyedRoute({
      method: 'GET',
      path: '/v1/recipients/:id',
      operationId: 'getRecipient',
      summary: 'Read a recipient that is not revoked',
      scope: 'recipients:read',
      success: { status: 200, body: Recipient },
      errors: ['recipient_not_found'],
      handle: async ({ key, params }) => {
        const recipient = await findRecipient(sql, { tenant: key, id: getRecipientId(params) })
        if (recipient === null) throw createRecipientNotFound(params)
        return presentRecipient(recipient)
      },
    }),

    keyedRoute({
      method: 'PATCH',
      path: '/v1/recipients/:id',
      operationId: 'setRecipientPayout',
      summary: "Set or remove a recipient's eligibility as an API key's payout address",
      description:
        "A key has one payout address for EVM networks and may have another address for TRON. Each is a recipient whose address belongs to that kind of network. The service's own fee address cannot be made eligible.",
      scope: 'recipients:manage_payout',
      body: { schema: ElevateRecipientBody },
      success: { status: 200, body: Recipient },
      errors: ['recipient_not_found'],
      handle: async (request) =>
        presentRecipient(await elevateRecipient({ sql, treasury: config.treasury }, request)),
    }),

    keyedRoute({
      method: 'DELETE',
      path: '/v1/recipients/:id',
      operationId: 'revokeRecipient',
      summary: 'Revoke a recipient; if it has `payout`, this also stops the API keys that pay it',
      description:
        'Existing charges keep the recipient. Revoking a recipient with `payout` requires the scope `recipients:manage_payout`.',
      scope: ['recipients:write', 'recipients:manage_payout'],
      success: { status: 204, body: null },
      errors: ['recipient_not_found'],
      handle: (request, ctx) => revokeRecipient(sql, { ctx, request }),
    }),

    keyedRoute({
      method: 'GET',
      path: '/v1/recipients/:id/transferability',
      operationId: 'getRecipientTransferability',
      summary: 'Check whether the issuers of all available tokens allow a recipient to receive and send them',
      description:
        'Responds within a second. Results are cached for up to five minutes (30 seconds for `unknown`, which blocks nothing). A charge is rejected if `receive` is `restricted` for any of its payees. `send` does not affect charges.',
      scope: 'recipients:read',
      extraLimit: 'transferability',
      success: { status: 200, body: RecipientTransferability },
      errors: ['recipient_not_found'],
      handle: (request) => checkTransferability({ sql, config, ask }, request),
    }),
  ]
}
