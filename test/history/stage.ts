import type { Network } from '../../shared/domain/networks.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { LIVE_CHAINS } from '../devnet/networks.ts'
import type { ServicePlan } from '../devnet/service.ts'
import { type FaultyNodes, planFaultyNodes } from '../support/faulty-nodes.ts'
import { superviseServices } from '../support/process-kills.ts'
import type { RecordedNetwork } from './checker/entry.ts'

/** The running service, and the nodes from which it reads the chains. */
export type Stage = {
  readonly devnet: Devnet
  /** Three nodes of base and two of bnb, each with its own operator. The quorum on each chain is two. */
  readonly nodes: { readonly base: FaultyNodes['nodes']; readonly bnb: FaultyNodes['nodes'] }
  /** The chains, with the RPC URLs that the recorder and the checker read directly, not through `nodes`. */
  readonly networks: readonly RecordedNetwork[]
  readonly stop: () => Promise<void>
}

/**
 * Confirmation depth, in blocks of one second. Even on a busy machine, the recorder sees a credit in less time than
 * these blocks take. It therefore records a credit that is made too early before the block is at depth, so that the
 * checker detects it. A reorganization of up to eleven blocks must not change a credit.
 */
export const CONFIRMATIONS = 12

/** Starts the built processes, PostgreSQL and the chains. Restarts processes that exit. */
export async function startStage(options: {
  readonly directory: string
  /** Returns the command that starts a process of another build; by default that of `dist`. */
  readonly confine?: ServicePlan['confine']
}): Promise<Stage> {
  const [base, bnb] = [planNodes('base', 3), planNodes('bnb', 2)]
  const stopNodes = async () => void (await Promise.all([base.stop(), bnb.stop()]))
  try {
    const devnet = await startDevnet({
      ...{ directory: options.directory, program: 'dist' as const, chains: [base.plan, bnb.plan] },
      ...(options.confine && { confine: options.confine }),
      ...{ confirmations: CONFIRMATIONS, graceSeconds: 1 },
    })
    const supervisor = superviseServices(devnet)
    const stop = async () => {
      supervisor.stop()
      await devnet.stop()
      await stopNodes()
    }
    return { devnet, nodes: { base: base.nodes, bnb: bnb.nodes }, networks: describeNetworks(devnet), stop }
  } catch (error) {
    await stopNodes()
    throw error
  }
}

function planNodes(network: Network, count: number): FaultyNodes {
  const plan = LIVE_CHAINS.find((chain) => chain.network === network)
  if (plan === undefined) throw new Error(`the devnet has no live ${network}`)
  return planFaultyNodes(plan, count)
}

function describeNetworks({ chains }: Devnet): readonly RecordedNetwork[] {
  return chains.map(({ network, anvil, deployed }) => ({
    ...{ network, rpcUrl: anvil.rpcUrl, confirmations: CONFIRMATIONS },
    tokens: Object.fromEntries(
      deployed.map(({ token, address, decimals }) => [token, { address, decimals }] as const),
    ),
  }))
}
