import { keyedRoute, type Route } from '../../http/route.ts'
import { PairQuery, strictObject } from '../../http/schema.ts'
import type { GetCharge } from '../get-charge.ts'
import { renderPaymentQrCode } from './render-payment.ts'

type Deps = { readonly getCharge: GetCharge }

/** Both parameters are optional, but must select one pair if the charge accepts several. */
const QrcodeQuery = strictObject(PairQuery)

/** Returns the endpoint that renders the QR code of a charge. */
export function qrcodeRoutes({ getCharge }: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/charges/:id/qrcode',
      operationId: 'drawQrcode',
      summary: 'Render a QR code with which a wallet pays the amount due of a charge',
      description:
        'Contains a payment URI (EIP-681, or `tron:`) with the token, the address and the amount that the page of the charge requests: the part that was neither received nor seen. `409 charge_not_payable`: no amount may be requested now, for example while a payment by signature is in flight. If the charge accepts several pairs, name one.',
      scope: 'charges:read',
      query: QrcodeQuery,
      success: { status: 200, body: 'svg' },
      errors: [
        'charge_not_found',
        'charge_not_payable',
        'payment_pair_required',
        'payment_pair_not_accepted',
        'payment_temporarily_unavailable',
      ],
      handle: async (request, ctx) => {
        const svg = renderPaymentQrCode(await getCharge(request), request.query)
        ctx.type = 'image/svg+xml'
        // The amount due changes with every payment, so an old code might request too much.
        ctx.set('Cache-Control', 'no-store')
        ctx.body = svg
      },
    }),
  ]
}
