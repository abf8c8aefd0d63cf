import ts from 'typescript'

/** The names that a piece of code declares, and every place where it declares or uses a name. */
export type Names = { readonly declared: ReadonlySet<string>; readonly uses: readonly Use[] }

export type Use = {
  readonly name: string
  readonly start: number
  /**
   * Whether the name is written as `{ name }`, which also names a property. The property keeps its name when the
   * variable is renamed.
   */
  readonly isShorthand: boolean
}

export function parse(text: string): ts.SourceFile {
  return ts.createSourceFile('code.ts', text, ts.ScriptTarget.Latest, true)
}

/** Collects declared names and used names of values, but not references to types or names of properties. */
export function collectNames(code: ts.Node): Names {
  const declared = new Set<string>()
  const uses: Use[] = []
  visit(code)
  return { declared, uses }

  function visit(node: ts.Node): void {
    if (ts.isTypeNode(node)) return
    if (ts.isIdentifier(node) && isName(node)) {
      if (isDeclared(node)) declared.add(node.text)
      const isShorthand = ts.isShorthandPropertyAssignment(node.parent)
      uses.push({ name: node.text, start: node.getStart(), isShorthand })
    }
    ts.forEachChild(node, visit)
  }
}

/** Returns names in the mutated text that are neither declared there, nor used in the original, nor globals of Node. */
export function findUnknownNames(text: string, mutated: string): readonly string[] {
  const known = new Set(collectNames(parse(text)).uses.map(({ name }) => name))
  const { declared, uses } = collectNames(parse(mutated))
  return uses
    .map(({ name }) => name)
    .filter((name) => !known.has(name) && !declared.has(name) && !(name in globalThis))
}

/** Whether the identifier is a declared name or the name of a value, not of a property. */
function isName(node: ts.Identifier): boolean {
  const { parent } = node
  if ('propertyName' in parent && parent.propertyName === node) return false
  if (!('name' in parent) || parent.name !== node) return true
  return isDeclared(node) || ts.isShorthandPropertyAssignment(parent)
}

function isDeclared(node: ts.Identifier): boolean {
  const { parent } = node
  if (!('name' in parent) || parent.name !== node) return false
  return DECLARATIONS.some((is) => is(parent))
}

const DECLARATIONS: readonly ((node: ts.Node) => boolean)[] = [
  ts.isVariableDeclaration,
  ts.isParameter,
  ts.isBindingElement,
  ts.isFunctionDeclaration,
  ts.isFunctionExpression,
  ts.isClassDeclaration,
  ts.isEnumDeclaration,
  ts.isTypeAliasDeclaration,
  ts.isInterfaceDeclaration,
  ts.isImportSpecifier,
  ts.isImportClause,
  ts.isNamespaceImport,
]
