import type { AuthenticatedKey } from '../../shared/db/organizations/api/authenticate.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Environment } from '../../shared/domain/networks.ts'

/**
 * Throws if the environment that a request names differs from the API key's.
 *
 * @throws {AppError} `environment_mismatch`
 */
export function requireEnvironment(
  key: Pick<AuthenticatedKey, 'environment'>,
  environment: Environment | undefined,
): void {
  if (environment === undefined || environment === key.environment) return
  throw new AppError(
    'environment_mismatch',
    `environment is ${environment}, but the API key's environment is ${key.environment}`,
    { param: 'environment' },
  )
}
