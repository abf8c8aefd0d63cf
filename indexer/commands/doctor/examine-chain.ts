import { concatHex, formatUnits, pad, size, zeroAddress } from 'viem'
import { erc20Abi } from '../../../shared/chain/abi/erc20.ts'
import { type ChainClient, createChainClient } from '../../../shared/chain/client.ts'
import { checkContracts } from '../../../shared/chain/contracts-check.ts'
import { SAFE_CONTRACTS } from '../../../shared/domain/escrow-address.ts'
import { FAMILIES } from '../../../shared/domain/families/families.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { DeploymentConfig, TokenConfig } from '../../../shared/runtime/networks-config.ts'
import { LOW_PAYOUTS, readPayoutCost } from '../../relayer/payout-cost.ts'
import { type Finding, reasonOf, well } from './finding.ts'

/** What the database says of a deployment. */
export type DeploymentFacts = {
  readonly pausedTokens: readonly string[]
  readonly relayers: readonly `0x${string}`[]
}

/** Reads what stands on a chain, by the nodes that can be believed: contracts, Safe, tokens, and what a payout costs. */
export async function examineChain(
  deployment: DeploymentConfig,
  { rpcUrls, facts }: { readonly rpcUrls: readonly string[]; readonly facts: DeploymentFacts },
): Promise<readonly Finding[]> {
  const client = createChainClient({ chainId: deployment.chainId, rpcUrls })
  const findings = await Promise.all([
    contracts(client, deployment),
    ...(FAMILIES[deployment.family].hasEscrow ? [safe(client)] : []),
    ...deployment.tokens.filter(({ enabled }) => enabled).map((token) => examineToken(client, token)),
    ...facts.relayers.map((relayer) => examineRelayer(client, { deployment, relayer })),
  ])
  const paused = facts.pausedTokens.map((token) => ({
    subject: `${token} pair`,
    found: 'paused by an operator',
    mend: `npm run pairs -- resume, when it should be offered`,
  }))
  return [...findings, ...paused]
}

async function contracts(client: ChainClient, { network, environment }: DeploymentConfig): Promise<Finding> {
  const subject = 'our contracts'
  const found = await checkContracts(client)
  if (found === 'match') return well(subject, 'ours')
  if (found === 'missing')
    return {
      subject,
      found: 'not there',
      mend: `npm run contracts -- deploy --network ${network} --env ${environment}`,
    }
  if (found === 'differ')
    return {
      subject,
      found: 'other code stands there',
      mend: 'use the release whose contracts were deployed there',
    }
  return { subject, found, mend: 'name a node that answers in rpcUrls' }
}

async function safe(client: ChainClient): Promise<Finding> {
  const codes = await Promise.all(
    Object.entries(SAFE_CONTRACTS).map(async ([name, address]) => ({
      name,
      code: await client.getCode({ address }).catch(() => undefined),
    })),
  )
  const missing = codes.filter(({ code }) => code === undefined).map(({ name }) => name)
  if (missing.length === 0) return well('Safe 1.4.1', 'there')
  return {
    subject: 'Safe 1.4.1',
    found: `not there: ${missing.join(', ')}`,
    mend: 'offer no escrow there until they are deployed (safe-singleton-factory)',
  }
}

async function examineToken(client: ChainClient, token: TokenConfig): Promise<Finding> {
  const { address, decimals, restriction } = token
  const subject = `${token.token} ${address}`
  const told = await client.readContract({ address, abi: erc20Abi, functionName: 'decimals' }).catch(reasonOf)
  if (typeof told === 'string')
    return { subject, found: `tells no decimals: ${told}`, mend: 'correct its address in NETWORKS_CONFIG' }
  if (told !== decimals)
    return {
      subject,
      found: `has ${told} decimals`,
      mend: `correct ${decimals} to ${told} in NETWORKS_CONFIG`,
    }
  if (restriction === null) return well(subject, `${decimals} decimals, no restrictions`)
  const data = concatHex([restriction.selector, pad(zeroAddress)])
  const answer = await client.call({ to: address, data }).catch(() => null)
  if (answer?.data !== undefined && size(answer.data) === 32)
    return well(subject, `${decimals} decimals, ${restriction.function}`)
  return {
    subject,
    found: `has no ${restriction.function}`,
    mend: 'set "restriction": false for it in NETWORKS_CONFIG',
  }
}

async function examineRelayer(
  client: ChainClient,
  { deployment, relayer }: { readonly deployment: DeploymentConfig; readonly relayer: `0x${string}` },
): Promise<Finding> {
  const subject = `relayer ${relayer}`
  const { gas, dataFee } = REGISTRY[deployment.network]
  const { nativeCurrency } = REGISTRY[deployment.network].live
  if (gas === null) return well(subject, 'pays no gas by price here')
  const [balance, cost] = await Promise.all([
    client.getBalance({ address: relayer }),
    readPayoutCost([client], { gasBounds: gas, dataFee }),
  ])
  const found = `${formatUnits(balance, 18)} ${nativeCurrency.symbol}; a payout costs at most ${formatUnits(cost, 18)}`
  if (balance >= LOW_PAYOUTS * cost) return well(subject, found)
  return {
    subject,
    found,
    mend: `send it ${formatUnits(LOW_PAYOUTS * cost - balance, 18)} ${nativeCurrency.symbol} or more`,
  }
}
