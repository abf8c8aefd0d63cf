import { BaseError } from 'viem'
import { readDeployments } from '../../shared/runtime/command-config.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

/** @throws {CommandError} if the deployment is not configured */
export function findDeployment(wanted: { network: string; environment: string }): DeploymentConfig {
  const found = readDeployments().find(
    ({ network, environment }) => network === wanted.network && environment === wanted.environment,
  )
  if (found) return found
  throw new CommandError(`${wanted.network}:${wanted.environment} is not configured: name it in DEPLOYMENTS`)
}

/**
 * Rethrows an error. An error of viem keeps only its short message, because the full message contains the node's URL,
 * which may carry a key.
 */
export function withoutUrls(error: unknown): never {
  throw error instanceof BaseError ? new CommandError(error.shortMessage) : error
}
