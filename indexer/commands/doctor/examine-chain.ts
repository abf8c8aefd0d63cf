import { concatHex, erc20Abi, pad, size, zeroAddress } from 'viem'
import { type ContractsCheck, checkContracts } from '../../../shared/chain/contracts/check-contracts.ts'
import { type ChainNodes, createChainNodes } from '../../../shared/chain/nodes/chain-nodes.ts'
import { type ChainClient, createChainClient } from '../../../shared/chain/nodes/client.ts'
import { findMissingSafeContracts } from '../../../shared/chain/safe/find-missing-contracts.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { CHAIN_FAMILIES, presentAddress } from '../../../shared/domain/chain-families/chain-families.ts'
import type { IndexerDeployment } from '../../../shared/runtime/indexer-config.ts'
import type { DeploymentConfig, TokenConfig } from '../../../shared/runtime/networks-config.ts'
import { EXAMINATIONS_BY_FAMILY } from './examinations-by-family.ts'
import { examineAuthorization } from './examine-authorization.ts'
import { createPassedFinding, describeError, type Finding, type Problem } from './finding.ts'

/** The doctor's data about a deployment, from the database. */
export type DeploymentFacts = {
  readonly pausedTokens: readonly string[]
  readonly relayers: readonly `0x${string}`[]
  /** Accounts that pay the gas for payments by signature. */
  readonly authorizers: readonly `0x${string}`[]
  /** Accounts that no daemon is configured with any longer. */
  readonly retired: readonly `0x${string}`[]
}

/** The doctor's input in addition to the deployment. */
export type DoctorInput = {
  readonly facts: DeploymentFacts
  /** Price of the network's coin in dollars. */
  readonly coinUsd: number
  /** Part of each node's limits that the daemon may use, from 0 to 1. */
  readonly budgetShare: number
}

/**
 * Checks a chain through these nodes: our contracts, Safe's contracts, tokens, payment by signature, the cost of a
 * payout, and the balances of our accounts. Also lists retired accounts and paused pairs.
 */
export async function examineChain(
  deployment: IndexerDeployment,
  { rpcUrls, facts, coinUsd }: Omit<DoctorInput, 'budgetShare'> & { readonly rpcUrls: readonly string[] },
): Promise<readonly Finding[]> {
  const client = createChainClient({ chainId: deployment.chainId, rpcUrls })
  const nodes = deployment.nodes.filter(({ url }) => rpcUrls.includes(url))
  const chain = createChainNodes({ ...deployment, nodes })
  const enabled = deployment.tokens.filter((token) => token.enabled)
  const findings = await Promise.all([
    contracts(chain, deployment),
    ...(CHAIN_FAMILIES[deployment.family].hasEscrow ? [safe(client)] : []),
    ...enabled.map((token) => examineToken(client, token)),
  ])
  const signatures = await Promise.all(enabled.map((token) => examineAuthorization(chain, token)))
  const costs = await EXAMINATIONS_BY_FAMILY[deployment.family].cost(client, deployment, {
    ...facts,
    coinUsd,
  })
  const paused = facts.pausedTokens.map((token) => ({
    subject: `${token} pair`,
    found: 'paused by an operator',
    remedy: 'run npm run pairs -- resume to make the pair available',
  }))
  const retired = facts.retired.map((account) =>
    createPassedFinding(
      `retired ${presentAddress(account as Address, deployment.family)}`,
      'no daemon is configured with it; transfer its remaining coins to the current account',
    ),
  )
  return [...findings, ...signatures.flat(), ...costs, ...retired, ...paused]
}

async function contracts(chain: ChainNodes, deployment: DeploymentConfig): Promise<Finding> {
  const subject = 'our contracts'
  const found = await checkContracts(chain, deployment)
  if (found === 'match') return createPassedFinding(subject, 'ours')
  return { subject, ...describeContractProblem(found, deployment) }
}

function describeContractProblem(
  found: Exclude<ContractsCheck, 'match'>,
  { network, environment }: DeploymentConfig,
): Problem {
  const deploy = 'npm run contracts -- deploy'
  return {
    missing: { found: 'not deployed', remedy: `${deploy} --network ${network} --env ${environment}` },
    unconfigured: {
      found: 'no known address',
      remedy: `set splitFactory in NETWORKS_CONFIG; ${deploy} creates a factory`,
    },
    differ: {
      found: 'other code is deployed at their addresses',
      remedy: 'use the release whose contracts are deployed on this chain',
    },
    unreachable: {
      found: 'not checked: no quorum of nodes agrees',
      remedy: 'add responding nodes to rpcUrls, of as many operators as the quorum requires',
    },
    wrong_chain: {
      found: 'every node reports a chain id other than the configured one',
      remedy: 'add a node of this chain to rpcUrls',
    },
  }[found]
}

async function safe(client: ChainClient): Promise<Finding> {
  const subject = 'Safe 1.4.1'
  const missing = await findMissingSafeContracts(client).catch(describeError)
  if (typeof missing === 'string')
    return { subject, found: `not read: ${missing}`, remedy: 'add a responding node to rpcUrls' }
  if (missing.length === 0) return createPassedFinding(subject, 'deployed')
  return {
    subject,
    found: `not deployed: ${missing.join(', ')}`,
    // Only a warning, because the API creates no escrow charge on a chain without Safe's contracts.
    isWarning: true,
    remedy:
      'for escrow, deploy them (safe-singleton-factory); until then the API rejects escrow charges on this network',
  }
}

async function examineToken(client: ChainClient, token: TokenConfig): Promise<Finding> {
  const { address, decimals, restriction } = token
  const subject = `${token.token} ${address}`
  const served = await client
    .readContract({ address, abi: erc20Abi, functionName: 'decimals' })
    .catch(describeError)
  if (typeof served === 'string')
    return {
      subject,
      found: `returns no decimals: ${served}`,
      remedy: 'correct its address in NETWORKS_CONFIG',
    }
  if (served !== decimals)
    return {
      subject,
      found: `has ${served} decimals`,
      remedy: `change its decimals from ${decimals} to ${served} in NETWORKS_CONFIG`,
    }
  if (restriction === null) return createPassedFinding(subject, `${decimals} decimals, no restrictions`)
  const data = concatHex([restriction.selector, pad(zeroAddress)])
  const response = await client.call({ to: address, data }).catch(() => null)
  if (response?.data !== undefined && size(response.data) === 32)
    return createPassedFinding(subject, `${decimals} decimals, ${restriction.function}`)
  return {
    subject,
    found: `returns no valid result for ${restriction.function}`,
    remedy: 'if it has no such function, set "restriction": false for it in NETWORKS_CONFIG',
  }
}
