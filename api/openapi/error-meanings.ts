import type { ErrorCode } from '../../shared/domain/errors.ts'

/** When each code is answered, and what to do; a code without a line here does not compile. */
export const ERROR_MEANING: Readonly<Record<ErrorCode, string>> = {
  validation_error: 'The request is not valid; `param` names the field.',
  escrow_invalid_signature: 'The signature is not of what was prepared; prepare and sign again.',
  authorization_invalid:
    'The authorization is not what the charge asks for, or not signed by its payer; `param` names the field. Nothing was sent.',
  invalid_amount: 'The amount goes in the wrong direction for this event.',
  invalid_webhook_url: 'The URL is none, or longer than 2048 characters.',
  insecure_webhook_url: 'The URL does not begin with https.',
  unresolvable_webhook_url: "The URL's host has no address.",
  unsafe_webhook_url: 'The URL leads to an address that is not public, or has credentials in it.',
  missing_api_key: 'The header `Authorization` is missing.',
  invalid_api_key: 'The API key is unknown or was revoked.',
  payout_address_revoked: 'A payout address of the key was revoked as a recipient.',
  payment_required:
    'Below `checkoutUrl` alone, to clients of x402: the header `PAYMENT-REQUIRED` says what is to be signed.',
  insufficient_scope: 'The key lacks the scope.',
  conflicting_api_key_scopes:
    'The key holds `charges:split_write` together with a scope that registers recipients.',
  forbidden: 'Not with this key: the sandbox is for test keys.',
  not_found: 'There is nothing at this path.',
  charge_not_found: 'There is no such charge for this key.',
  recipient_not_found: 'There is no such recipient for this key.',
  webhook_not_found: 'There is no such webhook for this key.',
  delivery_not_found: 'This webhook has no such delivery.',
  method_not_allowed: 'Not with this method; `Allow` lists those there are.',
  idempotency_key_reused: 'The same `idempotencyKey` came with another body.',
  charge_not_payable: 'The charge is final, or nothing remains to be paid.',
  escrow_already_released: 'The escrow was released before.',
  escrow_already_refunded: 'The escrow was refunded before.',
  request_in_progress: 'The same is under way for this charge; wait for it.',
  payment_in_progress:
    'A payment by signature is under way for this charge, or of this payer; read the charge, and have nothing signed before it is over.',
  authorization_used:
    'The nonce of the authorization was spent for something else, or canceled; nothing was sent.',
  payload_too_large: 'The body is above 64 KiB, or above 96 KiB for a new charge.',
  unsupported_media_type: 'The body is not `application/json` in UTF-8.',
  payout_address_missing:
    'The key has no payout address of the family of the accepted networks; use one that has.',
  token_not_supported:
    'A pair is not configured for the environment, or its network has no Safe contracts for the escrow; `param` names the first.',
  recipient_not_found_in_split: 'A `recipientId` is unknown, revoked or of the other environment.',
  split_recipients_exceed_available_percent: 'The percents add up to more than `100 - feePercent`.',
  split_recipient_is_treasury_address: "A recipient is the service's own fee address.",
  split_recipient_is_payout_address: "A recipient is the key's own payout address.",
  recipient_transfer_restricted:
    'An issuer does not let somebody receive on a pair; the message lists the pairs to drop.',
  payment_pair_required: 'The charge accepts several pairs; name one.',
  payment_pair_not_accepted: 'The charge does not accept this pair.',
  environment_mismatch: "The environment is not the key's.",
  swap_test_environment_unsupported: 'Test charges cannot be paid by swapping.',
  escrow_not_enabled:
    'The charge was created without `escrow`, so its money is paid out by itself. To release or refund, create the next charge with `escrow`.',
  escrow_empty: 'The escrow holds nothing.',
  escrow_multiple_payment_pairs:
    'The charge was paid in more than one pair; the releaser moves the funds on chain.',
  escrow_safe_mismatch: 'The custody contract cannot be rebuilt at this address; this does not pass.',
  insufficient_balance: 'The payer has less of the token than he signed for; nothing was sent.',
  webhook_limit_reached: 'There are 20 webhooks; delete one first.',
  invalid_trigger_state: 'The charge cannot get there from its present state.',
  query_too_expensive: 'The query took longer than 5 seconds; ask for less.',
  rate_limited: 'Too many requests; wait for `Retry-After`.',
  internal_error: 'A fault of ours; tell us the `Request-Id`.',
  rpc_unavailable:
    'Too few nodes of a chain answer that must be asked, or they contradict each other; try again.',
  payment_temporarily_unavailable: 'Payments on a pair are paused, or its chain cannot be watched now.',
  signature_payment_unavailable:
    'Signatures are not taken for this charge or pair now: none is offered, it is too little, too many came to nothing, gas is too dear, or our account for it is empty. Nothing was sent; pay by a transfer.',
  swap_unavailable: 'Swapping is not configured here.',
  swap_quote_failed: 'The swap provider gave no quote; try again.',
  sse_capacity: 'Too many open streams; close some, or read instead.',
  service_unavailable: 'The service cannot do this now; try again after `Retry-After`.',
}
