import type { Static } from '@sinclair/typebox'
import type { Sql } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { insertWebhook } from '../../shared/db/webhooks/webhooks.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { newId } from '../../shared/domain/ids.ts'
import { seal } from '../../shared/domain/sealed-box.ts'
import { createWebhookSecret, getHint, type WebhookSecret } from '../../shared/domain/webhook-secret.ts'
import {
  type AllowedTarget,
  parseIpLiteral,
  parseWebhookUrl,
  requireReachable,
} from '../../shared/domain/webhook-target.ts'
import type { Resolve } from '../../shared/runtime/resolver.ts'
import type { Request } from '../http/route.ts'
import type { CreateWebhookBody } from './schema.ts'

/** Dependencies of `requirePublicTarget`. */
export type TargetDeps = {
  readonly config: { readonly allowedTargets: readonly AllowedTarget[] }
  readonly resolve: Resolve
}

type Deps = TargetDeps & {
  readonly sql: Sql
  readonly config: { readonly webhookSealPublicKey: Buffer | null }
}

/** Maximum active webhooks of an organization (specification, "Limits"). */
const MAX_ACTIVE_WEBHOOKS = 20

/**
 * Registers a webhook in the key's environment. Returns the webhook with its secret, which cannot be read again.
 *
 * @throws {AppError} `invalid_webhook_url`, `insecure_webhook_url`, `unsafe_webhook_url`,
 *   `unresolvable_webhook_url`, `webhook_limit_reached`; `service_unavailable` if webhooks are not configured
 */
export async function createWebhook(
  deps: Deps,
  { key, body }: Pick<Request<unknown, Static<typeof CreateWebhookBody>>, 'key' | 'body'>,
) {
  await requirePublicTarget(deps, body.url)
  const secret = createWebhookSecret()
  const webhook = {
    id: newId('wh', key.now.getTime()),
    organizationId: key.organizationId,
    environment: key.environment,
    url: body.url,
    events: distinct(body.events),
    eventCategories: distinct(body.eventCategories),
    excludeEvents: distinct(body.excludeEvents),
    createdAt: key.now,
  }
  const sealed = { secretSealed: sealSecret(deps, secret), secretHint: getHint(secret) }
  const isInserted = await inTransaction(deps.sql, (db) =>
    insertWebhook(db, { ...webhook, ...sealed }, MAX_ACTIVE_WEBHOOKS),
  )
  if (isInserted) return { webhook, secret }
  throw new AppError(
    'webhook_limit_reached',
    `the organization has reached the maximum of ${MAX_ACTIVE_WEBHOOKS} active webhooks; delete one first`,
  )
}

/**
 * Encrypts a secret so that only the daemon can read it.
 *
 * @throws {AppError} `service_unavailable` if no public key is configured
 */
export function sealSecret({ config }: Pick<Deps, 'config'>, secret: WebhookSecret): Buffer {
  if (config.webhookSealPublicKey !== null) return seal(config.webhookSealPublicKey, secret)
  throw new AppError('service_unavailable', 'webhooks are not configured on this deployment', {
    retryable: false,
  })
}

/**
 * Throws if webhooks must not be sent to a URL. The daemon repeats the check before each attempt (decisions 6.8).
 *
 * @throws {AppError} `invalid_webhook_url`, `insecure_webhook_url`, `unsafe_webhook_url`, `unresolvable_webhook_url`
 */
export async function requirePublicTarget({ config, resolve }: TargetDeps, text: string): Promise<void> {
  const allowed = config.allowedTargets
  const url = parseWebhookUrl(text, allowed)
  const literal = parseIpLiteral(url.hostname)
  const addresses = literal === null ? await resolve(url.hostname) : [literal]
  requireReachable(url, { addresses, allowed })
}

/** Returns each name once; an empty list for `undefined`. */
export function distinct<Name>(names: readonly Name[] | undefined): readonly Name[] {
  return [...new Set(names)]
}
