import type { Static } from '@sinclair/typebox'
import { invariant } from '../domain/errors.ts'
import { AUTHORIZATION_MINIMUMS } from '../domain/gas-bounds.ts'
import type { MicroDollars } from '../domain/money.ts'
import type { Network } from '../domain/networks.ts'
import { dollarsOf } from './dollars-of.ts'
import type { DeploymentConfig } from './networks-config.ts'
import type { Environ } from './read-settings.ts'
import { parseNetworks } from './setting-formats.ts'
import { type INDEXER_SETTINGS, minimumSetting } from './settings.ts'

/** Configuration of paying by signature. */
export type AuthorizationConfig = {
  /** 0x and 64 hex digits; must be another account than the one for payouts. */
  readonly relayerPrivateKey: `0x${string}`
  readonly networks: readonly Network[]
  /** Gas limit per organization and network, in units of gas. */
  readonly dailyGas: number
  readonly minimumMicroOf: (network: Network) => MicroDollars
}

type Values = Static<typeof INDEXER_SETTINGS>

/** Returns the configuration of paying by signature, or `null` if no network is configured. */
export function authorizationConfigOf(values: Values): AuthorizationConfig | null {
  const networks = parseNetworks(values.AUTHORIZATION_NETWORKS)
  invariant(networks, `networks ${values.AUTHORIZATION_NETWORKS} must have passed validation`)
  const key = values.AUTHORIZATION_RELAYER_KEY
  if (networks.length === 0) return null
  invariant(key, 'AUTHORIZATION_RELAYER_KEY must have been validated')
  return {
    relayerPrivateKey: key as `0x${string}`,
    networks,
    dailyGas: values.AUTHORIZATION_DAILY_GAS,
    minimumMicroOf: (network) => {
      const minimum = findMinimum(values, network) ?? AUTHORIZATION_MINIMUMS[network]
      invariant(minimum !== null, `${minimumSetting(network)} must have been validated`)
      return dollarsOf(minimum)
    },
  }
}

function findMinimum(values: Readonly<Record<string, unknown>>, network: Network): string | null {
  const text = values[minimumSetting(network)]
  return typeof text === 'string' ? text : null
}

/**
 * Returns whether payers can sign on a deployment: its network is configured, and one of its tokens supports EIP-3009.
 */
export function paysBySignature(
  config: AuthorizationConfig | null,
  { network, tokens }: Pick<DeploymentConfig, 'network' | 'tokens'>,
): boolean {
  return config?.networks.includes(network) === true && hasSignable({ tokens })
}

function hasSignable({ tokens }: Pick<DeploymentConfig, 'tokens'>): boolean {
  return tokens.some((token) => token.authorization)
}

/** Lists the problems of these settings in combination. The format of each setting is checked separately. */
export function findAuthorizationProblems(
  env: Environ,
  deployments: readonly Pick<DeploymentConfig, 'network' | 'tokens'>[],
): readonly string[] {
  const networks = parseNetworks(env['AUTHORIZATION_NETWORKS'] ?? '') ?? []
  const [key, payoutKey] = [env['AUTHORIZATION_RELAYER_KEY'], env['RELAYER_PRIVATE_KEY']]
  const canSign = (network: Network) => deployments.some((one) => one.network === network && hasSignable(one))
  return [
    networks.length > 0 &&
      !key &&
      'AUTHORIZATION_RELAYER_KEY is not set: must be, because AUTHORIZATION_NETWORKS names a network',
    key !== undefined &&
      key.toLowerCase() === payoutKey?.toLowerCase() &&
      'AUTHORIZATION_RELAYER_KEY is the same as RELAYER_PRIVATE_KEY: must be another key, so that a problem of one account does not stop the other',
    ...networks.map(
      (network) =>
        AUTHORIZATION_MINIMUMS[network] === null &&
        !env[minimumSetting(network)] &&
        `${minimumSetting(network)} is not set: must be, because AUTHORIZATION_NETWORKS names ${network}, whose gas is expensive`,
    ),
    ...networks.map(
      (network) =>
        !canSign(network) &&
        `AUTHORIZATION_NETWORKS names ${network}: must name networks of DEPLOYMENTS with a token that payers can sign for (EIP-3009)`,
    ),
  ].flatMap((problem) => (problem === false ? [] : [problem]))
}
