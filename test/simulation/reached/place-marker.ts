import ts from 'typescript'
import { collectNames } from '../../mutation/names.ts'
import { type Difference, listChildren } from './find-difference.ts'
import { isRepeatable } from './is-repeatable.ts'
import type { Marker } from './marker.ts'

/** A marker's place in a file. The code between `start` and `end` is wrapped in `before` and `after`. */
export type Wrapping = {
  readonly counts: Marker['counts']
  readonly start: number
  readonly end: number
  readonly before: string
  readonly after: string
}

/**
 * Finds the place of a marker: the smallest expression or statement around the difference that can be wrapped. If the
 * mutant of an expression has no side effects, the marker usually counts how often the mutant's value would differ.
 *
 * @param index - the marker's number
 * @returns `null` if the code is evaluated once, when its module is loaded
 */
export function placeMarker(
  difference: Difference,
  { index, domain }: { readonly index: number; readonly domain: ReadonlySet<string> },
): Wrapping | null {
  const place = preferCall(climb(difference), domain)
  const { code, mutant } = place
  if (!isInFunction(code)) return null
  if (ts.isFunctionLike(code)) return markFunction(code, index)
  if (!ts.isExpression(code)) return markStatement(code, { mutant, index })
  const { counts, call, more = '', node = code } = chooseCount(code, { place, domain })
  const before = `__reached.${call}(${index}, (`
  return { counts, start: node.getStart(), end: node.end, before, after: `)${more})` }
}

type Chosen = {
  readonly counts: Marker['counts']
  readonly call: 'executes' | 'decides' | 'differs'
  readonly more?: string
  /** The part that is wrapped, if it is not the whole expression. */
  readonly node?: ts.Expression
}

type Compared = { readonly place: Difference; readonly domain: ReadonlySet<string> }

function chooseCount(code: ts.Expression, { place, domain }: Compared): Chosen {
  const decisive = findDecisiveOperand(place)
  if (decisive !== null)
    return { counts: 'decisions', call: 'decides', more: `, ${decisive.value}`, node: decisive.operand }
  const { mutant } = place
  if (isRepeatable(mutant, domain))
    return { counts: 'differences', call: 'differs', more: `, () => (${mutant.getText()})` }
  const value = findDecisiveValue(code)
  if (value !== null) return { counts: 'decisions', call: 'decides', more: `, ${value}` }
  if (isCondition(code)) return { counts: 'both values', call: 'decides', more: ', true' }
  return { counts: 'executions', call: 'executes' }
}

/** Marks all uses of a constant in the functions of its file. */
export function placeUses(code: ts.Node, index: number): readonly Wrapping[] {
  const name = findConstantName(code)
  if (name === null) return []
  const uses = collectNames(code.getSourceFile()).uses.filter((use) => use.name === name && !use.isShorthand)
  return uses.flatMap(({ start }) => {
    const place = climb(both(findNodeAt(code.getSourceFile(), start))).code
    if (!isInFunction(place) || !ts.isExpression(place)) return []
    return { ...at(place.getStart(), place.end), before: `__reached.executes(${index}, (`, after: '))' }
  })
}

function both(node: ts.Node): Difference {
  return { code: node, mutant: node }
}

function findConstantName(node: ts.Node): string | null {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations[0]?.name.getText() ?? null
  return ts.isSourceFile(node) ? null : findConstantName(node.parent)
}

function findNodeAt(node: ts.Node, start: number): ts.Node {
  const inner = listChildren(node).find((child) => child.getStart() <= start && start < child.end)
  return inner === undefined ? node : findNodeAt(inner, start)
}

/** Climbs to the first expression that can be wrapped, or to a statement or function. */
function climb({ code, mutant }: Difference): Difference {
  const isOther = ts.isBlock(code) || ts.isFunctionLike(code)
  const isPlace = isOther || (ts.isExpression(code) ? canBeWrapped(code) : ts.isStatement(code))
  if (isPlace || ts.isSourceFile(code)) return { code, mutant }
  return climb({ code: code.parent, mutant: mutant.parent })
}

/** Prefers the call around a changed function, if the result of the mutant's call can be compared. */
function preferCall(place: Difference, domain: ReadonlySet<string>): Difference {
  if (!ts.isArrowFunction(place.code)) return place
  const call = climb({ code: place.code.parent, mutant: place.mutant.parent })
  return ts.isExpression(call.code) && isRepeatable(call.mutant, domain) ? call : place
}

function isInFunction(node: ts.Node): boolean {
  if (ts.isFunctionLike(node)) return true
  return !ts.isSourceFile(node) && isInFunction(node.parent)
}

function canBeWrapped(node: ts.Expression): boolean {
  const { parent } = node
  if (ts.isSpreadElement(node) || ts.isOmittedExpression(node)) return false
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent))
    return parent.arguments?.some((argument) => argument === node) ?? false
  if (ts.isPropertyAccessExpression(parent)) return ts.isCallExpression(node) && !isOptional(node)
  if (ts.isBinaryExpression(parent)) return parent.right === node || !isAssignment(parent)
  if (ts.isPropertyAssignment(parent) || ts.isBindingElement(parent)) return parent.initializer === node
  return HOLDERS.some((is) => is(parent))
}

function isOptional(node: ts.Node): boolean {
  return ts.isOptionalChain(node) || ts.isOptionalChain(node.parent)
}

function isAssignment({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment
}

/** Nodes whose expressions can be wrapped. */
const HOLDERS: readonly ((node: ts.Node) => boolean)[] = [
  ...[ts.isVariableDeclaration, ts.isReturnStatement, ts.isArrowFunction, ts.isConditionalExpression],
  ...[ts.isParenthesizedExpression, ts.isAwaitExpression, ts.isSpreadElement, ts.isSpreadAssignment],
  ...[ts.isTemplateSpan, ts.isArrayLiteralExpression, ts.isIfStatement, ts.isThrowStatement],
  ...[ts.isWhileStatement, ts.isForOfStatement, ts.isParameter, ts.isAsExpression],
  (node) => ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken,
]

function markFunction(code: ts.SignatureDeclaration, index: number): Wrapping {
  const { body } = code as ts.FunctionDeclaration | ts.ArrowFunction
  if (body === undefined) throw new Error(`a function without a body cannot be marked: ${code.getText()}`)
  const call = `__reached.executes(${index}`
  return ts.isBlock(body)
    ? { ...at(body.getStart() + 1, body.end - 1), before: ` ${call}); `, after: '' }
    : { ...at(body.getStart(), body.end), before: `${call}, (`, after: '))' }
}

type Other = { readonly mutant: ts.Node; readonly index: number }

/** Marks a statement; in a block, the first statement that the mutant changes or removes. */
function markStatement(code: ts.Node, { mutant, index }: Other): Wrapping {
  const call = `__reached.executes(${index}); `
  const first = ts.isBlock(code) ? findFirstChanged(code, mutant) : code
  if (first === null) return { ...at(code.end - 1, code.end - 1), before: ` ${call}`, after: '' }
  if (ts.isBlock(code) && ts.isIfStatement(first)) {
    const { expression } = first
    const before = `__reached.decides(${index}, (`
    return { ...at(expression.getStart(), expression.end), counts: 'decisions', before, after: '), true)' }
  }
  const isAlone = !LISTS.some((is) => is(first.parent))
  const [open, close] = isAlone ? ['{ ', ' }'] : ['', '']
  return { ...at(first.getStart(), first.end), before: open + call, after: close }
}

const LISTS: readonly ((node: ts.Node) => boolean)[] = [ts.isBlock, ts.isSourceFile, ts.isCaseOrDefaultClause]

function findFirstChanged(code: ts.Block, mutant: ts.Node): ts.Statement | null {
  const theirs = ts.isBlock(mutant) ? mutant.statements : []
  return code.statements.find((each, place) => each.getText() !== theirs[place]?.getText()) ?? null
}

function at(start: number, end: number): Pick<Wrapping, 'counts' | 'start' | 'end'> {
  return { counts: 'executions', start, end }
}

type Decisive = { readonly operand: ts.Expression; readonly value: boolean }

/** Returns the operand of `&&` or `||` that the mutant removes, and the value with which the operand decides. */
function findDecisiveOperand({ code, mutant }: Difference): Decisive | null {
  if (!ts.isBinaryExpression(code)) return null
  const { left, right } = code
  const value = findDecidingValue(code)
  if (value === null) return null
  const kept = mutant.getText()
  if (kept === left.getText()) return { operand: right, value }
  return kept === right.getText() ? { operand: left, value } : null
}

/** Returns the value with which an operand of this operator decides: `false` for `&&`, `true` for `||`. */
function findDecidingValue({ operatorToken: { kind } }: ts.BinaryExpression): boolean | null {
  if (kind === ts.SyntaxKind.AmpersandAmpersandToken) return false
  return kind === ts.SyntaxKind.BarBarToken ? true : null
}

/** Returns the value with which an expression decides as an operand of `&&` or `||`; `null` otherwise. */
function findDecisiveValue({ parent }: ts.Expression): boolean | null {
  return ts.isBinaryExpression(parent) ? findDecidingValue(parent) : null
}

function isCondition(node: ts.Expression): boolean {
  const { parent } = node
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent)) return parent.expression === node
  if (ts.isConditionalExpression(parent)) return parent.condition === node
  return ts.isPrefixUnaryExpression(parent)
}
