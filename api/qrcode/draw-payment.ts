import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { findPairContract } from '../../shared/db/organizations/pairs-read.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import { attoToAtomicCeil } from '../../shared/domain/money.ts'
import type { Network, Pair, Token } from '../../shared/domain/networks.ts'
import { paymentUri } from '../../shared/domain/payment-uri.ts'
import { testnetContract } from '../../shared/domain/testnet-contract.ts'
import { requireRemaining } from '../charges/require-remaining.ts'
import { drawQrCode } from './draw-qr-code.ts'

/** What of a pair the caller named. */
export type WantedPair = { readonly token?: Token | undefined; readonly network?: Network | undefined }

/**
 * Draws the QR code by which a wallet pays what remains of a charge on one pair: an SVG.
 *
 * @throws {AppError} `charge_not_payable`, `payment_pair_required`, `payment_pair_not_accepted`,
 * `payment_temporarily_unavailable`
 */
export async function drawPayment(sql: Sql, current: CurrentCharge, wanted: WantedPair): Promise<string> {
  const { charge, paymentUnavailable } = current
  const remaining = requireRemaining(charge)
  const pair = choosePair(charge, wanted)
  if (paymentUnavailable) {
    throw new AppError('payment_temporarily_unavailable', `${charge.id} cannot be paid at the moment`)
  }
  const { environment } = charge
  const contract = charge.isSimulated
    ? testnetContract(pair)
    : await findPairContract(sql, { ...pair, environment })
  invariant(contract !== null, `${charge.id} accepts a pair whose contract is not known`)
  const { family, address: recipient } = charge
  const amountAtomic = attoToAtomicCeil(remaining, contract.decimals)
  return drawQrCode(paymentUri({ ...contract, family, recipient, amountAtomic }))
}

/** The one accepted pair that fits what was named. */
function choosePair({ id, acceptedPayments }: ChargeRecord, { token, network }: WantedPair): Pair {
  const onNetwork = acceptedPayments.filter((pair) => network === undefined || pair.network === network)
  const fitting = onNetwork.filter((pair) => token === undefined || pair.token === token)
  const [pair] = fitting
  if (pair === undefined) {
    const named = [token ?? 'any token', network ?? 'any network'].join(' on ')
    const param = onNetwork.length === 0 ? 'network' : 'token'
    throw new AppError('payment_pair_not_accepted', `${id} does not accept ${named}`, { param })
  }
  if (fitting.length > 1) {
    const param = token === undefined ? 'token' : 'network'
    const message = `${id} accepts ${fitting.length} such pairs: name token and network`
    throw new AppError('payment_pair_required', message, { param })
  }
  return pair
}
