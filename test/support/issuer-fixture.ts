import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Abi, Hex } from 'viem'
import { createWalletClient, http, publicActions } from 'viem'
import { foundry } from 'viem/chains'
import artifact from '../../contracts/artifacts/TestUSDC.json' with { type: 'json' }
import type { Address } from '../../shared/domain/address.ts'
import { SAFE_CONTRACTS } from '../../shared/domain/escrow-address.ts'
import type { Network } from '../../shared/domain/networks.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { ACCOUNTS, toSigner } from '../devnet/accounts.ts'
import { startAnvil } from '../devnet/anvil.ts'
import { requireMined } from '../devnet/require-mined.ts'
import { address, startTestApi, type TestApi } from './api.ts'
import { nodesAt } from './nodes-at.ts'
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts'

/** Networks whose USDC is a contract on the local chain, with an issuer that can restrict accounts. */
const ISSUED = ['base', 'ethereum', 'avalanche'] as const

type Issued = (typeof ISSUED)[number]

/** The API, with issuers that restrict accounts on request. */
export type IssuerFixture = {
  readonly api: TestApi
  /** Proxy between the API and the chain. */
  readonly node: RpcProxy
  /** Address of some contract that is not a token of the API. */
  readonly contract: Address
  /** Has a network's USDC restrict an account. */
  readonly restrict: (account: Address, network: Issued) => Promise<void>
  readonly close: () => Promise<void>
}

/** Starts the chain and the API. `env` overrides settings of the API. */
export async function createIssuerFixture(
  env: Readonly<Record<string, string>> = {},
): Promise<IssuerFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'issuers-'))
  const anvil = await startAnvil({ name: 'chain', chainId: foundry.id, directory })
  const node = await startRpcProxy(anvil.rpcUrl)
  const wallet = connectIssuer(anvil.rpcUrl)
  const tokens = new Map<Network, Address>()
  for (const network of ISSUED) tokens.set(network, await deployToken(wallet))
  for (const safe of Object.values(SAFE_CONTRACTS))
    await wallet.request({ method: 'anvil_setCode', params: [safe, '0x00'] } as never)
  // One local chain represents all networks in `ISSUED`, so each needs a proxy that reports the network's chain id.
  const fronts = new Map<number, RpcProxy>()
  for (const chainId of CHAIN_IDS) fronts.set(chainId, await openDoor(node.url, chainId))
  const api = await startTestApi(env, (config) => ({
    ...config,
    // A response after this timeout would change the result to "unknown".
    issuerTimeoutMs: 20_000,
    deployments: config.deployments.map((one) =>
      atStage(one, { url: fronts.get(one.chainId)?.url ?? node.url, tokens }),
    ),
  }))
  await insertNetworks(api)
  return {
    api,
    node,
    contract: await deployToken(wallet),
    restrict: (account, network) => blacklist(wallet, { token: tokens.get(network), account }),
    close: async () => {
      await api.stop()
      for (const front of fronts.values()) await front.stop()
      await node.stop()
      await anvil.stop()
      await rm(directory, { recursive: true })
    },
  }
}

const CHAIN_IDS = [1, 10, 56, 137, 8453, 42161, 43114, 84532, 11155111, 11155420]

async function openDoor(url: string, chainId: number): Promise<RpcProxy> {
  const door = await startRpcProxy(url)
  door.rule((method) => (method === 'eth_chainId' ? { result: `0x${chainId.toString(16)}` } : 'pass'))
  return door
}

/** Connects to the chain as the issuer. */
function connectIssuer(url: string) {
  return createWalletClient({
    account: toSigner(ACCOUNTS.deployer),
    chain: foundry,
    transport: http(url),
  }).extend(publicActions)
}

type Issuer = ReturnType<typeof connectIssuer>

async function deployToken(wallet: Issuer): Promise<Address> {
  const { bytecode } = artifact
  const hash = await wallet.deployContract({
    abi: artifact.abi as Abi,
    bytecode: bytecode as Hex,
    args: [6],
  })
  const { contractAddress } = await requireMined(wallet, hash)
  return address(contractAddress ?? '')
}

async function blacklist(
  wallet: Issuer,
  at: { token: Address | undefined; account: Address },
): Promise<void> {
  const hash = await wallet.writeContract({
    address: at.token as Address,
    abi: artifact.abi as Abi,
    functionName: 'blacklist',
    args: [at.account],
  })
  await requireMined(wallet, hash)
}

function atStage(
  deployment: DeploymentConfig,
  stage: { readonly url: string; readonly tokens: ReadonlyMap<Network, Address> },
): DeploymentConfig {
  const issued = deployment.environment === 'live' ? stage.tokens.get(deployment.network) : undefined
  if (issued === undefined) return deployment
  const tokens = deployment.tokens.map((one) => (one.token === 'USDC' ? { ...one, address: issued } : one))
  return { ...deployment, ...nodesAt([stage.url]), tokens }
}

/** Inserts the networks and tokens that `startTestApi` does not insert. */
async function insertNetworks({ owner }: TestApi): Promise<void> {
  await owner`
    insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, contracts_match,
      head_number, max_head_number, max_head_at)
    values (1, 'ethereum', 'live', 'evm', 12, 12000, true, 100, 100, now() + interval '1 hour'),
      (43114, 'avalanche', 'live', 'evm', 1, 1700, true, 100, 100, now() + interval '1 hour')`
  await owner`
    insert into pairs (chain_id, network, environment, token, token_address, decimals, enabled)
    select d.chain_id, d.network, 'live', 'USDC', '0x' || lpad(d.chain_id::text, 40, '0'), 6, true
    from deployments d where d.chain_id in (1, 43114)`
}
