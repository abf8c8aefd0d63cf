import { ENVIRONMENTS, type Environment, NETWORKS, type Network } from '../../shared/domain/networks.ts'
import { CommandError, required } from '../../shared/runtime/command-line.ts'

/** @throws {CommandError} if no network has that name */
export function parseNetwork(text: string | undefined): Network {
  const network = NETWORKS.find((known) => known === text)
  if (network) return network
  throw new CommandError(`the network is ${text ?? 'missing'}: must be one of ${NETWORKS.join(', ')}`)
}

/**
 * Parses the environment given as `--env`.
 *
 * @throws {CommandError} if the option is missing or unknown
 */
export function parseEnvironment(text: string | undefined): Environment {
  const environment = ENVIRONMENTS.find((known) => known === required(text, 'env'))
  if (environment) return environment
  throw new CommandError(`--env is ${JSON.stringify(text)}: must be ${ENVIRONMENTS.join(' or ')}`)
}
