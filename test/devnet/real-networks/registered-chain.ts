import { type Address, type Hex, parseEther } from 'viem'

import entryPoint from '../../../contracts/artifacts/TestEntryPoint.json' with { type: 'json' }
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { type Environment, type Network, pairKey, TOKENS } from '../../../shared/domain/networks.ts'
import { ACCOUNTS } from '../accounts.ts'
import { type Anvil, startAnvil } from '../anvil.ts'
import { ARC_USDC } from '../arc/addresses.ts'
import type { ArcChainId } from '../arc/arc-family.ts'
import { createArcWallet } from '../arc/arc-wallet.ts'
import { startArc } from '../arc/start-arc.ts'
import { connectWallet, type DeployedToken, deployContracts, deploySystem, mintTokens } from '../deploy.ts'
import { ENTRY_POINT } from '../entry-point.ts'
import type { ChainPlan, StartedChain } from '../networks.ts'
import { installToken } from './install-token.ts'
import { type BlockPace, paceBlocks } from './mine-at-interval.ts'
import { nameOf, TOKEN_BEHAVIOURS } from './token-behaviours.ts'

/** A network of the registry on a local chain. The service uses the registry's values. */
export type RegisteredChain = {
  readonly plan: ChainPlan
  /** @throws {Error} before the chain has started */
  readonly pace: () => BlockPace
}

type Wishes = {
  /** Accounts that receive native coins and tokens. */
  readonly payers: readonly Address[]
  /** A block time that replaces the registry's, in the service's configuration too. */
  readonly blockMs?: number
}

/** Interval between blocks while contracts are deployed on a chain that mines only on request. */
const SETUP_BLOCK_MS = 20

/**
 * Plans a local chain with a network's real chain id, block time and token addresses. Each token behaves like the real
 * token. `NETWORKS_CONFIG` contains only the node's URL, a quorum of 1, a start block and, if given, `blockMs`, so that
 * the service uses the registry's ids, addresses, decimals and confirmation depths.
 */
export function registeredChain(
  place: { readonly network: Network; readonly environment: Environment },
  wishes: Wishes,
): RegisteredChain {
  const { network, environment } = place
  const { confirmations, live, ...facts } = REGISTRY[network]
  const deployment = environment === 'live' ? live : facts.test
  if (deployment === null) throw new Error(`${network} has no ${environment} environment`)
  const { chainId } = deployment
  const blockMs = wishes.blockMs ?? deployment.blockTimeMs
  let pace: BlockPace | undefined
  const start = async ({ directory }: { readonly directory: string }): Promise<StartedChain> => {
    const options = { name: `${network}-${environment}`, chainId, directory }
    const started =
      network === 'arc'
        ? await startLocalArc(options, wishes.payers)
        : await startLocalAnvil(options, { place, payers: wishes.payers })
    pace = paceBlocks(started.anvil, blockMs)
    const stop = () => Promise.all([pace?.pause(), started.anvil.stop()]).then(() => undefined)
    return { ...started, anvil: { ...started.anvil, stop } }
  }
  return {
    plan: {
      ...{ ...place, chainId, confirmations, blockMs, start, tokens: [] },
      overrides: wishes.blockMs === undefined ? {} : { blockTimeMs: wishes.blockMs },
    },
    pace: () => {
      if (pace === undefined) throw new Error(`${network} has not been started`)
      return pace
    },
  }
}

type NodeOptions = { readonly name: string; readonly chainId: number; readonly directory: string }

async function startLocalAnvil(
  options: NodeOptions,
  { place, payers }: Pick<Wishes, 'payers'> & { place: { network: Network; environment: Environment } },
): Promise<StartedChain> {
  const anvil = await startAnvil(options)
  return orStop(anvil, async () => {
    const wallet = connectWallet(anvil)
    await deployContracts(anvil, [])
    await wallet.setCode({ address: ENTRY_POINT, bytecode: entryPoint.deployedBytecode as Hex })
    const deployed: DeployedToken[] = []
    for (const { token, address } of tokensOf(place)) {
      const behaviour = TOKEN_BEHAVIOURS[pairKey({ token, network: place.network })]
      if (behaviour === undefined)
        throw new Error(`the behaviour of ${token} on ${place.network} is not defined`)
      const name = nameOf(behaviour, place.environment)
      deployed.push(await installToken(wallet, { ...behaviour, token, address, name }))
    }
    for (const address of payers) {
      await wallet.setBalance({ address, value: parseEther('1000') })
      for (const token of deployed) await mintTokens(wallet, token, address)
    }
    await wallet.setAutomine(false)
    return { anvil, deployed }
  })
}

async function startLocalArc(options: NodeOptions, payers: readonly Address[]): Promise<StartedChain> {
  const arc = await startArc({ ...options, chainId: options.chainId as ArcChainId, blockMs: 0 })
  return orStop(arc, async () => {
    const pace = paceBlocks(arc, SETUP_BLOCK_MS)
    await deploySystem(arc)
    const { sendNative } = createArcWallet(arc, ACCOUNTS.deployer)
    for (const address of payers) await sendNative(address, parseEther('1000'))
    await pace.pause()
    return { anvil: arc, deployed: [{ token: 'USDC', address: ARC_USDC, decimals: 6 }] }
  })
}

function tokensOf({ network, environment }: { network: Network; environment: Environment }) {
  const tokens = REGISTRY[network][environment]?.tokens
  return TOKENS.flatMap((token) => {
    const address: Address | undefined = tokens?.[token]?.address
    return address === undefined ? [] : [{ token, address }]
  })
}

async function orStop(chain: Anvil, work: () => Promise<StartedChain>): Promise<StartedChain> {
  try {
    return await work()
  } catch (error) {
    await chain.stop()
    throw error
  }
}
