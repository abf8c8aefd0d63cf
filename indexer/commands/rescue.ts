import { parseArgs } from 'node:util'
import { type Account, BaseError, createWalletClient, custom, formatUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

import { erc20Abi } from '../../shared/chain/abi/erc20.ts'
import { type ChainClient, createChainClient } from '../../shared/chain/client.ts'
import { checkContracts } from '../../shared/chain/contracts-check.ts'
import { deployFactory } from '../../shared/chain/deploy-factory.ts'
import { waitForReceipt } from '../../shared/chain/wait-for-receipt.ts'
import { type ChargeTerms, findChargeTerms } from '../../shared/db/charges/daemon/charge-terms.ts'
import { type Address, parseEvmAddress } from '../../shared/domain/address.ts'
import { encodeDistribution, hasNativeCoin, NATIVE_COIN } from '../../shared/domain/distribution-call.ts'
import { chargeSalt } from '../../shared/domain/split-address.ts'
import { readOperatorConfig, readPrivateKey } from '../../shared/runtime/command-config.ts'
import { CommandError, required } from '../../shared/runtime/command-line.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { runCommand, withConnection } from './command.ts'
import { findDeployment, withoutUrls } from './find-deployment.ts'
import { readChargeFile, requireOwnSplit } from './read-charge-file.ts'

const USAGE = `Pays out what was sent to a charge on a network, or in a token, that it never accepted, native coin too.

  npm run rescue -- --charge ID --network NETWORK
      --charge-file FILE         in place of --charge and the database: a charge's JSON as the API answered it or a
                                 webhook told it; - reads standard input
      --token-address 0x…        another token than the configured ones and the native coin, which is
                                 ${NATIVE_COIN}; may be given several times
      --rpc URL                  another node than the configured ones
      --private-key-env NAME     who pays for the transactions and gets the incentive; DEPLOYER_PRIVATE_KEY otherwise

The money goes where the charge's address has promised it from the start: to the merchant and his recipients. Deploys
the factory and the charge's split if they are not there yet. Anyone may do this; a second time does nothing. Nothing
is signed unless the terms make the charge's address. A recipient who takes no native coin keeps it from all of them.
OPERATOR_DATABASE_URL names the database; NETWORKS_CONFIG and DEPLOYMENTS say which networks are configured.
`

/** Two blocks of the slowest network and room for a busy one. */
const RECEIPT_TIMEOUT_MS = 120_000

/** Of the native coin of every EVM network. */
const NATIVE_DECIMALS = 18

await runCommand({ usage: USAGE, run })

/** What the charge's split holds. */
type Found = { readonly token: Address; readonly amount: bigint }

type Rescue = {
  readonly charge: ChargeTerms
  readonly deployment: DeploymentConfig
  readonly client: ChainClient
  readonly account: Account
}

async function run(args: string[]): Promise<readonly string[]> {
  const { values } = parseArgs({
    args,
    options: {
      charge: { type: 'string' },
      'charge-file': { type: 'string' },
      network: { type: 'string' },
      'token-address': { type: 'string', multiple: true },
      rpc: { type: 'string' },
      'private-key-env': { type: 'string', default: 'DEPLOYER_PRIVATE_KEY' },
    },
  })
  const charge = await readCharge(values.charge, values['charge-file'])
  requireOwnSplit(charge)
  const network = required(values.network, 'network')
  const deployment = findDeployment({ network, environment: charge.environment })
  const tokens = values['token-address']?.map(parseToken) ?? [
    ...deployment.tokens.map(({ address }) => address),
    ...(hasNativeCoin(deployment.chainId) ? [NATIVE_COIN] : []),
  ]
  const client = createChainClient(
    values.rpc === undefined ? deployment : { ...deployment, rpcUrls: [values.rpc] },
  )
  const account = privateKeyToAccount(readPrivateKey(values['private-key-env']))
  return rescue({ charge, deployment, client, account }, tokens).catch(withoutUrls)
}

async function readCharge(id: string | undefined, file: string | undefined): Promise<ChargeTerms> {
  if (file === undefined) return findCharge(required(id, 'charge'))
  if (id !== undefined)
    throw new CommandError('--charge and --charge-file name two charges: give one of them')
  return readChargeFile(file)
}

async function findCharge(id: string): Promise<ChargeTerms> {
  const charge = await withConnection(readOperatorConfig().databaseUrl, (sql) => findChargeTerms(sql, id))
  if (charge === null) throw new CommandError(`there is no charge ${id}`)
  return charge
}

function parseToken(text: string): Address {
  const address = parseEvmAddress(text)
  if (address === null) throw new CommandError(`--token-address is ${text}: must be 0x and 40 hex digits`)
  return address
}

async function rescue(deps: Rescue, tokens: readonly Address[]): Promise<readonly string[]> {
  const { charge, client } = deps
  const found: Found[] = []
  for (const token of tokens) {
    const amount = await balanceOf(client, { token, account: charge.splitAddress })
    if (amount > 0n) found.push({ token, amount })
  }
  if (found.length === 0) return [await explainNothing(deps, tokens)]
  const lines = await requireFactory(deps)
  // One by one: a token that cannot be paid out must not keep the others.
  for (const { token, amount } of found) lines.push(await tryToDistribute(deps, { token, amount }))
  return lines
}

async function explainNothing({ charge, client }: Rescue, tokens: readonly Address[]): Promise<string> {
  const nothing = `${charge.splitAddress} holds none of ${tokens.join(', ')} there: nothing to do`
  if (charge.escrowReleaser === null) return nothing
  const held = await Promise.all(tokens.map((token) => balanceOf(client, { token, account: charge.address })))
  if (held.every((amount) => amount === 0n)) return nothing
  throw new CommandError(
    `the money is in the escrow ${charge.address}: only its releaser ${charge.escrowReleaser} can move it`,
  )
}

async function requireFactory({ deployment, client, account }: Rescue): Promise<string[]> {
  const before = await checkContracts(client, deployment)
  if (before === 'match') return []
  if (before !== 'missing') throw new CommandError(`the contracts there are not usable: ${before}`)
  const hash = await deployFactory(client, account)
  const after = await checkContracts(client, deployment)
  if (after !== 'match') throw new CommandError(`after deploying, the contracts there are: ${after}`)
  return [`deployed the factory in transaction ${hash}`]
}

async function tryToDistribute(deps: Rescue, found: Found): Promise<string> {
  try {
    return await distribute(deps, found)
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    process.exitCode = 1
    return `could not distribute ${found.token}: ${error.shortMessage}`
  }
}

async function distribute({ charge, client, account }: Rescue, { token, amount }: Found): Promise<string> {
  const data = encodeDistribution({
    split: charge.splitTerms,
    salt: chargeSalt(charge.id),
    token,
    distributor: account.address.toLowerCase() as Address,
  })
  const wallet = createWalletClient({ account, chain: client.chain, transport: custom(client) })
  // Estimating the gas simulates it: what would revert is not sent.
  const hash = await wallet.sendTransaction({ to: charge.splitTerms.factory, data })
  const { status } = await waitForReceipt(client, hash, { timeoutMs: RECEIPT_TIMEOUT_MS })
  if (status !== 'success') throw new CommandError(`distributing ${token} reverted in ${hash}`)
  const decimals = await decimalsOf(client, token)
  const name = token === NATIVE_COIN ? 'the native coin' : token
  return `distributed ${formatUnits(amount, decimals)} of ${name} in transaction ${hash}`
}

function balanceOf(
  client: ChainClient,
  { token, account }: { readonly token: Address; readonly account: Address },
): Promise<bigint> {
  if (token === NATIVE_COIN) return client.getBalance({ address: account })
  return client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [account] })
}

async function decimalsOf(client: ChainClient, token: Address): Promise<number> {
  if (token === NATIVE_COIN) return NATIVE_DECIMALS
  return client.readContract({ address: token, abi: erc20Abi, functionName: 'decimals' })
}
