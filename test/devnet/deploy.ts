import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import {
  type Abi,
  type Address,
  concatHex,
  createWalletClient,
  getCreate2Address,
  type Hex,
  http,
  parseAbi,
  publicActions,
  testActions,
  zeroHash,
} from 'viem'
import { checkContracts } from '../../shared/chain/contracts/check-contracts.ts'
import { deployFactory } from '../../shared/chain/contracts/deploy-factory.ts'
import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { createChainClient } from '../../shared/chain/nodes/client.ts'
import type { AuthorizationDomain } from '../../shared/domain/eip3009/authorization.ts'
import type { Token } from '../../shared/domain/networks.ts'
import { configureNodes } from '../../shared/domain/node-config.ts'
import { ACCOUNTS, toSigner } from './accounts.ts'
import type { Anvil } from './anvil.ts'
import { requireMined } from './require-mined.ts'

/** A token to deploy. `contract` is our contract that behaves like the issuer's. */
export type TestToken = {
  readonly token: Token
  readonly contract: 'TestUSDC' | 'TestUSDT' | 'TestUSDT0' | 'TestToken'
  readonly decimals: number
}

/** A deployed token. */
export type DeployedToken = {
  readonly token: Token
  readonly address: Address
  readonly decimals: number
  /** EIP-712 domain, if the token supports authorizations. */
  readonly authorization?: AuthorizationDomain
}

/** EIP-712 domain of `TestUSDC` on every chain. */
const USD_COIN: AuthorizationDomain = { name: 'USD Coin', version: '2' }

/** Number of whole tokens to mint, more than any payer spends. */
const MINTED_TOKENS = 1_000_000_000n

/** Resolves artifacts in npm packages that do not export these files by name. */
const require = createRequire(import.meta.url)

/**
 * The deployer of Safe's canonical contracts.
 *
 * @see safe-global/safe-singleton-factory
 */
const SAFE_SINGLETON_FACTORY: Address = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7'
const DETERMINISTIC_DEPLOYMENT_PROXY: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
/** @see https://github.com/mds1/multicall3 */
const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** Safe v1.4.1's artifacts and canonical addresses (safe-deployments 1.37.63). */
const SAFE_CONTRACTS: Readonly<Record<string, Address>> = {
  'SafeL2.sol/SafeL2': '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762',
  'proxies/SafeProxyFactory.sol/SafeProxyFactory': '0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67',
  'handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler':
    '0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99',
  'libraries/MultiSendCallOnly.sol/MultiSendCallOnly': '0x9641d764fc13c8B624c04430C7356C1C7C8102e2',
}

/**
 * Deploys the contracts of a real chain (Multicall3, the Safe contracts), our factory and the test tokens to an empty
 * chain, and mints tokens to the payers.
 *
 * Chains with the same order of tokens have the same token addresses, so that tests fail if code identifies a payment
 * only by its token's address.
 */
export async function deployContracts(
  chain: Anvil,
  tokens: readonly TestToken[],
): Promise<readonly DeployedToken[]> {
  const wallet = connectWallet(chain)
  const deployed: DeployedToken[] = []
  for (const token of tokens) deployed.push(await deployToken(wallet, token))
  await deployMulticall3(chain)
  await placeSingletonFactory(wallet)
  await deploySystem(chain)
  return deployed
}

/** Deploys the Safe contracts and our factory, without requests that only anvil supports. */
export async function deploySystem(chain: Anvil): Promise<void> {
  await deploySafe(connectWallet(chain))
  await deployOurs(chain)
}

/** Makes the chain mine a block at this interval in seconds, even if the block is empty. */
export async function mineOnInterval(chain: Anvil, seconds: number): Promise<void> {
  const wallet = connectWallet(chain)
  await wallet.setAutomine(false)
  await wallet.setIntervalMining({ interval: seconds })
}

/** A client that sends transactions as the deployer, and supports anvil's own methods. */
export type DevnetWallet = ReturnType<typeof connectWallet>

/** Creates the wallet of the deployer on a local chain. */
export function connectWallet({ chainId, rpcUrl }: Anvil) {
  const { chain } = createChainClient({ chainId, rpcUrls: [rpcUrl] })
  return createWalletClient({ account: toSigner(ACCOUNTS.deployer), chain, transport: http(rpcUrl) })
    .extend(publicActions)
    .extend(testActions({ mode: 'anvil' }))
}

async function deployToken(wallet: DevnetWallet, plan: TestToken): Promise<DeployedToken> {
  const { token, decimals } = plan
  const address = await createToken(wallet, plan)
  for (const payer of [ACCOUNTS.payer, ACCOUNTS.payer2])
    await mintTokens(wallet, { address, decimals }, payer.address)
  return { token, address, decimals, ...(plan.contract === 'TestUSDC' && { authorization: USD_COIN }) }
}

/** Deploys a token's contract without minting any tokens, and returns its address. */
export async function createToken(
  wallet: DevnetWallet,
  { token, contract, decimals }: TestToken,
): Promise<Address> {
  const { abi, bytecode } = await readArtifact(
    new URL(`../../contracts/artifacts/${contract}.json`, import.meta.url),
  )
  const args = contract === 'TestToken' ? [`${token} (bridged)`, token, decimals] : [decimals]
  return created(wallet, await wallet.deployContract({ abi, bytecode, args }))
}

/** Mints 10⁹ whole tokens to an account. */
export async function mintTokens(
  wallet: DevnetWallet,
  { address, decimals }: Pick<DeployedToken, 'address' | 'decimals'>,
  to: Address,
): Promise<void> {
  const args = [to, MINTED_TOKENS * 10n ** BigInt(decimals)] as const
  await requireMined(wallet, await wallet.writeContract({ address, abi: MINT, functionName: 'mint', args }))
}

const MINT = parseAbi(['function mint(address to, uint256 amount)'])

/** Sets Multicall3's code at its usual address, because anvil rejects the gas price of its original deployment. */
export async function deployMulticall3(chain: Anvil): Promise<void> {
  const wallet = connectWallet(chain)
  const path = require.resolve('viem').replace(/_cjs\/index\.js$/, '_esm/constants/contracts.js')
  const { multicall3Bytecode } = (await import(pathToFileURL(path).href)) as { multicall3Bytecode: Hex }
  const copy = await created(wallet, await wallet.deployContract({ abi: [], bytecode: multicall3Bytecode }))
  await wallet.setCode({ address: MULTICALL3, bytecode: await requireCode(wallet, copy) })
}

/** Copies anvil's deterministic deployment proxy, whose code is the same as that of Safe's singleton factory. */
async function placeSingletonFactory(wallet: DevnetWallet): Promise<void> {
  const bytecode = await requireCode(wallet, DETERMINISTIC_DEPLOYMENT_PROXY)
  await wallet.setCode({ address: SAFE_SINGLETON_FACTORY, bytecode })
}

async function deploySafe(wallet: DevnetWallet): Promise<void> {
  for (const [path, expected] of Object.entries(SAFE_CONTRACTS)) {
    const artifact = await readArtifact(
      pathToFileURL(require.resolve(`@safe-global/safe-contracts/build/artifacts/contracts/${path}.json`)),
    )
    const hash = await wallet.sendTransaction({
      to: SAFE_SINGLETON_FACTORY,
      data: concatHex([zeroHash, artifact.bytecode]),
    })
    await requireMined(wallet, hash)
    const address = getCreate2Address({
      from: SAFE_SINGLETON_FACTORY,
      salt: zeroHash,
      bytecode: artifact.bytecode,
    })
    if (address !== expected)
      throw new Error(`${path} must be at ${expected}, but its bytecode results in ${address}`)
    await requireCode(wallet, address)
  }
}

async function deployOurs({ chainId, rpcUrl }: Anvil): Promise<void> {
  const client = createChainClient({ chainId, rpcUrls: [rpcUrl] })
  await deployFactory(client, toSigner(ACCOUNTS.deployer))
  const chain = createChainNodes({ chainId, nodes: configureNodes([rpcUrl]), quorum: 1 })
  const result = await checkContracts(chain, { family: 'evm' })
  if (result !== 'match') throw new Error(`after deploying, the contracts on chain ${chainId} are: ${result}`)
}

async function created(wallet: DevnetWallet, hash: Hex): Promise<Address> {
  const { contractAddress } = await requireMined(wallet, hash)
  if (!contractAddress) throw new Error(`transaction ${hash} created no contract`)
  return contractAddress
}

async function requireCode(wallet: DevnetWallet, address: Address): Promise<Hex> {
  const code = await wallet.getCode({ address })
  if (code === undefined) throw new Error(`no code at ${address}`)
  return code
}

async function readArtifact(url: URL): Promise<{ abi: Abi; bytecode: Hex }> {
  return JSON.parse(await readFile(url, 'utf8')) as { abi: Abi; bytecode: Hex }
}
