import { AppError } from '../../shared/domain/errors.ts'

/**
 * Creates the error for an invalid field of a request.
 *
 * @param param - the field's path, such as `acceptedPayments[1].token`; empty for the whole body
 * @param reason - a sentence without subject, such as `is below the minimum 60`
 */
export function createFieldError(param: string, reason: string): AppError {
  if (param === '') return new AppError('validation_error', `the body ${reason}`)
  return new AppError('validation_error', `${param} ${reason}`, { param })
}
