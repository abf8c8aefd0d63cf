import ts from 'typescript'

/** The names that some code declares, and the places where it uses or declares one. */
export type Names = { readonly declared: ReadonlySet<string>; readonly uses: readonly Use[] }

export type Use = {
  readonly name: string
  readonly start: number
  /** `{ name }`: the name of a property as well, which stays if the variable is renamed. */
  readonly isShorthand: boolean
}

export function parse(text: string): ts.SourceFile {
  return ts.createSourceFile('code.ts', text, ts.ScriptTarget.Latest, true)
}

/** Collects the names of values. Types and names of properties are not among them. */
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

/** Returns the names that the mutated text uses, but neither it nor the original text nor Node knows. */
export function findUnknownNames(text: string, mutated: string): readonly string[] {
  const known = new Set(collectNames(parse(text)).uses.map(({ name }) => name))
  const { declared, uses } = collectNames(parse(mutated))
  return uses
    .map(({ name }) => name)
    .filter((name) => !known.has(name) && !declared.has(name) && !(name in globalThis))
}

/** Whether the identifier is a name of its own and not a property of something. */
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
