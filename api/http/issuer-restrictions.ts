import {
  createRestrictionReader,
  type RestrictionReader,
  type Transferability,
  type TransferDirection,
} from '../../shared/chain/tokens/restrictions.ts'
import type { Address } from '../../shared/domain/address.ts'
import { type Environment, type Pair, pairKey } from '../../shared/domain/networks.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { TokenConfig } from '../../shared/runtime/networks-config.ts'
import type { FindChain } from './chain-clients.ts'

type RestrictionQuery = {
  readonly environment: Environment
  readonly pair: Pair
  readonly account: Address
  readonly direction: TransferDirection
}

/**
 * Returns whether a token's issuer allows an address to send or receive: immediately if the result is cached, otherwise
 * within a second.
 *
 * Returns `unknown` without a request if the pair is not configured in this process, as the pair of a simulated charge.
 */
export type ReadIssuerRestriction = (query: RestrictionQuery) => Transferability | Promise<Transferability>

/** Creates the reader for the issuers of all deployments. Endpoints share its cache. */
export function createReadIssuerRestriction(
  { deployments, issuerTimeoutMs }: Pick<ApiConfig, 'deployments' | 'issuerTimeoutMs'>,
  chainOf: FindChain,
): ReadIssuerRestriction {
  const issuers = new Map<string, { readonly token: TokenConfig; readonly read: RestrictionReader }>()
  for (const { environment, network, chainId, tokens } of deployments) {
    const chain = chainOf(chainId)
    if (chain === undefined) continue
    const read = createRestrictionReader(chain, { timeoutMs: issuerTimeoutMs })
    for (const token of tokens) {
      issuers.set(toIssuerKey(environment, { token: token.token, network }), { token, read })
    }
  }
  return ({ environment, pair, account, direction }) => {
    const issuer = issuers.get(toIssuerKey(environment, pair))
    return issuer ? issuer.read({ token: issuer.token, account, direction }) : 'unknown'
  }
}

function toIssuerKey(environment: Environment, pair: Pair): string {
  return `${environment}/${pairKey(pair)}`
}
