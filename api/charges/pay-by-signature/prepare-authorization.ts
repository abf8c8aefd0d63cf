import { randomBytes } from 'node:crypto'
import { type Address, checksum, type Hex } from '../../../shared/domain/address.ts'
import type { ChargeRecord } from '../../../shared/domain/charge.ts'
import { authorizationTypedData } from '../../../shared/domain/eip3009/authorization.ts'
import { type PayablePair, requirePayablePairs } from '../../../shared/domain/eip3009/plan-authorization.ts'
import { type PlanDeps, planPayment } from './plan-payment.ts'

export type PrepareContext = {
  readonly charge: Pick<ChargeRecord, 'id' | 'address'>
  readonly payer: Address
  readonly now: Date
}

/**
 * Returns authorizations of the current amount due, one for each pair that can be paid by signature now. The payer must
 * sign only one of them, because each has its own nonce. They are not stored.
 *
 * @throws {AppError} `payment_in_progress`, `charge_not_payable`, `payment_temporarily_unavailable`,
 * `signature_payment_unavailable`
 */
export async function prepareAuthorization(deps: PlanDeps, preparing: PrepareContext) {
  const { charge, now } = preparing
  const plan = await planPayment(deps, { chargeId: charge.id, now })
  const pairs = requirePayablePairs(charge.id, plan)
  return { authorizations: pairs.map((pair) => presentPair(pair, preparing)) }
}

function presentPair(pair: PayablePair, { charge, payer, now }: PrepareContext) {
  const { token, network, chainId, tokenAddress, domain, valueAtomic, offeredSeconds } = pair
  const validBefore = BigInt(Math.floor(now.getTime() / 1000) + offeredSeconds)
  const nonce: Hex = `0x${randomBytes(32).toString('hex')}`
  const times = { validAfter: 0n, validBefore }
  const authorization = { from: payer, to: charge.address, value: valueAtomic, ...times, nonce }
  return {
    ...{ token, network, tokenAddress: checksum(tokenAddress) },
    typedData: authorizationTypedData({ chainId, token: tokenAddress, domain, authorization }),
  }
}
