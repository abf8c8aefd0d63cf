import { AppError } from '../../shared/domain/errors.ts'
import { isId } from '../../shared/domain/ids.ts'

type Params = Readonly<Record<string, string>>

/**
 * Returns the recipient's id from the path.
 *
 * @throws {AppError} `recipient_not_found` for text that is not an id, which must never reach the database
 */
export function getRecipientId(params: Params): string {
  const { id = '' } = params
  if (!isId('rc', id)) throw createRecipientNotFound(params)
  return id
}

/** Creates the same error for a recipient that does not exist and for a recipient that the key may not see. */
export function createRecipientNotFound({ id = '' }: Params): AppError {
  return new AppError(
    'recipient_not_found',
    `recipient ${id.slice(0, 60)} does not exist or is not visible to this API key`,
  )
}
