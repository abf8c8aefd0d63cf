import { concatHex, pad, size, zeroAddress } from 'viem'
import { erc20Abi } from '../../../shared/chain/abi/erc20.ts'
import { checkContracts } from '../../../shared/chain/contracts/check-contracts.ts'
import { type ChainNodes, createChainNodes } from '../../../shared/chain/nodes/chain-nodes.ts'
import { type ChainClient, createChainClient } from '../../../shared/chain/nodes/client.ts'
import { findMissingSafeContracts } from '../../../shared/chain/safe/find-missing-contracts.ts'
import { CHAIN_FAMILIES } from '../../../shared/domain/chain-families/chain-families.ts'
import type { IndexerDeployment } from '../../../shared/runtime/indexer-config.ts'
import type { DeploymentConfig, TokenConfig } from '../../../shared/runtime/networks-config.ts'
import { EXAMINATIONS_BY_FAMILY } from './examinations-by-family.ts'
import { examineAuthorization } from './examine-authorization.ts'
import { createPassedFinding, describeError, type Finding } from './finding.ts'

/** A deployment's data from the database. */
export type DeploymentFacts = {
  readonly pausedTokens: readonly string[]
  readonly relayers: readonly `0x${string}`[]
  /** Accounts that pay the gas for payments by signature. */
  readonly authorizers: readonly `0x${string}`[]
}

/**
 * Checks a chain through the trusted nodes: contracts, Safe, tokens, payment by signature, and the cost of a payout.
 */
export async function examineChain(
  deployment: IndexerDeployment,
  {
    rpcUrls,
    facts,
    coinUsd,
  }: { readonly rpcUrls: readonly string[]; readonly facts: DeploymentFacts; readonly coinUsd: number },
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
    mend: `npm run pairs -- resume, when it should be offered`,
  }))
  return [...findings, ...signatures.flat(), ...costs, ...paused]
}

async function contracts(chain: ChainNodes, deployment: DeploymentConfig): Promise<Finding> {
  const { network, environment } = deployment
  const subject = 'our contracts'
  const found = await checkContracts(chain, deployment)
  if (found === 'match') return createPassedFinding(subject, 'ours')
  if (found === 'missing')
    return {
      subject,
      found: 'not there',
      mend: `npm run contracts -- deploy --network ${network} --env ${environment}`,
    }
  if (found === 'unconfigured')
    return {
      subject,
      found: 'at no known address',
      mend: 'name the factory in NETWORKS_CONFIG as splitFactory; npm run contracts -- deploy makes one',
    }
  if (found === 'differ')
    return {
      subject,
      found: 'other code stands there',
      mend: 'use the release whose contracts were deployed there',
    }
  if (found === 'unreachable')
    return {
      subject,
      found: 'unread: no quorum of nodes reports the same',
      mend: 'name nodes that answer in rpcUrls, of as many operators as the quorum',
    }
  return { subject, found, mend: 'name a node that answers in rpcUrls' }
}

async function safe(client: ChainClient): Promise<Finding> {
  const subject = 'Safe 1.4.1'
  const missing = await findMissingSafeContracts(client).catch(describeError)
  if (typeof missing === 'string')
    return { subject, found: `unread: ${missing}`, mend: 'name a node that answers in rpcUrls' }
  if (missing.length === 0) return createPassedFinding(subject, 'there')
  return {
    subject,
    found: `not there: ${missing.join(', ')}`,
    mend: 'deploy them (safe-singleton-factory); until then no escrow is offered there',
  }
}

async function examineToken(client: ChainClient, token: TokenConfig): Promise<Finding> {
  const { address, decimals, restriction } = token
  const subject = `${token.token} ${address}`
  const told = await client
    .readContract({ address, abi: erc20Abi, functionName: 'decimals' })
    .catch(describeError)
  if (typeof told === 'string')
    return { subject, found: `tells no decimals: ${told}`, mend: 'correct its address in NETWORKS_CONFIG' }
  if (told !== decimals)
    return {
      subject,
      found: `has ${told} decimals`,
      mend: `correct ${decimals} to ${told} in NETWORKS_CONFIG`,
    }
  if (restriction === null) return createPassedFinding(subject, `${decimals} decimals, no restrictions`)
  const data = concatHex([restriction.selector, pad(zeroAddress)])
  const answer = await client.call({ to: address, data }).catch(() => null)
  if (answer?.data !== undefined && size(answer.data) === 32)
    return createPassedFinding(subject, `${decimals} decimals, ${restriction.function}`)
  return {
    subject,
    found: `has no ${restriction.function}`,
    mend: 'set "restriction": false for it in NETWORKS_CONFIG',
  }
}
