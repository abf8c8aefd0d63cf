import type { Address } from '../../shared/domain/address.ts'
import type { DeploymentConfig, TokenConfig } from '../../shared/runtime/networks-config.ts'
import type { WatchedDeployment, WatchedToken } from './observe.ts'

/** Returns a deployment with the emitters of its tokens, including disabled tokens. */
export function buildWatchedDeployment(deployment: DeploymentConfig): WatchedDeployment {
  const { chainId, network, environment, tokens } = deployment
  return { chainId, network, environment, tokens: tokens.map(buildWatchedToken) }
}

/** Returns the sorted emitters of the deployment's tokens, including disabled tokens. */
export function listEmitters({ tokens }: Pick<DeploymentConfig, 'tokens'>): readonly Address[] {
  return tokens.map((token) => buildWatchedToken(token).emitter).toSorted()
}

/**
 * Returns the token with its emitter: the token's own contract or, for USDC on Arc, the system contract that logs every
 * transfer, with other decimals than the token (decisions 8.2).
 */
export function buildWatchedToken({ token, address, decimals, transferEmitter }: TokenConfig): WatchedToken {
  return {
    token,
    address,
    decimals,
    emitter: transferEmitter?.address ?? address,
    emitterDecimals: transferEmitter?.decimals ?? decimals,
  }
}
