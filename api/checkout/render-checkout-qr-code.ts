import { AppError } from '../../shared/domain/errors.ts'
import type { Pair } from '../../shared/domain/networks.ts'
import { renderQrCode } from '../charges/qrcode/render-qr-code.ts'
import type { Checkout } from './project.ts'

/**
 * Renders the QR code for paying the amount due, as an SVG.
 *
 * @param query - `form` is `address` (the default, without pair or amount) or `link`; `token` and `network` name the
 * pair
 * @throws {AppError} `charge_not_payable`, `payment_temporarily_unavailable`, `payment_pair_required`,
 * `payment_pair_not_accepted`, `validation_error`
 */
export function renderCheckoutQrCode(
  { howToPay, paymentUnavailable, unavailablePayments }: Checkout,
  query: URLSearchParams,
): string {
  const form = query.get('form') ?? 'address'
  if (form !== 'address' && form !== 'link') {
    throw new AppError('validation_error', `form is ${form.slice(0, 20)}: must be address or link`, {
      param: 'form',
    })
  }
  if (paymentUnavailable)
    throw new AppError('payment_temporarily_unavailable', 'this charge cannot be paid at the moment')
  if (howToPay === null) throw new AppError('charge_not_payable', 'this charge requires no payment now')
  if (form === 'address') return renderQrCode(howToPay.address)
  const [token, network] = [query.get('token'), query.get('network')]
  const isNamed = (pair: Pair) =>
    (token === null || pair.token === token) && (network === null || pair.network === network)
  const [payment, ...others] = howToPay.payments.filter(isNamed)
  if (payment === undefined) {
    // The page would show a different pair, with a notice. A QR code has no room for a notice, so the payer would pay
    // on the wrong network.
    throw unavailablePayments.some(isNamed)
      ? new AppError('payment_temporarily_unavailable', 'that pair cannot be paid at the moment')
      : new AppError('payment_pair_not_accepted', 'this charge does not accept that pair')
  }
  if (others.length > 0) {
    const message = `this charge accepts ${others.length + 1} such pairs: name token and network`
    throw new AppError('payment_pair_required', message, { param: token === null ? 'token' : 'network' })
  }
  return renderQrCode(payment.uri)
}
