import type { Static } from '@sinclair/typebox'
import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import type { CheckAnswer, CheckPayload, TransactionHint } from '../../shared/db/requests/check-requests.ts'
import { type Address, type AddressFamily, type Hex, presentAddress } from '../../shared/domain/address.ts'
import { type ChargeRecord, isOpen } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { newId } from '../../shared/domain/ids.ts'
import { presentProgress } from '../../shared/domain/present-progress.ts'
import { askDaemon, SOON } from '../ask-daemon.ts'
import type { GetCharge } from '../charges/get-charge.ts'
import { type ChargeLimit, limitCharge } from '../charges/limit-charge.ts'
import { type PresentDeps, presentCurrentCharge } from '../charges/present.ts'
import type { Request } from '../route.ts'
import type { CheckBody } from './schema.ts'

type Deps = PresentDeps & { readonly sql: Sql; readonly getCharge: GetCharge }
type Check = Request<unknown, Static<typeof CheckBody>>

/** Whoever asks (specification, "Limits"). */
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
  const hint = readHint(charge, request.body)
  await limitCharge(deps.sql, ctx, { chargeId: charge.id, limit: CHECKS })
  const answer =
    !charge.isSimulated && (isOpen(charge) || hint !== null)
      ? await ask(deps.sql, charge, { hint, now: request.key.now })
      : null
  const current = await deps.getCharge(request)
  const found = JSON.stringify(presentFound(answer, charge.family))
  return `${presentCurrentCharge(current, deps).slice(0, -1)},${found.slice(1)}`
}

function readHint(
  { id, acceptedPayments }: ChargeRecord,
  { txHash, network }: Static<typeof CheckBody>,
): TransactionHint | null {
  if (txHash === undefined || network === undefined) return null
  if (!acceptedPayments.some((pair) => pair.network === network)) {
    throw new AppError('payment_pair_not_accepted', `${id} accepts nothing on ${network}`, {
      param: 'network',
    })
  }
  const digits = txHash.replace(/^0x/, '').toLowerCase()
  return { network, txHash: `0x${digits}` as Hex }
}

function ask(
  sql: Sql,
  { id: chargeId, organizationId }: ChargeRecord,
  { hint, now }: { readonly hint: TransactionHint | null; readonly now: Date },
): Promise<CheckAnswer | null> {
  const payload: CheckPayload = { hint }
  const id = newId('req', now.getTime())
  return askDaemon<CheckAnswer>(sql, { id, kind: 'check', organizationId, chargeId, payload }, SOON)
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
