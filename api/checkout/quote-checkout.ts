import type { Context } from 'koa'
import { quoteCharge } from '../charges/quote/quote-charge.ts'
import { quoteRules } from '../charges/quote/rules.ts'
import { QuoteBody } from '../charges/quote/schema.ts'
import { readJsonBody } from '../http/middleware/json-body.ts'
import { compileBody } from '../http/middleware/validate.ts'
import type { ReadAt, ResourceDeps } from './resource.ts'

/** Maximum size of the body: two names and an address. */
const MAX_BODY_BYTES = 1024

const validate = compileBody(QuoteBody, quoteRules)

/**
 * Quotes the amount due in another asset. Responds with the `Checkout` and the `quote`. These quotes do not count
 * against the limits of API keys.
 *
 * @throws {AppError} as in `quoteCharge`; `validation_error`, `payload_too_large`, `unsupported_media_type`
 */
export async function quoteCheckout(ctx: Context, { now }: ReadAt, deps: ResourceDeps): Promise<void> {
  const body = validate(await readJsonBody(ctx, MAX_BODY_BYTES))
  const read = async () => (await deps.reread()).current
  const quote = await quoteCharge(deps, ctx, { read, body, now, from: 'page' })
  const { checkout } = await deps.reread()
  ctx.body = { ...checkout, quote }
}
