import type { Static, TObject } from '@sinclair/typebox'
import { type Address, CHAIN_FAMILY_NAMES, type ChainFamilyName } from '../domain/address.ts'
import { CHAIN_FAMILIES, type PRIMARY_FAMILY } from '../domain/chain-families/chain-families.ts'
import { invariant } from '../domain/errors.ts'
import { REGISTRY } from '../domain/network-registry.ts'
import { FEE_FRACTION_DIGITS, type Percent, parsePercent } from '../domain/percent.ts'
import type { SwapProviderName } from '../domain/swap/swap-providers.ts'
import { ConfigError } from './config-error.ts'
import { mergeNetworks } from './merge-networks.ts'
import type { MergedNetworks } from './networks-config.ts'
import { readNetworksFile } from './networks-file.ts'
import { type ProcessEnv, readSettings } from './read-settings.ts'
import { parseAllowedTargets, parseDnsServers, parseSealKeys } from './setting-formats.ts'
import type { API_SETTINGS, INDEXER_SETTINGS } from './settings.ts'

/** Age at which our head is stale: `blocks` block times, but at least `atLeastMs`. */
export type StaleRule = { readonly blocks: number; readonly atLeastMs: number }

/** The service's fees and the keepers' incentive, in percent of a charge. */
export type Fees = Readonly<ReturnType<typeof parseFees>>

/** Recipient of the service's fee in each family. The API does not start if a family with an enabled pair has none. */
export type Treasury = Readonly<
  Record<ChainFamilyName, Address | null> & Record<typeof PRIMARY_FAMILY, Address>
>

/** @throws {ConfigError} with the problems of the settings and `otherProblems` */
export function requireSettings<Schema extends TObject>(
  schema: Schema,
  env: ProcessEnv,
  otherProblems: readonly string[] = [],
): Static<Schema> {
  const { values, problems } = readSettings(schema, env)
  if (values === null || otherProblems.length > 0) throw new ConfigError([...problems, ...otherProblems])
  return values
}

/** Reads the configured deployments, and the problems of their configuration. */
export function readNetworks(env: ProcessEnv): MergedNetworks {
  const path = env['NETWORKS_CONFIG']
  const { file, problems } = path ? readNetworksFile(path) : { file: {}, problems: [] }
  const merged = mergeNetworks({ registry: REGISTRY, file, selection: env['DEPLOYMENTS'] || undefined })
  // Problems of a merge without the file are not reported, because a valid file might solve them.
  return problems.length > 0 ? { ...merged, deployments: [], simulatedPairs: [], problems } : merged
}

/** Returns the configuration that API and daemon have in common. */
export function processConfig(
  values: Static<typeof API_SETTINGS> | Static<typeof INDEXER_SETTINGS>,
  { deployments, splitFactories }: Pick<MergedNetworks, 'deployments' | 'splitFactories'>,
) {
  const allowedTargets = parseAllowedTargets(values.WEBHOOK_ALLOWED_TARGETS)
  invariant(allowedTargets, `ranges ${values.WEBHOOK_ALLOWED_TARGETS} must have passed validation`)
  const staleAfter: StaleRule = {
    blocks: values.HEAD_STALE_AFTER_BLOCKS,
    atLeastMs: values.HEAD_STALE_AFTER_MIN_SECONDS * 1000,
  }
  return {
    logLevel: values.LOG_LEVEL,
    maxConnections: values.DATABASE_MAX_CONNECTIONS,
    /** Whether sessions that can lose confirmed commits are rejected. */
    checksCommits: values.SYNCHRONOUS_COMMIT_CHECK === 'on',
    deployments,
    splitFactories,
    staleAfter,
    /** Base URL of the charges' checkout pages; `null` without a hosted checkout. */
    checkoutBaseUrl: values.CHECKOUT_BASE_URL ?? null,
    /** The provider of swaps; `null` without swap-to-pay. */
    swapProvider: (values.SWAP_PROVIDER as SwapProviderName | undefined) ?? null,
    /** Non-public address ranges that webhooks may target; empty in production. */
    allowedTargets,
    /** DNS servers for the hosts of webhooks; if empty, the system's servers are used. */
    dnsServers: parseDnsServers(values.WEBHOOK_DNS_SERVERS),
  }
}

export function parseFees(values: Static<typeof API_SETTINGS> | Static<typeof INDEXER_SETTINGS>) {
  return {
    feePercent: requirePercent(values.FEE_PERCENT),
    /** Added to `feePercent` for an escrow charge. */
    escrowFeePercent: requirePercent(values.ESCROW_FEE_PERCENT),
    distributorFeePercent: requirePercent(values.DISTRIBUTOR_FEE_PERCENT),
  }
}

function requirePercent(text: string): Percent {
  const percent = parsePercent(text, { maxFractionDigits: FEE_FRACTION_DIGITS })
  invariant(percent !== null, `percent ${text} must have passed validation`)
  return percent
}

export function parseTreasuries(values: Readonly<Record<string, unknown>>): Treasury {
  const entries = CHAIN_FAMILY_NAMES.map((family) => {
    const text = values[CHAIN_FAMILIES[family].treasurySetting]
    return [family, typeof text === 'string' ? CHAIN_FAMILIES[family].parseAddress(text) : null]
  })
  return Object.fromEntries(entries) as Treasury
}

/** @throws {Error} if the family's treasury is not set, which is possible only if none of its pairs is enabled */
export function requireTreasury(treasury: Treasury, family: ChainFamilyName): Address {
  const address = treasury[family]
  invariant(address !== null, `${CHAIN_FAMILIES[family].treasurySetting} is not set`)
  return address
}

export function parseSealKeyPair(text: string | undefined): readonly Buffer[] {
  const keys = text === undefined ? [] : parseSealKeys(text)
  invariant(keys, 'seal keys must have passed validation')
  return keys
}
