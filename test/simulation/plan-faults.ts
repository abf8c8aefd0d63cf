import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Random } from '../support/seeded-random.ts'
import { LIE_KINDS, type LieKind } from './model/lie-kinds.ts'
import type { NodeMode } from './model/model-node.ts'
import type { ReceiverMode } from './model/receivers.ts'
import { CONFIRMATIONS, FINALITY_BLOCKS, NODES_PER_CHAIN, ORGANIZATIONS } from './world.ts'

/** Accounts that an issuer freezes; `split` means the addresses of all charges. */
export type Whom = 'merchant' | 'partner' | 'treasury' | 'relayer' | 'split'

/** A disturbance of the world, with its start and duration. */
export type PlannedTrouble = { readonly atMs: number; readonly forMs: number; readonly chainId: number } & (
  | { readonly kind: 'reorganization'; readonly depth: number; readonly lost: number }
  | { readonly kind: 'node'; readonly nodeIndex: number; readonly mode: NodeMode }
  | {
      readonly kind: 'lie'
      readonly nodeIndex: number
      readonly lies: readonly LieKind[]
      readonly since: number
    }
  | { readonly kind: 'ponder restart' }
  | { readonly kind: 'freeze'; readonly whom: Whom }
  | { readonly kind: 'pause' }
  | { readonly kind: 'endpoint'; readonly organizationIndex: number; readonly mode: ReceiverMode }
)

/** An operator's order. After `forMs`, it is revoked, or, for `end held charges`, given again. */
export type PlannedOrder = {
  readonly atMs: number
  readonly forMs: number
  readonly kind: 'pause pair' | 'abandon network' | 'end held charges'
  readonly chainId: number
  readonly tokenIndex: number
}

type Terms = { readonly deployments: readonly IndexerDeployment[]; readonly troubledMs: number }

export function drawTrouble(random: Random, { deployments, troubledMs }: Terms): PlannedTrouble {
  const { chainId } = random.pick(deployments)
  const at = { atMs: 3_000 + random.integer(troubledMs - 3_000), forMs: 1_000 + random.integer(25_000) }
  return { ...at, chainId, ...drawKind(random) }
}

type Kind = PlannedTrouble extends infer Each
  ? Each extends PlannedTrouble
    ? Omit<Each, 'atMs' | 'forMs' | 'chainId'>
    : never
  : never

function drawKind(random: Random): Kind {
  const kinds = ['node', 'node', 'ponder restart', 'freeze', 'pause', 'endpoint'] as const
  switch (random.pick(['reorganization', 'reorganization', ...kinds])) {
    case 'node': {
      const modes = ['silent', 'failing', 'limited', 'foreign', 'omitting', 'stuck', 'behind'] as const
      return { kind: 'node', mode: random.pick<NodeMode>(modes), nodeIndex: random.integer(NODES_PER_CHAIN) }
    }
    case 'ponder restart':
      return { kind: 'ponder restart' }
    case 'freeze':
      return { kind: 'freeze', whom: random.pick(['merchant', 'partner', 'treasury', 'relayer', 'split']) }
    case 'pause':
      return { kind: 'pause' }
    case 'endpoint': {
      const mode = random.pick<ReceiverMode>(['refusing', 'silent'])
      return { kind: 'endpoint', mode, organizationIndex: random.integer(ORGANIZATIONS.length) }
    }
    default:
      return { kind: 'reorganization', depth: drawDepth(random), lost: random.pick([0, 0, 0.3]) }
  }
}

/** Draws the kind of omission of an omitting node: everything, some transactions, or some logs of each transaction. */
export function drawOmission(random: Random, trouble: PlannedTrouble): PlannedTrouble {
  if (trouble.kind !== 'node' || trouble.mode !== 'omitting') return trouble
  return { ...trouble, mode: random.pick<NodeMode>(['omitting', 'partial', 'gappy']) }
}

const OMISSIONS: readonly NodeMode[] = ['omitting', 'partial', 'gappy']
/** In these modes, the other nodes show the rows that the first node omits. */
const COMPLEMENTS: readonly NodeMode[] = ['partial', 'gappy']

/**
 * Makes sure that another node of the chain always shows the data that one node omits, because no caller could detect
 * an omission by all nodes. If two nodes would omit the same data at the same time, the disturbance that is later in
 * the list is moved to the node of the earlier disturbance.
 */
export function withATruth(troubles: readonly PlannedTrouble[]): readonly PlannedTrouble[] {
  return troubles.reduce<readonly PlannedTrouble[]>((kept, trouble) => {
    const other = kept.find((earlier) => leaveOutTheSame(earlier, trouble))
    if (other?.kind !== 'node' || trouble.kind !== 'node') return [...kept, trouble]
    return [...kept, { ...trouble, nodeIndex: other.nodeIndex }]
  }, [])
}

function leaveOutTheSame(one: PlannedTrouble, other: PlannedTrouble): boolean {
  if (one.kind !== 'node' || other.kind !== 'node' || one.chainId !== other.chainId) return false
  if (!OMISSIONS.includes(one.mode) || !OMISSIONS.includes(other.mode)) return false
  const areTogether = one.atMs < other.atMs + other.forMs && other.atMs < one.atMs + one.forMs
  const areComplements = one.mode === other.mode && (one.nodeIndex === 0) !== (other.nodeIndex === 0)
  return areTogether && !(areComplements && COMPLEMENTS.includes(one.mode))
}

/** Draws a node that omits some logs of each transaction while faults happen. */
export function drawGaps(random: Random, { deployments, troubledMs }: Terms): PlannedTrouble {
  const { chainId } = random.pick(deployments)
  const at = { atMs: 1_000, forMs: troubledMs - 1_000, chainId }
  return { ...at, kind: 'node', mode: 'gappy', nodeIndex: random.integer(NODES_PER_CHAIN) }
}

/** When a lie starts, it covers fewer existing blocks than this. */
export const LIED_BACK_BLOCKS = 6

/**
 * Draws the only lying node of a chain, and one or two periods in which it lies in one to three ways. Because no other
 * node lies, a quorum of two never agrees on a lie. On a chain with two nodes, the service waits until the lie ends.
 */
export function drawLies(
  random: Random,
  { deployment, troubledMs }: { readonly deployment: IndexerDeployment; readonly troubledMs: number },
): readonly PlannedTrouble[] {
  const { chainId, nodes } = deployment
  const nodeIndex = random.integer(nodes.length)
  const periods = random.pick([1, 1, 2])
  const lengthMs = troubledMs / periods
  return Array.from({ length: periods }, (_, period) => {
    const atMs = Math.floor(period * lengthMs + 1_000 + random.integer(lengthMs / 2))
    const leftMs = Math.floor((period + 1) * lengthMs) - atMs
    const lies = Array.from({ length: 1 + random.integer(3) }, () => random.pick(LIE_KINDS))
    return {
      ...{ atMs, forMs: 1_000 + random.integer(leftMs - 1_000), chainId, kind: 'lie', nodeIndex },
      ...{ lies: [...new Set(lies)], since: random.integer(LIED_BACK_BLOCKS) },
    }
  })
}

/** Moves the faults of nodes to other nodes of their chain, so that any node can be faulty. */
export function moveNodes(
  troubles: readonly PlannedTrouble[],
  { chainId, by, of }: { readonly chainId: number; readonly by: number; readonly of: number },
): readonly PlannedTrouble[] {
  return troubles.map((trouble) =>
    trouble.kind === 'node' && trouble.chainId === chainId
      ? { ...trouble, nodeIndex: (trouble.nodeIndex + by) % of }
      : trouble,
  )
}

/**
 * Draws the depth of a reorganization. In four of five draws, it is less than the confirmation depth, so that no credit
 * may be lost. Otherwise it is at least the confirmation depth, but less than the depth of finality.
 */
function drawDepth(random: Random): number {
  if (random.fraction() < 0.8) return 1 + random.integer(CONFIRMATIONS - 1)
  return CONFIRMATIONS + random.integer(FINALITY_BLOCKS - 5 - CONFIRMATIONS)
}

/** Draws an operator's order. Pairs are paused while charges are created; other orders are given at any time. */
export function drawOrder(random: Random, { deployments, troubledMs }: Terms): PlannedOrder {
  const { chainId, tokens } = random.pick(deployments)
  const kind = random.pick(['pause pair', 'pause pair', 'abandon network', 'end held charges'] as const)
  return {
    ...{ atMs: random.integer(kind === 'pause pair' ? 10_000 : troubledMs), kind, chainId },
    ...{ forMs: 1_000 + random.integer(25_000), tokenIndex: random.integer(tokens.length) },
  }
}
