/**
 * CORS headers that let a page of any origin use x402, and no other endpoint. The id in the URL is the only credential,
 * and cookies are never sent. x402's own client sends `Access-Control-Expose-Headers` as a request header, so this
 * header is allowed.
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
