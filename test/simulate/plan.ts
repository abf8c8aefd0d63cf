import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import { streamOf } from './engine/chance.ts'
import type { FaultRates } from './engine/faults.ts'
import type { NodeMode } from './model/node.ts'
import type { ReceiverMode } from './model/receivers.ts'
import { DEPLOYMENTS, FINALITY_BLOCKS, NODES_PER_CHAIN, ORGANIZATIONS } from './world.ts'

/** What one charge's payer does: how many millionths of what is asked, where, and when. */
export type PlannedPayment = {
  readonly atMs: number
  readonly share: number
  readonly chainId: number
  readonly tokenIndex: number
  /** In two transfers of one transaction, a transfer of nothing before them. */
  readonly isDivided: boolean
}

export type PlannedCharge = {
  readonly atMs: number
  readonly organizationIndex: number
  readonly amountMicro: bigint
  readonly expiresInMs: number
  readonly hasPartner: boolean
  readonly payments: readonly PlannedPayment[]
  /** When a keeper distributes, if one does. */
  readonly keeperAtMs: number | null
}

/** What goes wrong in the world, and for how long. */
export type PlannedTrouble = { readonly atMs: number; readonly forMs: number; readonly chainId: number } & (
  | { readonly kind: 'reorganization'; readonly depth: number; readonly lost: number }
  | { readonly kind: 'node'; readonly nodeIndex: number; readonly mode: NodeMode }
  | { readonly kind: 'ponder restart' }
  | { readonly kind: 'freeze'; readonly whom: 'merchant' | 'relayer' | 'split' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'endpoint'; readonly organizationIndex: number; readonly mode: ReceiverMode }
)

/** All that one seed says will happen, whatever the service makes of it. */
export type Plan = {
  readonly deployments: readonly IndexerDeployment[]
  readonly daemons: number
  readonly charges: readonly PlannedCharge[]
  readonly troubles: readonly PlannedTrouble[]
  readonly rates: FaultRates
  /** Until then things go wrong. */
  readonly troubledMs: number
}

const TROUBLED_MS = 50_000

/** Draws a plan; every seed is another mixture, and a tenth of them have no trouble at all. */
export function drawPlan(seed: number): Plan {
  const random = streamOf(seed, 'plan')
  const deployments = DEPLOYMENTS.slice(0, random.pick([1, 1, 2, 3]))
  const environments = new Set(deployments.map(({ environment }) => environment))
  const organizations = ORGANIZATIONS.filter(({ environment }) => environments.has(environment))
  const isPeaceful = random.fraction() < 0.1
  const charges = Array.from({ length: 1 + random.integer(4) }, () => {
    const atMs = 1_000 + random.integer(12_000)
    const expiresInMs = 15_000 + random.integer(30_000)
    const count = random.pick([0, 1, 1, 1, 2, 3])
    const share = random.pick([1, 1, 1 / count || 1, 0.4, 1.5])
    const payment = (): PlannedPayment => {
      const { chainId, tokens } = random.pick(deployments)
      return {
        ...{ atMs: atMs + 500 + random.integer(expiresInMs + 10_000), share, chainId },
        ...{ tokenIndex: random.integer(tokens.length), isDivided: random.fraction() < 0.2 },
      }
    }
    return {
      ...{ atMs, expiresInMs, amountMicro: BigInt(2 + random.integer(50)) * 1_000_000n + 1n },
      organizationIndex: ORGANIZATIONS.indexOf(random.pick(organizations)),
      hasPartner: random.fraction() < 0.5,
      payments: Array.from({ length: count }, payment),
      keeperAtMs: random.fraction() < 0.4 ? atMs + 8_000 + random.integer(30_000) : null,
    }
  })
  const trouble = (): PlannedTrouble => {
    const { chainId } = random.pick(deployments)
    const at = {
      atMs: 3_000 + random.integer(TROUBLED_MS - 3_000),
      forMs: 1_000 + random.integer(25_000),
      chainId,
    }
    switch (
      random.pick([
        'reorganization',
        'reorganization',
        'node',
        'node',
        'ponder restart',
        'freeze',
        'pause',
        'endpoint',
      ])
    ) {
      case 'node': {
        const mode = random.pick<NodeMode>(['silent', 'failing', 'limited', 'foreign', 'omitting', 'stuck'])
        return { ...at, kind: 'node', mode, nodeIndex: random.integer(NODES_PER_CHAIN) }
      }
      case 'ponder restart':
        return { ...at, kind: 'ponder restart' }
      case 'freeze':
        return { ...at, kind: 'freeze', whom: random.pick(['merchant', 'relayer', 'split']) }
      case 'pause':
        return { ...at, kind: 'pause' }
      case 'endpoint': {
        const mode = random.pick<ReceiverMode>(['refusing', 'silent'])
        return { ...at, kind: 'endpoint', mode, organizationIndex: random.integer(ORGANIZATIONS.length) }
      }
      default: {
        const depth =
          random.fraction() < 0.9 ? 1 + random.integer(3) : 1 + random.integer(FINALITY_BLOCKS - 5)
        return { ...at, kind: 'reorganization', depth, lost: random.pick([0, 0, 0.3]) }
      }
    }
  }
  const rate = (most: number) => (isPeaceful || random.fraction() < 0.3 ? 0 : most * random.fraction())
  return {
    ...{ deployments, daemons: random.pick([1, 1, 2]), charges, troubledMs: TROUBLED_MS },
    troubles: isPeaceful ? [] : Array.from({ length: random.integer(8) }, trouble),
    rates: { lost: rate(0.004), late: rate(0.01), crash: rate(0.001), unreachable: rate(0.05) },
  }
}
