/**
 * What a page of any origin may ask and read here, as it may nowhere else: the id in the address is all that is needed, and
 * no cookie is ever sent. `Access-Control-Expose-Headers` is what x402's own client sends, as a header of its request.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export const X402_CORS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET',
  'Access-Control-Allow-Headers': 'payment-signature, x-payment, access-control-expose-headers, content-type',
  'Access-Control-Expose-Headers': 'PAYMENT-REQUIRED, PAYMENT-SIGNATURE, PAYMENT-RESPONSE, Retry-After',
  'Access-Control-Max-Age': '600',
}
