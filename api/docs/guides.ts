/** A chapter about a topic of several endpoints: text and shell examples. */
export type Guide = {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly examples?: readonly { readonly id: string; readonly code: string }[]
}

/** The guides, in order. test/e2e/readme.test.ts runs every example of the first guide unchanged. */
export const GUIDES: readonly Guide[] = [
  {
    id: 'quick-start',
    title: 'Quick start',
    text: 'Set `API` to the address of the service and `KEY` to an API key. The response contains an address to which your payer sends the payment from any wallet. The stream of the charge, `/v1/charges/{id}/events`, then reports each change until the payout reaches your wallet.',
    examples: [
      {
        id: 'quick-start-create',
        code: `curl -sf "$API/v1/charges" \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"amount": 10, "expiresIn": 3600, "idempotencyKey": "order-1",
       "acceptedPayments": [{"token": "USDC", "network": "base"}]}'`,
      },
      {
        id: 'quick-start-list',
        code: `curl -sf "$API/v1/charges?status=pending&limit=10" -H "Authorization: Bearer $KEY"`,
      },
      { id: 'quick-start-networks', code: `curl -sf "$API/v1/networks" -H "Authorization: Bearer $KEY"` },
    ],
  },
  {
    id: 'authentication',
    title: 'Authentication',
    text: 'Every request must have the header `Authorization: Bearer <API_KEY>`, except for the health endpoint, this documentation and the pages for payers. A key that starts with `svc_live_` uses the live environment, a key with `svc_test_` the test environment. Both use the same URL. With a test key you can simulate payments, expiry and settlement in the sandbox. If none of the testnets that a charge accepts is configured, the whole charge is simulated: the service reads no chain for it, but its escrow must still be released or refunded by real signatures.\n\nThe scopes of a key determine what it may do. Each endpoint names its required scope. The payout addresses are bound to the key and cannot be set in any request, so a stolen key cannot redirect funds. A key that could both register recipients and pay them is rejected by every endpoint.',
  },
  {
    id: 'conventions',
    title: 'Money and formats',
    text: 'Amounts are in dollars, never in cents. Fields that end in `Exact` are decimal strings. Use them for calculations, because the plain numbers can lose digits. Durations are whole seconds, percentages are plain numbers (`1.5` is 1.5 %), timestamps are ISO 8601 in UTC.\n\nUnknown fields and query parameters are rejected with `400 validation_error`, and `param` names the field. Responses may contain new fields and new enumeration values in the future. Your client must tolerate them.',
  },
  {
    id: 'pagination',
    title: 'Pagination',
    text: 'Lists return `{ data, nextCursor, hasMore }`, newest first. The keeper feed starts with the distribution that has been available longest. For the next page pass `nextCursor` as `cursor`, with the same filters. `nextCursor` is null on the last page. `limit` is 1 to 100, by default 20. A page of large charges ends early at a megabyte, so use `hasMore` instead of the number of entries. Webhooks and the refunds of a charge, newest first, and the timeline of a charge, oldest first, are plain arrays without pages.',
    examples: [
      {
        id: 'pagination-next',
        code: `curl -sf "$API/v1/charges?limit=100&cursor=$NEXT_CURSOR" -H "Authorization: Bearer $KEY"`,
      },
    ],
  },
  {
    id: 'idempotency',
    title: 'Idempotency',
    text: 'Send your own `idempotencyKey` with a new charge, such as the order number, in the body or as the header `Idempotency-Key`. Repeating the key with the same body returns the existing charge in its current state, with the header `Idempotent-Replayed: true`. A different body or payout address returns `409 idempotency_key_reused`. So you can safely repeat a request whose response was lost.',
  },
  {
    id: 'limits',
    title: 'Rate limits',
    text: 'The default limit is 100 requests a minute per key, or per IP address for requests without a key. Every response shows the remaining quota in `RateLimit` and the limits in `RateLimit-Policy`. Requests above the limit return `429 rate_limited` with `Retry-After`. Expensive endpoints have an additional limit per organization, which their descriptions state.',
  },
  {
    id: 'streams',
    title: 'Streams',
    text: 'Streams use server-sent events. A comment every 15 seconds shows that the connection is alive. To resume a stream that supports it, send the `id` of the last event you received as `Last-Event-ID`. Ids are opaque. An id that is too old starts a new stream. For a charge only the current state matters, so you can simply reconnect. After the final event, a request with its `id` returns `204`, which stops an `EventSource`. By default a key may have at most 20 open streams, and a client that reads no data for 30 seconds, or falls too far behind, is disconnected and can resume.',
    examples: [
      {
        id: 'streams-charge',
        code: `curl -sfN "$API/v1/charges/$ID/events" -H "Authorization: Bearer $KEY"`,
      },
    ],
  },
  {
    id: 'verifying',
    title: 'Verifying webhooks',
    text: 'Accept a delivery only if it is signed with your secret and recent. `X-Service-Signature` is `t=<unix seconds>,v1=<hex>`: the HMAC-SHA256 of `{t}.{body}`, where the body is the received bytes and the key is the whole secret, including `whsec_`. The signature is valid if any `v1` matches and `t` is at most five minutes from now. Compare in constant time. The Stripe libraries can verify this header. Libraries for Standard Webhooks and Svix can verify the three additional `webhook-…` headers.\n\nRespond with any 2xx within 8 seconds. A delivery can arrive more than once, so skip each `id` that you have processed. By default, failed attempts are repeated 5 minutes, 30 minutes, 2 hours and 24 hours after the first attempt.',
    examples: [
      {
        id: 'verifying-shell',
        code: `printf '%s.%s' "$T" "$BODY" | openssl dgst -sha256 -hmac "$SECRET"   # must be the v1 of the header`,
      },
    ],
  },
  {
    id: 'trust',
    title: 'Verifying an address',
    text: 'The `address` of a charge commits to the payees and their shares; the address of an escrow, to its releaser. `addressTerms` contains all values that the address was computed from. Before you pay or show an address, save the charge as JSON and run `npm run verify-address -- --charge FILE` offline.',
  },
]
