import { checkAuthorizationDomain } from '../../../shared/chain/eip3009/check-authorization-domain.ts'
import type { ChainNodes } from '../../../shared/chain/nodes/chain-nodes.ts'
import type { TokenConfig } from '../../../shared/runtime/networks-config.ts'
import { createPassedFinding, type Finding } from './finding.ts'

/**
 * Checks whether a token accepts the signatures that our payers would make, with the check that a daemon runs before
 * it publishes the token. Reports no finding for a token without payment by signature.
 */
export async function examineAuthorization(
  chain: ChainNodes,
  { token, address, authorization: domain }: TokenConfig,
): Promise<readonly Finding[]> {
  if (!domain) return []
  const subject = `signatures for ${token} ${address}`
  const signed = `"${domain.name}", version ${domain.version}`
  const said = await checkAuthorizationDomain(chain, { chainId: chain.chainId, token: address, domain })
  switch (said) {
    case 'match':
      return [createPassedFinding(subject, signed)]
    case 'differ':
      return [
        {
          subject,
          found: `its DOMAIN_SEPARATOR() is not that of ${signed}`,
          mend: 'set "authorization" for it in NETWORKS_CONFIG to the name and version of its EIP-712 domain, or to false',
        },
      ]
    case 'missing':
      return [
        {
          subject,
          found: 'has no DOMAIN_SEPARATOR() or no authorizationState (EIP-3009)',
          mend: 'set "authorization": false for it in NETWORKS_CONFIG',
        },
      ]
    case 'unreachable':
      return [
        {
          subject,
          found: 'unread: no quorum of nodes reports the same',
          mend: 'name nodes that answer in rpcUrls',
        },
      ]
  }
}
