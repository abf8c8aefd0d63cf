import { AppError } from '../../shared/domain/errors.ts'
import { isId } from '../../shared/domain/ids.ts'

type Params = Readonly<Record<string, string>>

/**
 * Answers the id that the path names.
 *
 * @throws {AppError} `recipient_not_found` for what is no id, which the database may not even be asked
 */
export function recipientIdOf(params: Params): string {
  const { id = '' } = params
  if (!isId('rc', id)) throw refuseRecipient(params)
  return id
}

/** The error for a recipient that there is not for this key, or that is hidden from it: one and the same. */
export function refuseRecipient({ id = '' }: Params): AppError {
  return new AppError('recipient_not_found', `there is no recipient ${id.slice(0, 60)} for this API key`)
}
