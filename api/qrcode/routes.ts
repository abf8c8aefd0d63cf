import { Type } from '@sinclair/typebox'
import type { Sql } from '../../shared/db/connect.ts'
import type { GetCharge } from '../charges/get-charge.ts'
import { keyedRoute, type Route } from '../route.ts'
import { NetworkName, strictObject, TokenName } from '../schema.ts'
import { drawPayment } from './draw-payment.ts'

type Deps = { readonly sql: Sql; readonly getCharge: GetCharge }

/** Both are needed where the charge accepts more than one pair, as far as one does not say it alone. */
const QrcodeQuery = strictObject({
  token: Type.Optional(TokenName),
  network: Type.Optional(NetworkName),
})

/** The endpoint of payment instructions as a picture. */
export function qrcodeRoutes({ sql, getCharge }: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/charges/:id/qrcode',
      operationId: 'drawQrcode',
      summary: 'Draw the QR code by which a wallet pays what remains of a charge',
      description:
        'An EIP-681 URI with the token, the address and what remains. Name a pair where the charge accepts several.',
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
      handle: async (ctx, request) => {
        const svg = await drawPayment(sql, await getCharge(request), request.query)
        ctx.type = 'image/svg+xml'
        // What remains changes with every payment: an old code asks for too much.
        ctx.set('Cache-Control', 'no-store')
        ctx.body = svg
      },
    }),
  ]
}
