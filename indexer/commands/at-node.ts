import { setTimeout as delay } from 'node:timers/promises'
import { type ContractsCheck, checkContracts } from '../../shared/chain/contracts/check-contracts.ts'
import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { configureNodes } from '../../shared/domain/node-config.ts'
import { findNode } from '../../shared/domain/node-endpoint.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

/** Returns a copy of the deployment that uses only this node, with a quorum of 1. */
export function atNode(deployment: DeploymentConfig, rpcUrl: string): DeploymentConfig {
  const rpcUrls = [findNode(rpcUrl, deployment.rpcUrls)]
  return { ...deployment, rpcUrls, nodes: configureNodes(rpcUrls), quorum: 1 }
}

const RECHECKS = { count: 5, intervalMs: 2_000 }

/**
 * Checks freshly deployed contracts. Repeats the check up to five times, 2 s apart, while the contracts are missing or
 * no quorum agrees, because some nodes may receive the deployment's block a few seconds later.
 */
export async function checkDeployed(deployment: DeploymentConfig): Promise<ContractsCheck> {
  const chain = createChainNodes(deployment)
  let check = await checkContracts(chain, deployment)
  for (let left = RECHECKS.count; left > 0 && mayChange(check); left -= 1) {
    await delay(RECHECKS.intervalMs)
    check = await checkContracts(chain, deployment)
  }
  return check
}

function mayChange(check: ContractsCheck): boolean {
  return check === 'unreachable' || check === 'missing'
}
