import {
  type AuthorizationDomainCheck,
  checkAuthorizationDomain,
} from '../../../shared/chain/eip3009/check-authorization-domain.ts'
import type { ChainNodes } from '../../../shared/chain/nodes/chain-nodes.ts'
import type { TokenConfig } from '../../../shared/runtime/networks-config.ts'
import { createPassedFinding, type Finding, type Problem } from './finding.ts'

/**
 * Checks whether a token supports payment by signature, as the daemon does before it offers this payment. Returns no
 * finding for a token that is configured without payment by signature.
 */
export async function examineAuthorization(
  chain: ChainNodes,
  { token, address, authorization: domain }: TokenConfig,
): Promise<readonly Finding[]> {
  if (!domain) return []
  const subject = `signatures for ${token} ${address}`
  const signed = `"${domain.name}", version ${domain.version}`
  const result = await checkAuthorizationDomain(chain, { chainId: chain.chainId, token: address, domain })
  if (result === 'match') return [createPassedFinding(subject, signed)]
  return [{ subject, ...describeProblem(result, signed) }]
}

function describeProblem(result: Exclude<AuthorizationDomainCheck, 'match'>, signed: string): Problem {
  switch (result) {
    case 'differ':
      return {
        found: `the token's DOMAIN_SEPARATOR() does not match ${signed}`,
        remedy:
          'set "authorization" for the token in NETWORKS_CONFIG to the name and version of its EIP-712 domain, or to false',
      }
    case 'missing':
      return {
        found: 'the token has no DOMAIN_SEPARATOR() or no authorizationState (EIP-3009)',
        remedy: 'set "authorization": false for the token in NETWORKS_CONFIG',
      }
    case 'unreachable':
      return { found: 'not checked: no quorum of nodes agrees', remedy: 'add responding nodes to rpcUrls' }
  }
}
