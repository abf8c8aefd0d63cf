import type { Address } from '../../shared/domain/address.ts'
import type { DeploymentConfig, TokenConfig } from '../../shared/runtime/networks-config.ts'
import type { WatchedDeployment, WatchedToken } from './observe.ts'

/** What is watched of a deployment, switched-off tokens included. */
export function watchedDeployment(deployment: DeploymentConfig): WatchedDeployment {
  const { chainId, network, environment, tokens } = deployment
  return { chainId, network, environment, tokens: tokens.map(watchedToken) }
}

/** The contracts that log the transfers of these tokens, switched-off ones included; sorted. */
export function emittersOf({ tokens }: DeploymentConfig): readonly Address[] {
  return tokens.map((token) => watchedToken(token).emitter).toSorted()
}

/** On Arc the system logs every movement of USDC, with decimals of its own (decisions 8.2). */
export function watchedToken({ token, address, decimals, transferEmitter }: TokenConfig): WatchedToken {
  return {
    token,
    address,
    decimals,
    emitter: transferEmitter?.address ?? address,
    emitterDecimals: transferEmitter?.decimals ?? decimals,
  }
}
