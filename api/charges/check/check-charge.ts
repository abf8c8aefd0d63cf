import type { Static } from '@sinclair/typebox'
import type { Context } from 'koa'
import type { Sql } from '../../../shared/db/connect.ts'
import type { CheckResult } from '../../../shared/db/requests/check-requests.ts'
import type { Address, ChainFamilyName } from '../../../shared/domain/address.ts'
import { presentAddress } from '../../../shared/domain/chain-families/chain-families.ts'
import { presentProgress } from '../../../shared/domain/present-progress.ts'
import type { Request } from '../../http/route.ts'
import type { GetCharge } from '../get-charge.ts'
import { type PresentDeps, presentCurrentCharge } from '../present.ts'
import { type ChargeRateLimit, rateLimitCharge } from '../rate-limit-charge.ts'
import { readHint, requestPaymentCheck } from './request-payment-check.ts'
import type { CheckBody } from './schema.ts'

type Deps = PresentDeps & { readonly sql: Sql; readonly getCharge: GetCharge }
type Check = Request<unknown, Static<typeof CheckBody>>

/** Limit per charge for all keys together. Checks on the charge's page have their own limit (decisions 7.2). */
const CHECKS: ChargeRateLimit = {
  ...{ bucket: 'check', quota: 1, windowSeconds: 10 },
  rule: 'checked once in 10 seconds',
}

/**
 * Has the daemon check the chains, and returns the charge as it is afterwards, with the findings of the check.
 *
 * Skips the check of a simulated charge, whose payments are on no chain, and, without a hint, of a charge that is no
 * longer open.
 *
 * @throws {AppError} `charge_not_found`, `payment_pair_not_accepted`, `rate_limited`, `request_in_progress`,
 * `rpc_unavailable`, `service_unavailable`
 */
export async function checkCharge(deps: Deps, ctx: Context, request: Check): Promise<string> {
  const { charge } = await deps.getCharge(request)
  const { body, key } = request
  const hint = readHint(charge, body)
  await request.takeExtra()
  await rateLimitCharge(deps.sql, ctx, { chargeId: charge.id, limit: CHECKS })
  const result = await requestPaymentCheck(deps.sql, ctx, { charge, hint, now: key.now })
  const current = await deps.getCharge(request)
  const found = JSON.stringify(presentFound(result, charge.family))
  return `${presentCurrentCharge(current, deps).slice(0, -1)},${found.slice(1)}`
}

/** Returns the JSON of the findings, with nulls and empty lists if no check was made. */
function presentFound(result: CheckResult | null, family: ChainFamilyName) {
  const present = (addresses: readonly Address[]) =>
    addresses.map((address) => presentAddress(address, family))
  const [transactionSender = null] = present(result?.transactionSender ? [result.transactionSender] : [])
  const progress = result?.progress ?? null
  return {
    transactionSender,
    tokenSenders: present(result?.tokenSenders ?? []),
    userOperationSenders: present(result?.userOperationSenders ?? []),
    confirmationProgress: progress === null ? null : presentProgress(progress),
  }
}
