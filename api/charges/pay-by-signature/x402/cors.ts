/**
 * CORS headers that let pages of any origin use the x402 endpoint. The id in the URL is the only credential; cookies
 * are never sent. x402's own client sends `Access-Control-Expose-Headers` as a request header, so this header is
 * allowed.
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
