import ts from 'typescript'
import type { Mutant } from '../../mutation/mutant.ts'
import { mutate } from '../../mutation/mutate.ts'
import { parse } from '../../mutation/names.ts'
import { findDifference } from './find-difference.ts'
import { listDomainNames } from './is-repeatable.ts'
import { placeMarker, placeUses, type Wrapping } from './place-marker.ts'

/** A mutant of a file with its marker's number. */
export type Numbered = { readonly index: number; readonly mutant: Omit<Mutant, 'test'> }

export type Instrumented = {
  readonly code: string
  readonly placed: ReadonlyMap<number, Wrapping>
  /** Marker numbers of rules that are evaluated once, when the module is loaded. */
  readonly unplaced: readonly number[]
  /** Names of the branches' markers, in the order of their numbers. */
  readonly named: readonly string[]
}

type Contents = {
  readonly text: string
  readonly mutants: readonly Numbered[]
  /** Functions with a marker for each branch, and the number of the first of these markers. */
  readonly branches?: { readonly functions: readonly string[]; readonly from: number } | null
}

/**
 * Wraps the place of each mutant in a call that counts how often the place is reached. The line numbers do not change.
 *
 * @throws {Error} if the place of a mutant does not exist
 */
export function instrumentFile(path: string, { text, mutants, branches = null }: Contents): Instrumented {
  const file = parse(text)
  const domain = listDomainNames(file, path)
  const found = mutants.map(({ index, mutant }) => {
    const difference = findDifference(file, parse(mutate(text, mutant)))
    const wrapping = placeMarker(difference, { index, domain })
    return { index, wrappings: wrapping === null ? placeUses(difference.code, index) : [wrapping] }
  })
  const inBranches =
    branches?.functions.flatMap((name) => listConditions(file, name)).flatMap(markBranches) ?? []
  const wrappings = [
    ...found.flatMap((each) => each.wrappings),
    ...inBranches.map(({ wrap }, at) => wrap((branches?.from ?? 0) + at)),
  ]
  return {
    code: wrapAll(text, wrappings),
    placed: new Map(
      found.flatMap(({ index, wrappings: [first] }) =>
        first === undefined ? [] : [[index, first] as const],
      ),
    ),
    unplaced: found.filter((each) => each.wrappings.length === 0).map(({ index }) => index),
    named: inBranches.map(({ name }) => name),
  }
}

const PROBE = `const __reached = globalThis[Symbol.for('simulation.reached')]; `

/** Inserts all wrappings, which can be nested. */
function wrapAll(text: string, wrappings: readonly Wrapping[]): string {
  const nested = wrappings.toSorted((a, b) => a.start - b.start || b.end - a.end)
  const insertions = [
    ...nested.map(({ start, before }, order) => ({ at: start, isAfter: false, order, text: before })),
    ...nested.map(({ end, after }, order) => ({ at: end, isAfter: true, order: -order, text: after })),
  ].toSorted((a, b) => a.at - b.at || Number(b.isAfter) - Number(a.isAfter) || a.order - b.order)
  let [result, position] = [PROBE, 0]
  for (const insertion of insertions) {
    result += text.slice(position, insertion.at) + insertion.text
    position = insertion.at
  }
  return result + text.slice(position)
}

function listConditions(file: ts.SourceFile, name: string): readonly ts.Expression[] {
  const conditions: ts.Expression[] = []
  const declaration = file.statements.find(
    (each) => ts.isFunctionDeclaration(each) && each.name?.text === name,
  )
  if (declaration === undefined) throw new Error(`there is no function ${name}`)
  visit(declaration)
  return conditions

  function visit(node: ts.Node): void {
    if (ts.isIfStatement(node)) conditions.push(node.expression)
    if (ts.isConditionalExpression(node)) conditions.push(node.condition)
    ts.forEachChild(node, visit)
  }
}

type Branch = { readonly name: string; readonly wrap: (index: number) => Wrapping }

function markBranches(condition: ts.Expression): readonly Branch[] {
  return [true, false].map((value) => ({
    name: `the quorum decision with ${condition.getText()} ${value}`,
    wrap: (index) => ({
      ...{ counts: 'decisions', start: condition.getStart(), end: condition.end },
      ...{ before: `__reached.decides(${index}, (`, after: `), ${value})` },
    }),
  }))
}
