import { execFileSync } from 'node:child_process'
import type { CommandLine, ServicePlan } from '../devnet/service.ts'
import type { Mutant } from '../mutation/mutant.ts'
import { makeScratchCopy, type ScratchCopy } from '../mutation/scratch-copy.ts'
import type { Verdict } from './checker/check-record.ts'
import { CREDITS } from './checker/rules/credits.ts'
import { IDEMPOTENCY } from './checker/rules/idempotency.ts'
import { TENANCY } from './checker/rules/tenancy.ts'

/** A build that lacks one rule of the service, and the checker's rule that must report the defect. */
export type Control = {
  readonly name: string
  readonly edit: Omit<Mutant, 'test'>
  readonly reportedBy: string
  /** Pattern of the finding that the checker must report, so that a consequence of another fault does not count. */
  readonly finding: RegExp
}

/** All controls. A checker that does not report one of these builds is unreliable. */
export const CONTROLS: readonly Control[] = [
  {
    name: 'idempotency',
    edit: {
      rule: 'a charge is stored with its idempotency key',
      at: 'api/charges/create-charge.ts#insertCharge',
      take: 'request.body.idempotencyKey ?? null',
      put: 'null',
    },
    reportedBy: IDEMPOTENCY.name,
    finding: /created \d+ charges/,
  },
  {
    name: 'depth',
    edit: {
      rule: 'a payment counts at the confirmation depth of its network',
      at: 'shared/runtime/merge-networks.ts#mergeDeployment',
      take: 'override.confirmations ?? known.facts.confirmations',
      put: '1',
    },
    reportedBy: CREDITS.name,
    finding: /at depth$/,
  },
  {
    name: 'tenancy',
    edit: {
      rule: 'a charge is found only by its organization',
      at: 'shared/db/charges/api/charges-read.ts#findTenantCharges',
      take: 'current !== undefined && isOf(tenant, current) ? current : null',
      put: 'current !== undefined ? current : null',
    },
    reportedBy: TENANCY.name,
    finding: /received 200 for/,
  },
]

export function isReported({ reportedBy, finding }: Control, verdicts: readonly Verdict[]): boolean {
  const found = verdicts.find(({ rule }) => rule === reportedBy)?.findings ?? []
  return found.some((text) => finding.test(text))
}

/** @throws {Error} if no control has this name */
export function getControl(name: string): Control {
  const control = CONTROLS.find((each) => each.name === name)
  if (control === undefined)
    throw new Error(`no control is named ${name}: ${CONTROLS.map((each) => each.name).join(', ')}`)
  return control
}

/** A build in its own directory, with the commands of its processes. */
export type ControlBuild = {
  readonly confine: NonNullable<ServicePlan['confine']>
  readonly remove: () => void
}

/** Builds a copy of the work tree without the rules that the controls remove. */
export async function buildControl(controls: readonly Control[]): Promise<ControlBuild> {
  const copy = makeScratchCopy()
  try {
    await buildWithout(copy, controls)
  } catch (error) {
    copy.remove()
    throw error
  }
  const confine = ({ kind }: Pick<ServicePlan, 'kind'>): CommandLine => ({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', '--enable-source-maps', `dist/${kind}/main.js`],
    cwd: copy.directory,
  })
  return { confine, remove: copy.remove }
}

async function buildWithout(copy: ScratchCopy, [first, ...others]: readonly Control[]): Promise<void> {
  if (first !== undefined) return copy.without(first.edit, () => buildWithout(copy, others))
  execFileSync('bash', ['.ci/build', '--noCheck'], {
    cwd: copy.directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
