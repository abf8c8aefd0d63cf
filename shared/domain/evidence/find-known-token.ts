import type { Address } from '../address.ts'
import { REGISTRY } from '../network-registry.ts'
import { type Environment, NETWORKS, type Network, TOKENS, type Token } from '../networks.ts'

/** A token of the registry. */
export type KnownToken = {
  readonly network: Network
  readonly environment: Environment
  readonly token: Token
  readonly decimals: number
  /** The contract that logs the token's transfers, and the decimals of the logged amounts. */
  readonly emitter: { readonly address: Address; readonly decimals: number }
}

type Contract = { readonly chainId: number; readonly tokenAddress: Address }

/** Returns the token of the registry with this contract, or `null`. */
export function findKnownToken({ chainId, tokenAddress }: Contract): KnownToken | null {
  for (const network of NETWORKS)
    for (const environment of ['live', 'test'] as const) {
      const deployment = REGISTRY[network][environment]
      if (deployment?.chainId !== chainId) continue
      for (const token of TOKENS) {
        const facts = deployment.tokens[token]
        if (facts?.address !== tokenAddress) continue
        const { address, decimals, transferEmitter } = facts
        return { network, environment, token, decimals, emitter: transferEmitter ?? { address, decimals } }
      }
    }
  return null
}

/** Returns the contract that logs a token's transfers; `null` for an unknown token, or if it is the token itself. */
export function findTransferEmitter(
  contract: Contract,
): { readonly address: Address; readonly decimals: number; readonly tokenDecimals: number } | null {
  const known = findKnownToken(contract)
  if (known === null || known.emitter.address === contract.tokenAddress) return null
  return { ...known.emitter, tokenDecimals: known.decimals }
}
