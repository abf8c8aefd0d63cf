import type { ErrorCode } from '../../../shared/domain/errors.ts'

/** When each code is returned, and what to do. */
export const ERROR_MEANING: Readonly<Record<ErrorCode, string>> = {
  validation_error: 'The request is invalid. `param` names the field.',
  escrow_invalid_signature: 'The signature does not match the prepared transaction. Prepare and sign again.',
  authorization_invalid:
    'The authorization does not match the charge, or its payer did not sign it. `param` names the field. Nothing was sent.',
  invalid_amount:
    'The amount is too high or too low for the simulated event, or too low for a refund. A refund below the minimum payout of its network must be for the whole remaining amount.',
  invalid_webhook_url: 'The URL is malformed, has no host, or is longer than 2048 characters.',
  insecure_webhook_url: 'The URL does not start with https.',
  unresolvable_webhook_url: "The URL's host name does not resolve to an address.",
  unsafe_webhook_url: 'The URL contains credentials, or its host resolves to an address that is not public.',
  missing_api_key: 'The header `Authorization` is missing.',
  invalid_api_key: 'The API key is unknown or was revoked.',
  payout_address_revoked: 'A payout address of the key was revoked as a recipient.',
  payment_required:
    'Returned only for paths under `checkoutUrl`, and only to x402 clients. The `PAYMENT-REQUIRED` header describes the payment to sign.',
  insufficient_scope: 'The key lacks the required scope.',
  conflicting_api_key_scopes:
    'The key holds `charges:split_write` together with a scope that registers recipients, or `refunds:write` together with `recipients:manage_payout`.',
  forbidden: 'The sandbox accepts only test keys.',
  not_found: 'No endpoint exists at this path.',
  charge_not_found: 'No charge with this id is visible to this key.',
  recipient_not_found: 'No recipient with this id is visible to this key.',
  webhook_not_found: 'No webhook with this id is visible to this key.',
  delivery_not_found: 'The webhook has no delivery with this id.',
  refund_not_found: 'No refund with this id is visible to this key.',
  method_not_allowed: 'The path does not support this method. `Allow` lists the supported methods.',
  idempotency_key_reused:
    'The `idempotencyKey` was already used with a different body or, for a charge, another payout address.',
  charge_not_payable: 'The charge is final, or no amount is due.',
  escrow_already_released: 'The escrow was already released.',
  escrow_already_refunded: 'The escrow was already refunded.',
  request_in_progress: 'The same request is already in progress for this charge. Wait until it completes.',
  payment_in_progress:
    'A payment by signature is in progress for this charge or by this payer. Read the charge, and do not request another signature before the payment has ended.',
  authorization_used:
    'The nonce of the authorization was canceled or used for another payment. Nothing was sent.',
  charge_still_open: 'The charge is still waiting for payment. Request the refund once the charge has ended.',
  refund_ambiguous:
    'Another open refund has the same wallet, destination, token and amount, so one transfer could pay either. Wait until it has ended, or change the amount by one unit.',
  refund_not_claimable:
    'The refund is not waiting for an address: the payer has already provided one, or the refund has ended.',
  refund_not_awaiting_approval:
    'The refund has no address from its payer that could be approved or rejected, or its deadline has passed.',
  refund_address_mismatch:
    'The address differs from the address that the payer gave. Read the refund again, and compare its `claim` with the payer’s own message.',
  refund_already_seen: 'The transfer of the refund is on its chain, so the refund cannot be canceled.',
  payload_too_large: 'The body exceeds 64 KiB, or 96 KiB for a new charge.',
  unsupported_media_type: 'The body is not `application/json` in UTF-8.',
  payout_address_missing:
    'The key has no payout address for the family of the accepted networks. Use a key that has such an address.',
  token_not_supported:
    'A pair is not configured for the environment, or its network lacks the Safe contracts that escrow requires. `param` names the first such pair.',
  recipient_not_found_in_split:
    'A `recipientId` is unknown, is revoked, or belongs to the other environment or to another chain family.',
  split_recipients_exceed_available_percent: 'The percentages add up to more than `100 - feePercent`.',
  split_recipient_is_treasury_address: "A recipient is the service's own fee address.",
  split_recipient_is_payout_address: "A recipient is the key's own payout address.",
  recipient_transfer_restricted:
    "A token's issuer restricts an address that would be paid. For a new charge, the message lists the pairs to remove.",
  payment_pair_required: 'The charge accepts, or was paid on, several pairs. Name one of them.',
  payment_pair_not_accepted: 'The charge does not accept this pair.',
  environment_mismatch: "The environment is not the key's.",
  swap_test_environment_unsupported: 'Test charges cannot be paid by a swap.',
  escrow_not_enabled:
    'The charge was created without `escrow`, so it is paid out automatically. To release or refund payments, create the next charge with `escrow`.',
  escrow_empty: 'The escrow holds no tokens.',
  escrow_multiple_payment_pairs:
    'The charge was paid in more than one pair. The releaser must move the funds on chain.',
  escrow_safe_mismatch:
    'The service cannot move the funds: the custody contract does not match the terms of the charge, or several orders reverted. Retrying does not help.',
  escrow_not_released: 'The escrow holds the payment. Its releaser refunds it: see `escrow`.',
  nothing_received: 'The charge received nothing on this pair, or everything was refunded.',
  refund_exceeds_received:
    'The refunds of a charge cannot exceed the amount that it received on the pair. The message contains both amounts.',
  refund_limit_reached:
    'The charge has 20 refunds that are open or confirmed, or 200 that have ended; or the payer has already given 20 addresses for the refund.',
  destination_not_allowed:
    'A refund to the destination would be lost or would return to this service or to you, as with a token contract, an address of a charge or the paying wallet. If the service refunds only to payers, the destination must have sent at least the amount.',
  insufficient_balance: "The payer's token balance is below the signed amount. Nothing was sent.",
  webhook_limit_reached: 'The limit of 20 webhooks is reached. Delete a webhook first.',
  invalid_trigger_state: 'The charge cannot reach the requested state from its current state.',
  query_too_expensive: 'The query took longer than 5 seconds. Request less data.',
  entry_not_in_range:
    'The entry named by `after` is not in the requested period. Continue an export with the query that it began with.',
  rate_limited: 'Too many requests. Retry after the time in `Retry-After`.',
  internal_error: 'Internal error. Report it with the `Request-Id`.',
  rpc_unavailable: 'Too few RPC nodes of a required chain respond, or their responses differ. Try again.',
  payment_temporarily_unavailable:
    'Payments on a pair are paused, or its chain cannot be monitored at the moment. Try again later.',
  signature_payment_unavailable:
    'The charge or pair cannot be paid by signature at the moment: no pair is available for it, the amount is too small, too many signatures failed, gas is too expensive, or our gas account is empty. Nothing was sent. Pay by transfer instead.',
  swap_unavailable: 'Swaps are not configured in this service.',
  swap_quote_failed: 'The swap provider returned no quote. Try again.',
  sse_capacity: 'Too many open streams. Close a stream, or read the charge instead.',
  service_unavailable:
    'The service cannot process the request at the moment. Retry after the time in `Retry-After`.',
}
