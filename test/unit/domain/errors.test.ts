import { expect } from 'chai'
import { AppError, HTTP_STATUS, invariant } from '../../../shared/domain/errors.ts'

describe('AppError', () => {
  it('has code, message, param, details and cause', () => {
    const cause = new Error('socket closed')
    const error = new AppError('rpc_unavailable', 'base did not respond', {
      param: 'acceptedPayments[0]',
      details: { chainId: 8453 },
      cause,
    })
    expect(error).to.be.instanceOf(Error)
    expect(error).to.include({ name: 'AppError', code: 'rpc_unavailable', message: 'base did not respond' })
    expect(error.param).to.equal('acceptedPayments[0]')
    expect(error.details).to.deep.equal({ chainId: 8453 })
    expect(error.cause).to.equal(cause)
  })

  it('is retryable for 429 and 503 unless an option overrides it', () => {
    expect(new AppError('rate_limited', 'over 100 a minute').retryable).to.equal(true)
    expect(new AppError('service_unavailable', 'no database').retryable).to.equal(true)
    expect(new AppError('validation_error', 'amount 0').retryable).to.equal(false)
    expect(new AppError('internal_error', 'bug').retryable).to.equal(false)
    expect(new AppError('swap_unavailable', 'no provider', { retryable: false }).retryable).to.equal(false)
  })
})

describe('HTTP_STATUS', () => {
  /** The specification's error table. */
  const specified = {
    validation_error: 400,
    escrow_invalid_signature: 400,
    missing_api_key: 401,
    invalid_api_key: 401,
    payout_address_revoked: 401,
    insufficient_scope: 403,
    conflicting_api_key_scopes: 403,
    recipient_not_found: 404,
    idempotency_key_reused: 409,
    charge_not_payable: 409,
    token_not_supported: 422,
    recipient_not_found_in_split: 422,
    split_recipients_exceed_available_percent: 422,
    split_recipient_is_treasury_address: 422,
    split_recipient_is_payout_address: 422,
    recipient_transfer_restricted: 422,
    payment_pair_not_accepted: 422,
    swap_test_environment_unsupported: 422,
    escrow_multiple_payment_pairs: 422,
    escrow_safe_mismatch: 422,
    rate_limited: 429,
    rpc_unavailable: 503,
    payment_temporarily_unavailable: 503,
    swap_unavailable: 503,
  }

  it('has the specification’s status for each specified code', () => {
    expect(HTTP_STATUS).to.include(specified)
  })

  it('has only codes in snake_case', () => {
    for (const code of Object.keys(HTTP_STATUS)) expect(code).to.match(/^[a-z]+(_[a-z]+)*$/)
  })
})

describe('invariant', () => {
  it('does not throw if the condition holds', () => {
    expect(() => invariant(1, 'one is something')).not.to.throw()
  })

  it('throws an error without a public code if the condition does not hold', () => {
    expect(() => invariant(false, 'credited with no transfer'))
      .to.throw(Error, 'credited with no transfer')
      .and.not.be.instanceOf(AppError)
  })
})
