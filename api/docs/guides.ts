/** One chapter that no endpoint says by itself: sentences, and examples of a shell. */
export type Guide = {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly examples?: readonly { readonly id: string; readonly code: string }[]
}

/** The first chapters; test/e2e/readme.test.ts runs every example of the first as it stands. */
export const GUIDES: readonly Guide[] = [
  {
    id: 'quick-start',
    title: 'Quick start',
    text: 'Put the address of the service into `API` and an API key into `KEY`. What you get back is an address that your payer sends to, from any wallet; the stream then tells everything until your wallet has the money.',
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
    text: 'Every request carries `Authorization: Bearer <API_KEY>`; only health and this document need none. A key that begins with `svc_live_` works live, one with `svc_test_` in the test environment: there is one address for both. With a test key the sandbox makes payments, expiry and settlement happen; where the testnets that a charge accepts are not configured, it is simulated altogether: no chain is ever looked at for it, and its escrow is released and refunded by real signatures all the same.\n\nWhat a key may do are its scopes; each endpoint names the one it needs. Where the money goes is bound to the key and is no field of any request, so a stolen key cannot redirect it. A key that could both register recipients and pay them is refused everywhere.',
  },
  {
    id: 'conventions',
    title: 'Money and formats',
    text: 'Amounts are dollars, never cents. A field that ends in `Exact` is a decimal string: calculate with that one, the plain numbers can lose digits. Durations are whole seconds, percentages plain numbers (`1.5` is 1.5 %), timestamps ISO 8601 in UTC.\n\nUnknown fields and unknown query parameters of a request are refused with `400 validation_error`, whose `param` names the field. In answers new fields, and new values of enumerations, may appear: tolerate them.',
  },
  {
    id: 'pagination',
    title: 'Pagination',
    text: 'Lists answer `{ data, nextCursor, hasMore }`, newest first, but the keeper feed what has been available longest. Pass `nextCursor` as `cursor` with the same filters for the next page; it is null on the last. `limit` is 1 to 100, and 20 by default; a page of large charges is cut short at a megabyte, so go by `hasMore`, not by its length. Webhooks, newest first, and the timeline of a charge, oldest first, are bare arrays without pages.',
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
    text: 'Give a new charge an `idempotencyKey` of your own, such as the number of the order, in the body or as the header `Idempotency-Key`. The same key with the same body answers the charge there is, as it is now, with the header `Idempotent-Replayed: true`; with another body it is `409 idempotency_key_reused`. So a request whose answer was lost can be repeated.',
  },
  {
    id: 'limits',
    title: 'Rate limits',
    text: 'By default 100 requests a minute for each key, or for each address without one. `RateLimit` says on every answer what is left, `RateLimit-Policy` what holds. Beyond it the answer is `429 rate_limited` with `Retry-After`. Endpoints that cost more have a limit of their own besides, for each organization; they say so.',
  },
  {
    id: 'streams',
    title: 'Streams',
    text: 'Streams are server-sent events; a comment every 15 seconds says that the connection lives. Where a stream can be resumed, send the `id` of the last event you read as `Last-Event-ID`. Ids are opaque; one that is too old to be read starts anew. Of a charge only its present state matters: just connect again. After its final frame the answer to that frame’s `id` is `204`, which ends an `EventSource`. At most 20 streams of a key at one time; who reads nothing for 30 seconds, or is too far behind, is cut off and can resume.',
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
    text: 'Believe a delivery only if it is signed with your secret, and is fresh. `X-Service-Signature` is `t=<unix seconds>,v1=<hex>`: the HMAC-SHA256 of `{t}.{body}`, with the body as the bytes that came, keyed with the whole text of the secret, `whsec_` included. Take it if any `v1` matches, compared in constant time, and `t` is at most five minutes from now. The Stripe libraries verify this header; those of Standard Webhooks and Svix verify the three `webhook-…` headers that come besides.\n\nAnswer any 2xx within 8 seconds. A delivery can come more than once: skip an `id` that you have handled. Failed attempts are repeated after 5 minutes, 30 minutes, 2 hours and 24 hours.',
    examples: [
      {
        id: 'verifying-shell',
        code: `printf '%s.%s' "$T" "$BODY" | openssl dgst -sha256 -hmac "$SECRET"   # must be the v1 of the header`,
      },
    ],
  },
  {
    id: 'trust',
    title: 'Trusting nobody',
    text: 'The `address` of a charge commits to who is paid and how much of it. `addressTerms` holds everything it was computed from: save the charge as JSON and run `npm run verify-address -- --charge FILE`, offline, before you pay or show it.',
  },
]
