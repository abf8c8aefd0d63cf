import {
  createRestrictionReader,
  type RestrictionReader,
  type Transferability,
  type TransferDirection,
} from '../shared/chain/restrictions.ts'
import type { Address } from '../shared/domain/address.ts'
import { type Environment, type Pair, pairKey } from '../shared/domain/networks.ts'
import type { ApiConfig } from '../shared/runtime/api-config.ts'
import type { TokenConfig } from '../shared/runtime/networks-config.ts'
import type { ChainOf } from './chain-clients.ts'

type Question = {
  readonly environment: Environment
  readonly pair: Pair
  readonly account: Address
  readonly direction: TransferDirection
}

/**
 * Asks the issuer of a pair's token about an address: at once where the answer is known, within a second where not.
 *
 * `unknown` for a pair that this process is not configured for, too: nobody is asked about a simulated charge.
 */
export type AskIssuer = (question: Question) => Transferability | Promise<Transferability>

/** Makes what asks the issuers of all deployments; its answers are kept, so that endpoints share them. */
export function createAskIssuer(
  { deployments, issuerTimeoutMs }: Pick<ApiConfig, 'deployments' | 'issuerTimeoutMs'>,
  chainOf: ChainOf,
): AskIssuer {
  const issuers = new Map<string, { readonly token: TokenConfig; readonly read: RestrictionReader }>()
  for (const { environment, network, chainId, tokens } of deployments) {
    const chain = chainOf(chainId)
    if (chain === undefined) continue
    const read = createRestrictionReader(chain, { timeoutMs: issuerTimeoutMs })
    for (const token of tokens) {
      issuers.set(placeOf(environment, { token: token.token, network }), { token, read })
    }
  }
  return ({ environment, pair, account, direction }) => {
    const issuer = issuers.get(placeOf(environment, pair))
    return issuer ? issuer.read({ token: issuer.token, account, direction }) : 'unknown'
  }
}

function placeOf(environment: Environment, pair: Pair): string {
  return `${environment}/${pairKey(pair)}`
}
