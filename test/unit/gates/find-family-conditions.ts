import ts from 'typescript'

import { CHAIN_FAMILY_NAMES } from '../../../shared/domain/address.ts'
import { NETWORKS } from '../../../shared/domain/networks.ts'

const FAMILY_NAMES: ReadonlySet<string> = new Set(CHAIN_FAMILY_NAMES)
const NAMES: ReadonlySet<string> = new Set([...CHAIN_FAMILY_NAMES, ...NETWORKS])

/** Only files that match this are parsed. */
const ANY_NAME = new RegExp(
  `['"\`](${[...NAMES].join('|')})['"\`]|\\b(${CHAIN_FAMILY_NAMES.join('|')})\\b\\s*[:,}?]|\\.(${CHAIN_FAMILY_NAMES.join('|')})\\b`,
)

/**
 * Lists the places where code depends on the name of a family or a network: a comparison, a `case`, a list or an
 * argument with such a name, a key or a property named after a family, and SQL with the name of a family.
 *
 * A name as the plain value of a property, as in an example of the API document, is allowed.
 */
export function findFamilyConditions(path: string, text: string): readonly string[] {
  if (!ANY_NAME.test(text)) return []
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (isCondition(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      found.push(`${path}:${line + 1} ${node.getText(source).slice(0, 60)}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isCondition(node: ts.Node): boolean {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
    return NAMES.has(node.text) ? !isPlainValue(node) : namesFamilyInSql(node.text)
  if (ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node))
    return namesFamilyInSql(node.text)
  if (ts.isPropertyAccessExpression(node)) return FAMILY_NAMES.has(node.name.text)
  return isKeyOrBinding(node) && FAMILY_NAMES.has(node.name.getText()) && !isRowOfNetworks(node)
}

/**
 * Whether the key is in a table of all networks. Such a table has a family's name as a key, because the network `tron`
 * has the same name as its family.
 */
function isRowOfNetworks({ parent }: ts.Node): boolean {
  if (!ts.isObjectLiteralExpression(parent)) return false
  const keys = parent.properties.map((property) => property.name?.getText())
  return NETWORKS.every((network) => keys.includes(network))
}

function isPlainValue({ parent }: ts.Node): boolean {
  return ts.isPropertyAssignment(parent) || ts.isImportDeclaration(parent)
}

/** `{ tron: … }` is a table of families, and `{ tron }` reads one row of such a table. */
function isKeyOrBinding(
  node: ts.Node,
): node is ts.PropertyAssignment | ts.ShorthandPropertyAssignment | ts.BindingElement {
  return ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node) || ts.isBindingElement(node)
}

function namesFamilyInSql(text: string): boolean {
  return CHAIN_FAMILY_NAMES.some((family) => text.includes(`'${family}'`))
}
