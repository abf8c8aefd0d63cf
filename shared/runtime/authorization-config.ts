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

/** What paying by signature goes by. */
export type AuthorizationConfig = {
  /** 0x and 64 hex digits; another account's than the one for payouts. */
  readonly relayerPrivateKey: `0x${string}`
  readonly networks: readonly Network[]
  /** Of each organization on each network, in units of gas. */
  readonly dailyGas: number
  readonly minimumMicroOf: (network: Network) => MicroDollars
}

type Values = Static<typeof INDEXER_SETTINGS>

/** Reads what paying by signature goes by; `null` where no network is named. */
export function authorizationConfigOf(values: Values): AuthorizationConfig | null {
  const networks = parseNetworks(values.AUTHORIZATION_NETWORKS)
  invariant(networks, `networks ${values.AUTHORIZATION_NETWORKS} passed their format`)
  const key = values.AUTHORIZATION_RELAYER_KEY
  if (networks.length === 0) return null
  invariant(key, 'AUTHORIZATION_RELAYER_KEY was found to be set')
  return {
    relayerPrivateKey: key as `0x${string}`,
    networks,
    dailyGas: values.AUTHORIZATION_DAILY_GAS,
    minimumMicroOf: (network) => {
      const minimum = minimumOf(values, network) ?? AUTHORIZATION_MINIMUMS[network]
      invariant(minimum !== null, `${minimumSetting(network)} was found to be set`)
      return dollarsOf(minimum)
    },
  }
}

function minimumOf(values: Readonly<Record<string, unknown>>, network: Network): string | null {
  const text = values[minimumSetting(network)]
  return typeof text === 'string' ? text : null
}

/** Tells whether payers can sign on a deployment: its network is named, and one of its tokens knows signatures. */
export function paysBySignature(
  config: AuthorizationConfig | null,
  { network, tokens }: Pick<DeploymentConfig, 'network' | 'tokens'>,
): boolean {
  return config?.networks.includes(network) === true && hasSignable({ tokens })
}

function hasSignable({ tokens }: Pick<DeploymentConfig, 'tokens'>): boolean {
  return tokens.some((token) => token.authorization)
}

/** Names everything that is wrong with these settings together; each alone has its format. */
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
      'AUTHORIZATION_RELAYER_KEY is the key of RELAYER_PRIVATE_KEY: must be another, so that what happens to one account stops nothing of the other',
    ...networks.map(
      (network) =>
        AUTHORIZATION_MINIMUMS[network] === null &&
        !env[minimumSetting(network)] &&
        `${minimumSetting(network)} is not set: must be, because AUTHORIZATION_NETWORKS names ${network}, whose gas is dear`,
    ),
    ...networks.map(
      (network) =>
        !canSign(network) &&
        `AUTHORIZATION_NETWORKS names ${network}: must name networks of DEPLOYMENTS with a token that payers can sign for (EIP-3009)`,
    ),
  ].flatMap((problem) => (problem === false ? [] : [problem]))
}
