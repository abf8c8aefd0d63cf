import type { Random } from '../support/seeded-random.ts'
import type { Plan, PlannedCommand } from './plan-types.ts'
import { ORGANIZATIONS } from './world.ts'

/** Probability of each command in a history. */
const SHARES = { trust: 0.15, end: 0.1, import: 0.15 }

/**
 * Adds the operators' commands that are not among the plan's orders: to trust a node, to let charges end despite
 * payments that no quorum reports, and to import a charge that a restored database lacks.
 */
export function withCommands(random: Random, plan: Plan): Plan {
  const commands = [
    ...(random.fraction() < SHARES.trust ? drawTrust(random, plan) : []),
    ...(random.fraction() < SHARES.end
      ? [{ ...drawTime(random, plan), kind: 'end unconfirmed charges' } as const]
      : []),
    ...(random.fraction() < SHARES.import ? [drawImport(random, plan)] : []),
  ]
  return { ...plan, commands }
}

function drawTime(random: Random, { troubledMs }: Plan): { readonly atMs: number; readonly forMs: number } {
  return { atMs: random.integer(troubledMs), forMs: 1_000 + random.integer(25_000) }
}

const DISHONEST: readonly string[] = ['omitting', 'partial', 'gappy', 'foreign']

/** Draws the trust in a node that neither lies nor omits data. The operator has compared it with an explorer. */
function drawTrust(random: Random, plan: Plan): readonly PlannedCommand[] {
  const { chainId, nodes } = random.pick(plan.deployments)
  const doubted = [...plan.troubles, ...plan.losses].flatMap((each) => {
    if (each.kind === 'daemon' || !('nodeIndex' in each) || each.chainId !== chainId) return []
    return 'mode' in each && !DISHONEST.includes(each.mode) ? [] : [each.nodeIndex]
  })
  const honest = nodes.map((_, index) => index).filter((index) => !doubted.includes(index))
  if (honest.length === 0) return []
  return [{ ...drawTime(random, plan), kind: 'trust node', chainId, nodeIndex: random.pick(honest) }]
}

/** Draws an imported charge with at most two payments, which payers make before or after the import. */
function drawImport(random: Random, plan: Plan): PlannedCommand {
  const time = drawTime(random, plan)
  const { environment } = random.pick(plan.deployments)
  const deployments = plan.deployments.filter((deployment) => deployment.environment === environment)
  const organizations = ORGANIZATIONS.filter((organization) => organization.environment === environment)
  const expiresInMs = 1_000 * (5 + random.integer(30))
  const draw = () => {
    const { chainId, tokens } = random.pick(deployments)
    const place = { chainId, tokenIndex: random.integer(tokens.length), isDivided: random.fraction() < 0.2 }
    return {
      ...place,
      atMs: time.atMs + 300 + random.integer(expiresInMs + 8_000),
      share: random.pick([1, 0.4]),
    }
  }
  const charge = {
    ...{ atMs: time.atMs, organizationIndex: ORGANIZATIONS.indexOf(random.pick(organizations)), expiresInMs },
    ...{ amountMicro: BigInt(2 + random.integer(50)) * 1_000_000n + 1n, endsOnSecond: false },
    ...{ hasPartner: false, checks: [], keeperAtMs: null },
    payments: Array.from({ length: random.pick([0, 1, 1, 2]) }, draw),
  }
  return { ...time, kind: 'import charge', charge }
}
