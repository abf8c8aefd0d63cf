import ts from 'typescript'

/** Methods without side effects, such as those of arrays, strings, sets, maps and `Math`. */
const METHODS = new Set([
  ...['at', 'concat', 'entries', 'every', 'filter', 'find', 'findLast', 'flat', 'flatMap', 'get', 'has'],
  ...['includes', 'indexOf', 'join', 'keys', 'map', 'reduce', 'slice', 'some', 'toReversed', 'toSorted'],
  ...['values', 'endsWith', 'getTime', 'padStart', 'startsWith', 'toLowerCase', 'toString', 'trim'],
  ...['abs', 'ceil', 'floor', 'max', 'min', 'isArray', 'isInteger', 'isSafeInteger'],
])
const FUNCTIONS = new Set(['BigInt', 'Boolean', 'Number', 'String'])
const OBJECTS = new Set(['Map', 'Set'])

/**
 * Whether an expression can be evaluated again without side effects. It may only read names and properties, and call
 * functions without side effects.
 *
 * @param domain - names of functions from `shared/domain` without side effects
 */
export function isRepeatable(node: ts.Node, domain: ReadonlySet<string>): boolean {
  if (HARMFUL.some((is) => is(node))) return false
  if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) return false
  if (ts.isPrefixUnaryExpression(node) && isStep(node.operator)) return false
  if (ts.isCallExpression(node) && !isHarmlessCall(node.expression, domain)) return false
  if (ts.isNewExpression(node) && !OBJECTS.has(node.expression.getText())) return false
  if (ts.isArrowFunction(node) && ts.isBlock(node.body)) return false
  return !ts.forEachChild(node, (child) => (ts.isTypeNode(child) ? false : !isRepeatable(child, domain)))
}

const HARMFUL: readonly ((node: ts.Node) => boolean)[] = [
  ts.isAwaitExpression,
  ts.isYieldExpression,
  ts.isDeleteExpression,
  ts.isVoidExpression,
  ts.isTaggedTemplateExpression,
  ts.isFunctionExpression,
  ts.isPostfixUnaryExpression,
  ts.isStatement,
]

function isHarmlessCall(callee: ts.Expression, domain: ReadonlySet<string>): boolean {
  if (ts.isIdentifier(callee)) return FUNCTIONS.has(callee.text) || domain.has(callee.text)
  return ts.isPropertyAccessExpression(callee) && METHODS.has(callee.name.text)
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment
}

function isStep(operator: ts.PrefixUnaryOperator): boolean {
  return operator === ts.SyntaxKind.PlusPlusToken || operator === ts.SyntaxKind.MinusMinusToken
}

/** Matches the names of functions in `shared/domain` with side effects. */
const EFFECTS = /^(new|create|require|seal|open|random)/

/** Returns the names that a file imports from `shared/domain`, except functions with side effects. */
export function listDomainNames(file: ts.SourceFile, path: string): ReadonlySet<string> {
  const names = file.statements.filter(ts.isImportDeclaration).flatMap((each) => {
    const from = (each.moduleSpecifier as ts.StringLiteral).text
    const isDomain = from.includes('/domain/') || (path.startsWith('shared/domain/') && from.startsWith('.'))
    const { namedBindings } = each.importClause ?? {}
    return isDomain && namedBindings !== undefined && ts.isNamedImports(namedBindings)
      ? namedBindings.elements.map(({ name }) => name.text)
      : []
  })
  return new Set(names.filter((name) => !EFFECTS.test(name)))
}
