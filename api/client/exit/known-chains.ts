import type { Address, ChainFamilyName } from '../../../shared/domain/address.ts'
import { parseAddress } from '../../../shared/domain/chain-families/chain-families.ts'
import { hasNativeCoin, NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import {
  type DeploymentFacts,
  ENVIRONMENTS,
  type Environment,
  NETWORKS,
  type Network,
  TOKENS,
} from '../../../shared/domain/networks.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import { type DeploymentOverride, readNetworksFile } from '../../../shared/runtime/networks-file.ts'

export type KnownToken = { readonly symbol: string; readonly address: Address; readonly decimals: number }

/** A chain of the built-in registry, with the overrides of the user's networks file. */
export type KnownChain = {
  readonly network: Network
  readonly environment: Environment
  /** `base` for a live chain, `base (test)` for a testnet. */
  readonly name: string
  readonly family: ChainFamilyName
  readonly chainId: number
  readonly tokens: readonly KnownToken[]
  readonly coin: KnownToken
  /** Whether splits can distribute `coin`. */
  readonly hasCoin: boolean
  readonly splitFactory?: Address | undefined
}

/**
 * Lists every chain on which charges might have been paid, with all its tokens, even those that are no longer accepted.
 *
 * @param networksFile - path of the service's `networks.json`, if the service overrides the registry
 * @throws {CommandError} with every problem of the file
 */
export function listKnownChains(networksFile: string | undefined): readonly KnownChain[] {
  const { file, problems } =
    networksFile === undefined ? { file: {}, problems: [] } : readNetworksFile(networksFile)
  if (problems.length > 0) throw new CommandError(`--networks-file: ${problems.join('; ')}`)
  return NETWORKS.flatMap((network) =>
    ENVIRONMENTS.flatMap((environment) => {
      const facts = REGISTRY[network][environment]
      const override = file[network]?.[environment] ?? {}
      const chainId = override.chainId ?? facts?.chainId
      return chainId === undefined ? [] : [describeChain({ network, environment, chainId, facts, override })]
    }),
  )
}

function describeChain(place: {
  readonly network: Network
  readonly environment: Environment
  readonly chainId: number
  readonly facts: DeploymentFacts | null
  readonly override: DeploymentOverride
}): KnownChain {
  const { network, environment, chainId, facts, override } = place
  const { family, live } = REGISTRY[network]
  const coin = { ...live.nativeCurrency, address: NATIVE_COIN }
  const splitFactory = override.splitFactory === undefined ? null : parseAddress(override.splitFactory)
  return {
    ...{ network, environment, family, chainId, coin },
    name: ENVIRONMENTS.indexOf(environment) === 0 ? network : `${network} (${environment})`,
    hasCoin: hasNativeCoin(chainId),
    ...(splitFactory !== null && { splitFactory }),
    tokens: TOKENS.flatMap((symbol) => {
      const written = override.tokens?.[symbol]
      const address = written?.address === undefined ? null : parseAddress(written.address)
      const known = facts?.tokens[symbol]
      const merged = {
        address: address ?? known?.address,
        decimals: written?.decimals ?? known?.decimals,
      }
      return merged.address === undefined || merged.decimals === undefined
        ? []
        : [{ symbol, address: merged.address, decimals: merged.decimals }]
    }),
  }
}
