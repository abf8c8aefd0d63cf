import type { Static } from '@sinclair/typebox'
import { invariant } from '../domain/errors.ts'
import { AUTHORIZATION_MINIMUMS } from '../domain/gas-bounds.ts'
import type { Network } from '../domain/networks.ts'
import type { DeploymentConfig } from './networks-config.ts'
import { parseDollars } from './parse-dollars.ts'
import type { ProcessEnv } from './read-settings.ts'
import { parseNetworks } from './setting-formats.ts'
import { getMinimumSettingName, type INDEXER_SETTINGS } from './settings.ts'

/** Configuration of payment by signature. */
export type PayBySignatureConfig = NonNullable<ReturnType<typeof findPayBySignatureConfig>>

type Values = Static<typeof INDEXER_SETTINGS>

/** Returns the configuration of payment by signature; `null` if no network is configured for it. */
export function findPayBySignatureConfig(values: Values) {
  const networks = parseNetworks(values.PAY_BY_SIGNATURE_NETWORKS)
  invariant(networks, `networks ${values.PAY_BY_SIGNATURE_NETWORKS} must have passed validation`)
  const key = values.PAY_BY_SIGNATURE_PRIVATE_KEY
  if (networks.length === 0) return null
  invariant(key, 'PAY_BY_SIGNATURE_PRIVATE_KEY must have been validated')
  return {
    /** 0x and 64 hex digits; must not be the key for payouts. */
    relayerPrivateKey: key as `0x${string}`,
    networks,
    /** Units of gas per organization, network and day. */
    dailyGasLimit: values.PAY_BY_SIGNATURE_DAILY_GAS,
    minimumMicroOf: (network: Network) => {
      const minimum = findMinimum(values, network) ?? AUTHORIZATION_MINIMUMS[network]
      invariant(minimum !== null, `${getMinimumSettingName(network)} must have been validated`)
      return parseDollars(minimum)
    },
  }
}

function findMinimum(values: Readonly<Record<string, unknown>>, network: Network): string | null {
  const text = values[getMinimumSettingName(network)]
  return typeof text === 'string' ? text : null
}

/**
 * Returns whether payers can sign on a deployment: its network is configured, and one of its tokens supports EIP-3009.
 */
export function paysBySignature(
  config: PayBySignatureConfig | null,
  { network, tokens }: Pick<DeploymentConfig, 'network' | 'tokens'>,
): boolean {
  return config?.networks.includes(network) === true && hasSignable({ tokens })
}

function hasSignable({ tokens }: Pick<DeploymentConfig, 'tokens'>): boolean {
  return tokens.some((token) => token.authorization)
}

/** Lists the problems of the settings in combination. The schema validates each setting alone. */
export function findPayBySignatureProblems(
  env: ProcessEnv,
  deployments: readonly Pick<DeploymentConfig, 'network' | 'tokens'>[],
): readonly string[] {
  const networks = parseNetworks(env['PAY_BY_SIGNATURE_NETWORKS'] ?? '') ?? []
  const [key, payoutKey] = [env['PAY_BY_SIGNATURE_PRIVATE_KEY'], env['RELAYER_PRIVATE_KEY']]
  const canSign = (network: Network) => deployments.some((one) => one.network === network && hasSignable(one))
  return [
    networks.length > 0 &&
      !key &&
      'PAY_BY_SIGNATURE_PRIVATE_KEY is not set: it is required, because PAY_BY_SIGNATURE_NETWORKS names a network',
    key !== undefined &&
      key.toLowerCase() === payoutKey?.toLowerCase() &&
      'PAY_BY_SIGNATURE_PRIVATE_KEY is the same as RELAYER_PRIVATE_KEY: must be another key, so that a problem of one account does not stop the other',
    ...networks.map(
      (network) =>
        AUTHORIZATION_MINIMUMS[network] === null &&
        !env[getMinimumSettingName(network)] &&
        `${getMinimumSettingName(network)} is not set: it is required, because PAY_BY_SIGNATURE_NETWORKS names ${network}, whose gas is expensive`,
    ),
    ...networks.map(
      (network) =>
        !canSign(network) &&
        `PAY_BY_SIGNATURE_NETWORKS names ${network}: must name networks of DEPLOYMENTS with a token that payers can sign for (EIP-3009)`,
    ),
  ].flatMap((problem) => (problem === false ? [] : [problem]))
}
