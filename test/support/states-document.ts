import { resolve } from 'node:path'
import type { AnyStateMachine } from 'xstate'
import { chargeMachine } from '../../machines/charge.ts'
import { deliveryMachine } from '../../machines/delivery.ts'
import { endpointHealthMachine } from '../../machines/endpoint-health.ts'
import { payoutMachine } from '../../machines/payout.ts'
import {
  AUTHORIZATION_MOVES,
  ESCROW_ORDER_MOVES,
  type Move,
  PRESENCE_MOVES,
  RELAYER_TRANSACTION_MOVES,
} from '../../shared/domain/mirrored-states.ts'

/** The page that `npm run states` writes. */
export const STATES_FILE = resolve(import.meta.dirname, '../../docs/states.md')

/** One branch of a machine: what it hears in a state, and what becomes of that. */
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
  ['Delivery', deliveryMachine],
  ['Endpoint health', endpointHealthMachine],
]

const MIRRORS: readonly (readonly [string, readonly Move[]])[] = [
  ['Transaction of the relayer', RELAYER_TRANSACTION_MOVES],
  ['Order of a releaser', ESCROW_ORDER_MOVES],
  ['Authorization of a payer', AUTHORIZATION_MOVES],
  ['Row of the feed', PRESENCE_MOVES],
]

/** Writes `docs/states.md` out of the machines and of the tables of what mirrors the chain. */
export function statesDocument(): string {
  const parts = [
    '# States and transitions',
    '',
    'Written by `npm run states` out of `machines/` and `shared/domain/mirrored-states.ts`; a test holds it to them.',
    'What decides has a machine: its row moves by what the machine is told, and by nothing else. What mirrors the chain',
    'has a table: its row follows what the nodes say, and a move that the table lacks is refused.',
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
        '| in | upon | if | goes to | and |',
        '|---|---|---|---|---|',
        ...branches.map(
          ({ from, fact, guard, to, actions }) =>
            `| ${from} | \`${fact}\` | ${guard} | ${to} | ${actions.map((action) => `\`${action}\``).join(', ')} |`,
        ),
      ]
    }),
  ]
}

function mirrorSection(name: string, moves: readonly Move[]): readonly string[] {
  return [
    '',
    `## ${name}`,
    ...diagram(moves),
    '',
    '| from | to | when |',
    '|---|---|---|',
    ...moves.map(({ from, to, when }) => `| ${from} | ${to} | ${when} |`),
  ]
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

/** A guard by its name, or one made of others by `and`, `or`, `not` and `stateIn`. */
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

/** An action by its name; an event that is appended by the event's, and one that the machine tells itself as told. */
function actionName(action: unknown): string {
  if (typeof action === 'string') return action
  const { type, params, event } = action as {
    readonly type: string
    readonly params?: { readonly type: string }
    readonly event?: { readonly type: string }
  }
  if (type === 'appendEvent') return `append ${params?.type}`
  if (type === 'xstate.raise') return `tell itself ${event?.type}`
  return type === 'xstate.enqueueActions' ? 'credit' : type
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}
