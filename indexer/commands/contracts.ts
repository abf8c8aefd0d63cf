import { type ContractsCheck, checkContracts } from '../../shared/chain/contracts/check-contracts.ts'
import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Hex } from '../../shared/domain/address.ts'
import {
  CHAIN_FAMILIES,
  getSplitFactory,
  presentAddress,
} from '../../shared/domain/chain-families/chain-families.ts'
import { readDeployments } from '../../shared/runtime/command-config.ts'
import { CommandError, parseOptions, required, table } from '../../shared/runtime/command-line.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { atNode, checkDeployed } from './at-node.ts'
import { runCommand, selectCommand } from './command.ts'
import { findDeployment, withoutUrls } from './find-deployment.ts'
import { DEFAULT_KEY_SETTING, readPayingAccount } from './read-paying-account.ts'
import { FACTORY_DEPLOYERS_BY_FAMILY } from './tools-by-family.ts'

const USAGE = `Deploys our contracts, and checks that the code on chain is ours, byte for byte.

  npm run contracts -- check
      checks every configured network
  npm run contracts -- deploy --network NETWORK --env live|test
      --rpc URL                  uses this node instead of the configured ones
      --private-key-env NAME     variable with the private key of the account that pays for the transaction;
                                 ${DEFAULT_KEY_SETTING} by default
      --transaction ID           only on TRON: resumes an interrupted deployment with the same key; sends no transaction

Anyone may deploy. A second deployment has no effect, except on TRON, where each deployment creates a factory at another
address. On TRON, set that address as splitFactory in NETWORKS_CONFIG. Before the command sends a TRON transaction, it prints the
transaction id and the factory's future address. If the command is interrupted after that, resume it with --transaction. Deploy
again only if the transaction has expired and no block contains it. Exit code 1: a person must act; 75: too few nodes responded,
or they disagreed; try again later.
NETWORKS_CONFIG and DEPLOYMENTS select the configured networks.
`

const EXPLANATIONS: Readonly<Record<ContractsCheck, string>> = {
  match: 'ours',
  differ: 'NOT OURS: other code is deployed at our addresses',
  missing: 'missing: deploy the factory or, on TRON, correct splitFactory',
  unreachable: 'no quorum: too few nodes responded, or they disagreed; try again later',
  wrong_chain: 'WRONG CHAIN: every node reports a chain id other than the configured one',
  unconfigured: 'NOT CONFIGURED: NETWORKS_CONFIG has no splitFactory',
}

await runCommand({ usage: USAGE, run: selectCommand({ check: () => check(readDeployments()), deploy }) })

async function check(deployments: readonly DeploymentConfig[]): Promise<readonly string[]> {
  const payable = deployments.filter(({ family }) => CHAIN_FAMILIES[family].isPayable)
  const checked = await Promise.all(
    payable.map(async (deployment) => ({
      ...deployment,
      result: await checkContracts(createChainNodes(deployment), deployment),
    })),
  )
  process.exitCode = exitCodeFor(checked.map(({ result }) => result))
  const rows = checked.map(({ network, environment, chainId, result }) => [
    network,
    environment,
    String(chainId),
    EXPLANATIONS[result],
  ])
  return table([['network', 'env', 'chain id', 'contracts'], ...rows])
}

async function deploy(args: string[]): Promise<readonly string[]> {
  const { values } = parseOptions(args, {
    texts: ['network', 'env', 'rpc', 'private-key-env', 'transaction'],
  })
  const { network, env: environment, rpc } = values
  const deployment = findDeployment({
    network: required(network, 'network'),
    environment: required(environment, 'env'),
  })
  const place = rpc === undefined ? deployment : atNode(deployment, rpc)
  const earlier = values.transaction === undefined ? null : parseEarlier(values.transaction, place)
  const before = await checkContracts(createChainNodes(place), place)
  if (!isDeployable(place, before)) return conclude(place, before)
  const account = readPayingAccount(values['private-key-env'])
  const onSigned = (signed: Parameters<Deploying['onSigned']>[0]) => tellSigned(place, signed)
  const deploying = { account, earlier, onSigned }
  const { factory, txHash } = await FACTORY_DEPLOYERS_BY_FAMILY[place.family](place, deploying).catch(
    withoutUrls,
  )
  const deployed = { ...place, splitFactory: factory }
  const sent = txHash === null ? [] : [`deployed in transaction ${hashOf(place, txHash)}`]
  const named = before === 'unconfigured' ? [`add to NETWORKS_CONFIG: ${nameOf(deployed)}`] : []
  return [...sent, ...conclude(deployed, await checkDeployed(deployed)), ...named]
}

type Deploying = Parameters<(typeof FACTORY_DEPLOYERS_BY_FAMILY)[DeploymentConfig['family']]>[1]

/**
 * Prints the transaction id before the broadcast, because after an interruption only this id leads to the factory.
 */
function tellSigned(
  { family }: DeploymentConfig,
  { factory, txHash, expiresAt }: Parameters<Deploying['onSigned']>[0],
): void {
  const id = CHAIN_FAMILIES[family].presentTransactionHash(txHash)
  process.stdout.write(
    `signed transaction ${id}: the factory's address will be ${presentAddress(factory, family)}.\n` +
      `If no result follows, do not deploy again. Run: npm run contracts -- deploy … --transaction ${id}\n` +
      `If no block contains the transaction after ${expiresAt.toISOString()}, deploy without --transaction.\n`,
  )
}

/**
 * Parses the transaction id of an earlier deployment.
 *
 * @throws {CommandError} if the text is not a transaction id, or if the family's factory has a fixed address
 */
function parseEarlier(text: string, { family, network }: DeploymentConfig): Hex {
  if (CHAIN_FAMILIES[family].fixedFactory !== null)
    throw new CommandError(
      `--transaction is not supported on ${network}: its factory has a fixed address, so deploy again`,
    )
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/.exec(text) ?? []
  if (digits === undefined)
    throw new CommandError(
      `--transaction is ${JSON.stringify(text)}: must be 64 lowercase hex digits, as deploy printed them`,
    )
  return `0x${digits}`
}

/**
 * A factory with a fixed address may be deployed if it is missing. Any other factory may be deployed only if none is
 * configured, because a configured but missing factory is a mistake in the configuration.
 */
function isDeployable({ family }: DeploymentConfig, before: ContractsCheck): boolean {
  return before === (CHAIN_FAMILIES[family].fixedFactory === null ? 'unconfigured' : 'missing')
}

function hashOf({ family }: DeploymentConfig, txHash: Hex): string {
  return CHAIN_FAMILIES[family].presentTransactionHash(txHash)
}

function nameOf(deployment: DeploymentConfig): string {
  return `"splitFactory": "${factoryOf(deployment)}"`
}

function factoryOf(deployment: DeploymentConfig): string {
  const factory = getSplitFactory(deployment)
  return factory === null ? 'no factory' : presentAddress(factory, deployment.family)
}

function conclude(deployment: DeploymentConfig, result: ContractsCheck): readonly string[] {
  process.exitCode = exitCodeFor([result])
  return [`${factoryOf(deployment)}  ${EXPLANATIONS[result]}`]
}

function exitCodeFor(results: readonly ContractsCheck[]): 0 | 1 | 75 {
  if (results.some((result) => result !== 'match' && result !== 'unreachable')) return 1
  return results.includes('unreachable') ? 75 : 0
}
