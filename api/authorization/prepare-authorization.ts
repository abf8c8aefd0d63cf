import { randomBytes } from 'node:crypto'
import type { Sql } from '../../shared/db/connect.ts'
import { type Address, checksum, type Hex } from '../../shared/domain/address.ts'
import { authorizationTypedData } from '../../shared/domain/authorization.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { type AskedPair, requireAskedPairs } from '../../shared/domain/plan-authorization.ts'
import { planPayment } from './plan-payment.ts'

/** For whom it is prepared, and of which charge. */
export type Preparing = {
  readonly charge: Pick<ChargeRecord, 'id' | 'address'>
  readonly payer: Address
  readonly now: Date
}

/**
 * Answers what a payer signs for a charge, one entry for each pair that takes signatures now, each with a nonce of its own.
 *
 * He signs one of them. It is for what is asked at this moment; nothing is remembered of it.
 *
 * @throws {AppError} `payment_in_progress`, `charge_not_payable`, `payment_temporarily_unavailable`,
 * `signature_payment_unavailable`
 */
export async function prepareAuthorization(deps: { readonly sql: Sql }, preparing: Preparing) {
  const { charge, now } = preparing
  const plan = await planPayment(deps, { chargeId: charge.id, now })
  const pairs = requireAskedPairs(charge.id, plan)
  return { authorizations: pairs.map((pair) => presentPair(pair, preparing)) }
}

function presentPair(pair: AskedPair, { charge, payer, now }: Preparing) {
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
