import { resolve } from 'node:path'
import type { AnyStateMachine } from 'xstate'
import { chargeMachine } from '../../machines/charge.ts'
import { deliveryMachine } from '../../machines/delivery.ts'
import { endpointHealthMachine } from '../../machines/endpoint-health.ts'
import { payoutMachine } from '../../machines/payout.ts'
import { refundMachine } from '../../machines/refund.ts'
import {
  AUTHORIZATION_TRANSITIONS,
  ESCROW_ORDER_TRANSITIONS,
  INCLUSION_TRANSITIONS,
  RELAYER_TRANSACTION_TRANSITIONS,
  type Transition,
} from '../../shared/domain/allowed-transitions.ts'

/** The page that `npm run states` generates. */
export const STATES_FILE = resolve(import.meta.dirname, '../../docs/states.md')

/** One transition of a machine. */
type Branch = {
  readonly region: string
  readonly from: string
  readonly fact: string
  readonly guard: string
  readonly to: string
  readonly actions: readonly string[]
}

type Node = {
  readonly key: string
  readonly config: { readonly on?: unknown }
  readonly states: Readonly<Record<string, Node>>
}

const MACHINES: readonly (readonly [string, AnyStateMachine])[] = [
  ['Charge', chargeMachine],
  ['Payout', payoutMachine],
  ['Refund', refundMachine],
  ['Delivery', deliveryMachine],
  ['Endpoint health', endpointHealthMachine],
]

const MIRRORS: readonly (readonly [string, readonly Transition[]])[] = [
  ['Transaction of the relayer', RELAYER_TRANSACTION_TRANSITIONS],
  ['Order of a releaser', ESCROW_ORDER_TRANSITIONS],
  ['Authorization of a payer', AUTHORIZATION_TRANSITIONS],
  ['Row of the feed', INCLUSION_TRANSITIONS],
]

/** Builds `docs/states.md` from the machines and from the transition tables of rows that mirror the chain. */
export function statesDocument(): string {
  const parts = [
    '# States and transitions',
    '',
    '`npm run states` creates this document from `machines/` and `shared/domain/allowed-transitions.ts`; a test compares',
    'them. A row whose state this service decides has a state machine: only the facts of its machine may update the row. A',
    'row that mirrors the chain has a transition table: it follows the reports of the nodes, and an update must match a',
    'transition of the table.',
    ...MACHINES.flatMap(([name, machine]) => machineSection(name, machine)),
    ...MIRRORS.flatMap(([name, moves]) => mirrorSection(name, moves)),
  ]
  return `${parts.join('\n')}\n`
}

function machineSection(name: string, machine: AnyStateMachine): readonly string[] {
  const root = machine.root as unknown as Node
  const regions = machine.config.type === 'parallel' ? Object.values(root.states) : [root]
  return [
    '',
    `## ${name}`,
    ...regions.flatMap((region) => {
      const branches = branchesOf(region)
      return [
        ...(regions.length > 1 ? ['', `### ${region.key}`] : []),
        ...diagram(branches.filter(({ from, to }) => from !== '(any)' && from !== to)),
        '',
        '| state | fact | condition | next state | actions |',
        '|---|---|---|---|---|',
        ...branches.map(
          ({ from, fact, guard, to, actions }) =>
            `| ${code(from)} | \`${fact}\` | ${guard} | ${code(to)} | ${actions.map((action) => `\`${action}\``).join(', ')} |`,
        ),
      ]
    }),
  ]
}

function mirrorSection(name: string, moves: readonly Transition[]): readonly string[] {
  return [
    '',
    `## ${name}`,
    ...diagram(moves),
    '',
    '| from | to | when |',
    '|---|---|---|',
    ...moves.map(({ from, to, when }) => `| ${code(from)} | ${code(to)} | ${when} |`),
  ]
}

/** Formats a state's name as code. Leaves `(any)` unchanged, because it is not a state's name. */
function code(state: string): string {
  return state === '(any)' ? state : `\`${state}\``
}

function diagram(moves: readonly { readonly from: string; readonly to: string; readonly fact?: string }[]) {
  const arrows = moves.map(
    ({ from, to, fact }) => `  ${from} --> ${to}${fact === undefined ? '' : `: ${fact}`}`,
  )
  return ['', '```mermaid', 'stateDiagram-v2', ...new Set(arrows), '```']
}

function branchesOf(region: Node): readonly Branch[] {
  const states = Object.values(region.states)
  return [
    ...ownBranches(region, { region: region.key, from: '(any)' }),
    ...states.flatMap((state) => ownBranches(state, { region: region.key, from: state.key })),
  ]
}

function ownBranches(node: Node, at: Pick<Branch, 'region' | 'from'>): readonly Branch[] {
  const on = (node.config.on ?? {}) as Record<string, unknown>
  return Object.entries(on).flatMap(([fact, transitions]) =>
    asArray(transitions).map((branch) => {
      const { target, guard, actions } =
        typeof branch === 'string' ? { target: branch } : (branch as Record<string, unknown>)
      return {
        ...at,
        fact,
        guard: guard === undefined ? '' : guardName(guard),
        to: typeof target === 'string' ? target : at.from,
        actions: asArray(actions ?? []).map(actionName),
      }
    }),
  )
}

/** Returns a guard's name, or combines the names of nested guards (`and`, `or`, `not`, `stateIn`). */
function guardName(guard: unknown): string {
  if (typeof guard === 'string') return `\`${guard}\``
  const made = guard as {
    readonly name: string
    readonly guards?: readonly unknown[]
    readonly stateValue?: unknown
  }
  if (made.name === 'stateIn')
    return `in ${JSON.stringify(made.stateValue).replaceAll(/[{}"]/g, '').replace(':', ' ')}`
  const parts = (made.guards ?? []).map(guardName)
  return made.name === 'not' ? `not ${parts.join()}` : parts.join(` ${made.name} `)
}

/**
 * Returns an action's name. An action that appends or raises an event is shown with the event's name. The only action
 * that enqueues other actions is shown as `credit`.
 */
function actionName(action: unknown): string {
  if (typeof action === 'string') return action
  const { type, params, event } = action as {
    readonly type: string
    readonly params?: { readonly type: string }
    readonly event?: { readonly type: string }
  }
  if (type === 'appendEvent') return `append ${params?.type}`
  if (type === 'xstate.raise') return `raise ${event?.type}`
  return type === 'xstate.enqueueActions' ? 'credit' : type
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}
