import type { Static } from '@sinclair/typebox'
import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import type { CheckAnswer } from '../../shared/db/requests/check-requests.ts'
import type { Address, AddressFamily } from '../../shared/domain/address.ts'
import { presentAddress } from '../../shared/domain/families/families.ts'
import { presentProgress } from '../../shared/domain/present-progress.ts'
import type { GetCharge } from '../charges/get-charge.ts'
import { type ChargeLimit, limitCharge } from '../charges/limit-charge.ts'
import { type PresentDeps, presentCurrentCharge } from '../charges/present.ts'
import type { Request } from '../route.ts'
import { lookForPayments, readHint } from './look-for-payments.ts'
import type { CheckBody } from './schema.ts'

type Deps = PresentDeps & { readonly sql: Sql; readonly getCharge: GetCharge }
type Check = Request<unknown, Static<typeof CheckBody>>

/** For all keys together; checks on the charge's page are counted apart (decisions 7.2). */
const CHECKS: ChargeLimit = {
  ...{ bucket: 'check', quota: 1, windowSeconds: 10 },
  rule: 'checked once in 10 seconds',
}

/**
 * Has the daemon look on the chains now, and answers the charge as it is then, with what was found besides.
 *
 * A final charge without a hint is answered as it stands: there is nothing to look for. So is a simulated one, always.
 *
 * @throws {AppError} `charge_not_found`, `payment_pair_not_accepted`, `rate_limited`, `request_in_progress`,
 * `rpc_unavailable`, `service_unavailable`
 */
export async function checkCharge(deps: Deps, ctx: Context, request: Check): Promise<string> {
  const { charge } = await deps.getCharge(request)
  const { body, key } = request
  const hint = readHint(charge, body)
  await request.takeExtra()
  await limitCharge(deps.sql, ctx, { chargeId: charge.id, limit: CHECKS })
  const answer = await lookForPayments(deps.sql, ctx, { charge, hint, now: key.now })
  const current = await deps.getCharge(request)
  const found = JSON.stringify(presentFound(answer, charge.family))
  return `${presentCurrentCharge(current, deps).slice(0, -1)},${found.slice(1)}`
}

/** Without an answer nothing is known but what the charge shows. */
function presentFound(answer: CheckAnswer | null, family: AddressFamily) {
  const present = (addresses: readonly Address[]) =>
    addresses.map((address) => presentAddress(address, family))
  const [transactionSender = null] = present(answer?.transactionSender ? [answer.transactionSender] : [])
  const progress = answer?.progress ?? null
  return {
    transactionSender,
    tokenSenders: present(answer?.tokenSenders ?? []),
    userOperationSenders: present(answer?.userOperationSenders ?? []),
    confirmationProgress: progress === null ? null : presentProgress(progress),
  }
}
