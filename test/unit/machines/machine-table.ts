import { type AnyActorLogic, type AnyStateMachine, createMachine } from 'xstate'

/** Parses a table with one row per line and `|` between cells. Returns the rows sorted and without padding. */
export function readTable(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.includes('|'))
    .map((line) => formatRow(line.split('|')))
    .toSorted()
}

/** Joins cells to one row in the format of `readTable`. */
export function formatRow(cells: readonly string[]): string {
  return cells
    .map((cell) => cell.trim())
    .join(' | ')
    .trim()
}

/** A copy of a machine with one mistake. */
export type Mutant<Machine> = { readonly mistake: string; readonly machine: Machine }

/**
 * Creates one copy of the machine for each possible mistake: a missing transition, or a transition without one of its
 * actions, its guard or its target.
 */
export function listMutants<Machine extends AnyStateMachine & AnyActorLogic>(
  machine: Machine,
): readonly Mutant<Machine>[] {
  return mistakesIn(machine.config as Node, machine.id).map(({ mistake, config }) => ({
    mistake,
    machine: createMachine(config as never, machine.implementations as never) as unknown as Machine,
  }))
}

type Node = { readonly [key: string]: unknown }
type Mistake = { readonly mistake: string; readonly config: Node }

function mistakesIn(node: Node, path: string): readonly Mistake[] {
  const children = (node['states'] ?? {}) as Record<string, Node>
  const inChildren = Object.entries(children).flatMap(([name, child]) =>
    mistakesIn(child, `${path}.${name}`).map(({ mistake, config }) => ({
      mistake,
      config: { ...node, states: { ...children, [name]: config } },
    })),
  )
  return [...inChildren, ...mistakesInTransitions(node, path)]
}

function mistakesInTransitions(node: Node, path: string): readonly Mistake[] {
  const on = (node['on'] ?? {}) as Record<string, unknown>
  return Object.entries(on).flatMap(([fact, transitions]) => {
    const branches = asArray(transitions).map((branch) =>
      typeof branch === 'string' ? { target: branch } : (branch as Node),
    )
    return branches.flatMap((branch, index) =>
      variantsOf(branch).map(({ mistake, branch: wrong }) => ({
        mistake: `${path}, ${fact}, branch ${index + 1}: ${mistake}`,
        config: { ...node, on: { ...on, [fact]: branches.toSpliced(index, 1, ...wrong) } },
      })),
    )
  })
}

function variantsOf(branch: Node): readonly { mistake: string; branch: readonly Node[] }[] {
  const actions = asArray(branch['actions'] ?? [])
  const { guard, target, ...rest } = branch
  return [
    { mistake: 'left out', branch: [] },
    ...actions.map((_, index) => ({
      mistake: `without action ${index + 1}`,
      branch: [{ ...branch, actions: actions.toSpliced(index, 1) }],
    })),
    ...(guard === undefined ? [] : [{ mistake: 'without its guard', branch: [{ ...rest, target }] }]),
    ...(target === undefined ? [] : [{ mistake: 'without its target', branch: [{ ...rest, guard }] }]),
  ]
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}
