import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importCharge } from '../../indexer/commands/import-charge.ts'
import { endNodeTrusts, insertNodeTrust } from '../../shared/db/chain-facts/daemon/node-trusts.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { presentCharge } from '../../shared/domain/present-charge.ts'
import { buildLostCharge } from './build-lost-charge.ts'
import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'
import type { History } from './history.ts'
import type { Operators } from './operators.ts'
import type { Plan, PlannedCharge, PlannedCommand } from './plan-types.ts'
import { strikeDenied, strikeEveryRow } from './strikes.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly process: SimulatedProcess
  /** Connections with the role of the operators' commands. */
  readonly sql: Sql
  /** Name of the history's database. */
  readonly name: string
  readonly plan: Plan
  readonly history: History
  readonly operators: Pick<Operators, 'endHeld' | 'mistrust' | 'repair'>
  /** List to which imported charges are added. */
  readonly charges: ChargeRecord[]
  /** Ids of the imported charges. */
  readonly imported: Set<string>
}

/** Numbers of imported charges start here, so that their payments differ from those of other charges. */
const FIRST_IMPORTED = 1_000
/** Duration of the trust in a node, unless the operator ends it earlier. */
const TRUST_SECONDS = 15

/** Schedules operators' commands. Each is a named fault of the scheduler, so that a run can omit it. */
export function planCommands(terms: Terms): void {
  const { scheduler, process, plan } = terms
  const later = (delayMs: number, label: string, run: () => void) =>
    void scheduler.later({ delayMs, process, label, run })
  for (const [index, command] of plan.commands.entries())
    later(command.atMs, command.kind, () => {
      if (!scheduler.meets('command', `${index} ${command.kind}`, 1)) return
      void begin(terms, command)
      const end = buildEnd(terms, { command, index })
      later(command.forMs, `end of ${command.kind}`, () => void end())
    })
}

async function begin({ sql, plan, operators }: Terms, command: PlannedCommand): Promise<void> {
  if (command.kind === 'end unconfirmed charges') await operators.endHeld({ isDespiteUnconfirmed: true })
  if (command.kind === 'strike rows') await strikeEveryRow({ sql }, command.chainId)
  if (command.kind === 'trust liar') operators.mistrust(command.chainId)
  if (command.kind === 'trust node' || command.kind === 'trust liar') {
    const { network, environment, nodes } = placeOf(plan, command.chainId)
    const node = nodes[command.nodeIndex]?.name ?? ''
    const order = {
      network,
      environment,
      node,
      seconds: secondsOf(command),
      reason: 'an explorer shows the same',
    }
    await insertNodeTrust(sql, order)
  }
}

type Begun = { readonly command: PlannedCommand; readonly index: number }

/** Prepares the second half of a command, and returns the function that runs it later. */
function buildEnd(terms: Terms, { command, index }: Begun): () => Promise<unknown> {
  const { sql, plan, operators } = terms
  switch (command.kind) {
    case 'end unconfirmed charges':
      return () => operators.endHeld({ isDespiteUnconfirmed: true })
    case 'trust node':
      return () => endNodeTrusts(sql, placeOf(plan, command.chainId))
    case 'strike rows':
      return () => strikeFrom(command.chainId)
    case 'trust liar':
      return async () => {
        await endNodeTrusts(sql, placeOf(plan, command.chainId))
        await strikeFrom(command.chainId)
      }
    case 'import charge':
      return losePaidCharge(terms, command.charge, FIRST_IMPORTED + index)
  }

  function strikeFrom(chainId: number): Promise<void> {
    operators.repair(chainId)
    return strikeDenied(terms, chainId)
  }
}

/** Returns the duration of a trust. A mistaken trust and a long one last until the operator ends them. */
function secondsOf(command: PlannedCommand): number {
  const isLong = command.kind === 'trust liar' || (command.kind === 'trust node' && command.isLong === true)
  return isLong ? Math.ceil(command.forMs / 1000) + TRUST_SECONDS : TRUST_SECONDS
}

/**
 * Lets payers pay a charge that the restored database does not contain. The returned function imports the charge twice,
 * like two runs of `npm run charges -- import`, and throws if the second import changes it.
 */
function losePaidCharge(terms: Terms, planned: PlannedCharge, index: number): () => Promise<void> {
  const { scheduler, sql, history, charges, imported } = terms
  const charge = buildLostCharge(planned, { deployments: terms.plan.deployments, now: scheduler.now() })
  const file = join(tmpdir(), `${terms.name}-${process.pid}-${index}.json`)
  history.planPayments(charge, planned, index)
  return async () => {
    charges.push(charge)
    imported.add(charge.id)
    const order = { file, keyId: charge.apiKeyId ?? '' }
    writeFileSync(file, presentCharge(charge, { checkoutBaseUrl: null, swapAlternatives: [] }))
    await importCharge(sql, order)
    const again = await importCharge(sql, order)
    rmSync(file)
    if (!again.endsWith('already exists and was not changed.')) throw new Error(`imported twice: ${again}`)
  }
}

function placeOf({ deployments }: Plan, chainId: number): Plan['deployments'][number] {
  const deployment = deployments.find((each) => each.chainId === chainId)
  if (deployment === undefined) throw new Error(`the history has no chain ${chainId}`)
  return deployment
}
