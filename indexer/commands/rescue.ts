import { BaseError, formatUnits } from 'viem'
import { checkContracts } from '../../shared/chain/contracts/check-contracts.ts'
import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { type ChargeTerms, findChargeTerms } from '../../shared/db/charges/daemon/charge-terms.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES, presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { encodeDistribution, hasNativeCoin, NATIVE_COIN } from '../../shared/domain/distribution-call.ts'
import { chargeSalt } from '../../shared/domain/split-address.ts'
import { CommandError, parseOptions, required } from '../../shared/runtime/command-line.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { atNode, checkDeployed } from './at-node.ts'
import { runCommand, withOperator } from './command.ts'
import { findDeployment, withoutUrls } from './find-deployment.ts'
import { readChargeFile, requireKnownFactory } from './read-charge-file.ts'
import { DEFAULT_KEY_SETTING, readPayingAccount } from './read-paying-account.ts'
import type { Rescuer } from './rescuer.ts'
import { RESCUERS_BY_FAMILY } from './tools-by-family.ts'

const USAGE = `Pays out money that was sent to a charge on a network or in a token that it does not accept, including native coin.

  npm run rescue -- --charge ID --network NETWORK
      --charge-file FILE         reads the charge's JSON, as sent by the API or a webhook, instead of the database;
                                 replaces --charge; - reads standard input
      --token-address ADDRESS    pays out this token instead of the configured tokens and the native coin; may be repeated.
                                 The native coin has the address ${NATIVE_COIN}
      --rpc URL                  uses this node instead of the configured ones
      --max-gas GAS              gas limit of each distribution, at most 16000000; by default 1000000 plus 300000 per
                                 recipient. Ignored on TRON, where only the number of recipients sets the limit
      --private-key-env NAME     variable with the private key of the account that pays for the transactions and
                                 receives the incentive; ${DEFAULT_KEY_SETTING} by default

The money goes to the recipients that the charge's address commits to: the merchant, their split recipients and the treasury. The
command deploys the charge's split, and on EVM networks also the factory, if they do not exist. Anyone may run it, and a second run
pays out only what has arrived since. It signs a transaction only if the terms derive the charge's address. If a recipient rejects
native coin, no recipient can be paid in it.
OPERATOR_DATABASE_URL names the database; NETWORKS_CONFIG and DEPLOYMENTS select the configured networks.

On TRON, only charges of TRON can be rescued. The command uses the factory in the charge's terms, even if NETWORKS_CONFIG now has
another factory, and first compares the factory's code with ours. The paying account is the T… address of the key; it needs TRX or
staked energy. A network without a splitFactory is not selected by default: name tron:live in DEPLOYMENTS.
`

/** Below the limit of 2^24 gas per transaction (EIP-7825). */
const MAX_GAS_OPTION = 16_000_000n

/** Maximum decimals that a token can have, because ERC-20 returns them as uint8. */
const MAX_DECIMALS = 255

await runCommand({ usage: USAGE, run })

/** An account's balance of a token, in atomic units. */
type Found = { readonly token: Address; readonly amount: bigint }

type Rescue = {
  readonly charge: ChargeTerms
  readonly deployment: DeploymentConfig
  readonly rescuer: Rescuer
  /** Gas limit of each distribution; `null` for the default. */
  readonly maxGas: bigint | null
}

async function run(args: string[]): Promise<readonly string[]> {
  const { values } = parseOptions(args, {
    texts: ['charge', 'charge-file', 'network', 'rpc', 'max-gas', 'private-key-env'],
    lists: ['token-address'],
  })
  const charge = await readCharge(values.charge, values['charge-file'])
  requireKnownFactory(charge)
  const network = required(values.network, 'network')
  const configured = findDeployment({ network, environment: charge.environment })
  const deployment = values.rpc === undefined ? configured : atNode(configured, values.rpc)
  if (deployment.family !== charge.family)
    throw new CommandError(
      `${charge.id} has no address on ${network}: name a network of the family ${charge.family}`,
    )
  const named = values['token-address'].map((text) => parseToken(text, charge))
  const tokens = named.length > 0 ? named : listTokens(deployment)
  const account = readPayingAccount(values['private-key-env'])
  const rescuer = RESCUERS_BY_FAMILY[charge.family](deployment, account)
  const maxGas = parseMaxGas(values['max-gas'])
  return rescue({ charge, deployment, rescuer, maxGas }, tokens).catch(withoutUrls)
}

async function readCharge(id: string | undefined, file: string | undefined): Promise<ChargeTerms> {
  if (file === undefined) return findCharge(required(id, 'charge'))
  if (id !== undefined)
    throw new CommandError('--charge and --charge-file exclude each other: use one of them')
  return readChargeFile(file)
}

async function findCharge(id: string): Promise<ChargeTerms> {
  const charge = await withOperator((sql) => findChargeTerms(sql, id))
  if (charge === null) throw new CommandError(`there is no charge ${id}`)
  return charge
}

function listTokens({ tokens, chainId }: DeploymentConfig): readonly Address[] {
  return [...tokens.map(({ address }) => address), ...(hasNativeCoin(chainId) ? [NATIVE_COIN] : [])]
}

function parseToken(text: string, { family }: ChargeTerms): Address {
  const { parseAddress, addressForm } = CHAIN_FAMILIES[family]
  const address = text.toLowerCase() === NATIVE_COIN ? NATIVE_COIN : parseAddress(text)
  if (address === null) throw new CommandError(`--token-address is ${text}: must be ${addressForm}`)
  return address
}

function parseMaxGas(text: string | undefined): bigint | null {
  if (text === undefined) return null
  const gas = /^[0-9]{1,8}$/.test(text) ? BigInt(text) : 0n
  if (gas < 1n || gas > MAX_GAS_OPTION)
    throw new CommandError(`--max-gas is ${text}: must be a number from 1 to ${MAX_GAS_OPTION}`)
  return gas
}

async function rescue(deps: Rescue, tokens: readonly Address[]): Promise<readonly string[]> {
  const { balances, unread } = await readBalances(deps, { tokens, account: deps.charge.splitAddress })
  const found = balances.filter(({ amount }) => amount > 0n)
  if (found.length === 0) return [...unread, ...(await explainNothing(deps, balances))]
  const lines = [...unread, ...(await requireFactory(deps))]
  // One distribution per token, because a token that cannot be paid out must not block the others.
  for (const { token, amount } of found) lines.push(await tryToDistribute(deps, { token, amount }))
  return lines
}

/** Returns the account's balances, and a line for each token whose balance could not be read. */
async function readBalances(
  { charge, rescuer }: Rescue,
  { tokens, account }: { readonly tokens: readonly Address[]; readonly account: Address },
): Promise<{ readonly balances: readonly Found[]; readonly unread: readonly string[] }> {
  const balances: Found[] = []
  const unread: string[] = []
  for (const token of tokens) {
    try {
      balances.push({ token, amount: await rescuer.balanceOf({ token, account }) })
    } catch (error) {
      if (!(error instanceof BaseError)) throw error
      unread.push(fail(`could not read the balance of ${nameOf(token, charge)}: ${error.shortMessage}`))
    }
  }
  return { balances, unread }
}

/** Explains why no token is paid out. Returns no line if no balance was read. */
async function explainNothing(deps: Rescue, read: readonly Found[]): Promise<readonly string[]> {
  if (read.length === 0) return []
  const { family, address, splitAddress, escrowReleaser: releaser } = deps.charge
  const tokens = read.map(({ token }) => token)
  const names = tokens.map((token) => nameOf(token, deps.charge)).join(', ')
  const nothing = `${presentAddress(splitAddress, family)} has no balance of ${names}: there is nothing to pay out`
  if (releaser === null) return [nothing]
  const { balances, unread } = await readBalances(deps, { tokens, account: address })
  if (balances.every(({ amount }) => amount === 0n)) return [nothing, ...unread]
  return [fail(`the money is in the escrow ${address}: only its releaser ${releaser} can move it`), ...unread]
}

/**
 * Checks the factory in the charge's terms, because another factory might have been configured since the charge's
 * creation. Deploys the factory if it is missing and has a fixed address. Returns the lines to print.
 */
async function requireFactory({ charge, deployment, rescuer }: Rescue): Promise<string[]> {
  const { family, splitTerms } = charge
  const ours = { ...deployment, family, splitFactory: splitTerms.factory }
  const before = await checkContracts(createChainNodes(ours), ours)
  if (before === 'match') return []
  if (before !== 'missing' || rescuer.deployFactory === null)
    throw new CommandError(
      `the contracts on ${deployment.network} cannot be used: their check found "${before}"`,
    )
  const hash = await rescuer.deployFactory()
  const after = await checkDeployed(ours)
  if (after !== 'match')
    throw new CommandError(
      `the check of the contracts on ${deployment.network} after the deployment found "${after}"`,
    )
  return hash === null ? [] : [`deployed the factory in transaction ${hash}`]
}

async function tryToDistribute(deps: Rescue, found: Found): Promise<string> {
  try {
    return await distribute(deps, found)
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    return fail(`could not distribute ${nameOf(found.token, deps.charge)}: ${error.shortMessage}`)
  }
}

/** Sets exit code 1 without throwing, so that the other tokens are still paid out. Returns the line. */
function fail(line: string): string {
  process.exitCode = 1
  return line
}

async function distribute({ charge, rescuer, maxGas }: Rescue, { token, amount }: Found): Promise<string> {
  const { splitTerms } = charge
  const data = encodeDistribution({
    split: splitTerms,
    salt: chargeSalt(charge.id),
    token,
    distributor: rescuer.account,
  })
  const call = { to: splitTerms.factory, data, recipients: splitTerms.recipients.length, maxGas }
  const { txHash, isSuccess } = await rescuer.send(call)
  const [name, hash] = [nameOf(token, charge), hashOf(txHash, charge)]
  if (!isSuccess) return fail(`distributing ${name} reverted in transaction ${hash}`)
  const decimals = await findDecimals(rescuer, token)
  return decimals === null
    ? fail(
        `distributed ${amount} atomic units of ${name} in transaction ${hash}, but could not read its decimals`,
      )
    : `distributed ${formatUnits(amount, decimals)} of ${name} in transaction ${hash}`
}

/** Returns `null` if the token returns no valid decimals. A token that the operator named may be any contract. */
async function findDecimals(rescuer: Rescuer, token: Address): Promise<number | null> {
  try {
    const decimals = await rescuer.decimalsOf(token)
    return decimals <= MAX_DECIMALS ? decimals : null
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    return null
  }
}

function nameOf(token: Address, { family }: ChargeTerms): string {
  return token === NATIVE_COIN ? 'the native coin' : presentAddress(token, family)
}

function hashOf(hash: Hex, { family }: ChargeTerms): string {
  return CHAIN_FAMILIES[family].presentTransactionHash(hash)
}
