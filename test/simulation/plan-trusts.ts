import type { Random } from '../support/seeded-random.ts'
import type { PlannedTrouble } from './plan-faults.ts'
import type { Plan, PlannedCommand } from './plan-types.ts'

/** Duration of a long trust, in which payments are confirmed and paid out although only one node reports them. */
const LONG_MS = { least: 20_000, most: 45_000 }

/**
 * Makes half of the trusts in honest nodes long, and silences the other nodes of the chain for the same time, so that
 * the trusted node decides alone. When the other nodes respond again, the service verifies the counted rows. The
 * silences are last in the list, so that the other disturbances keep their numbers.
 */
export function withLongTrusts(random: Random, plan: Plan): Plan {
  const longer = (command: PlannedCommand): PlannedCommand => {
    if (command.kind !== 'trust node' || random.fraction() < 0.5) return command
    const forMs = LONG_MS.least + random.integer(LONG_MS.most - LONG_MS.least)
    return { ...command, forMs, atMs: Math.min(command.atMs, plan.troubledMs - forMs - 2_000), isLong: true }
  }
  const commands = plan.commands.map(longer)
  const silences = commands.flatMap((command) => silencesOf(command, plan))
  return silences.length === 0 ? plan : { ...plan, commands, troubles: [...plan.troubles, ...silences] }
}

function silencesOf(command: PlannedCommand, { deployments }: Plan): readonly PlannedTrouble[] {
  if (command.kind !== 'trust node' || command.isLong !== true) return []
  const { atMs, forMs, chainId, nodeIndex } = command
  const nodes = deployments.find((each) => each.chainId === chainId)?.nodes ?? []
  return nodes.flatMap((_, index) =>
    index === nodeIndex
      ? []
      : [{ atMs, forMs, chainId, kind: 'node', mode: 'silent', nodeIndex: index } as const],
  )
}
