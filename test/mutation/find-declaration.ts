import ts from 'typescript'
import { collectNames, parse, type Use } from './names.ts'

/** The position of a declaration in its file, and the names that it binds. */
export type Declaration = {
  readonly start: number
  readonly end: number
  /** Names of its parameters and local variables, by the position of each use. */
  readonly locals: ReadonlyMap<number, string>
  /** Names in scope: the names of the declaration and of the file; empty for a whole file, SQL and Solidity. */
  readonly known: ReadonlySet<string>
}

/**
 * Finds a top-level TypeScript declaration, or an SQL or Solidity function, table, view or trigger, by its name. `at`
 * is `path#name`.
 *
 * If `at` contains no name, returns the range of the whole file.
 */
export function findDeclaration(text: string, at: string): Declaration | null {
  const [path = at, name] = at.split('#')
  if (name === undefined) return { ...NO_NAMES, start: 0, end: text.length }
  return path.endsWith('.ts') ? findStatement(text, name) : findBlock(text, name)
}

const NO_NAMES = { locals: new Map<number, string>(), known: new Set<string>() }

function findStatement(text: string, name: string): Declaration | null {
  const file = parse(text)
  const statement = file.statements.find((each) => namesOf(each).includes(name))
  if (statement === undefined) return null
  const { declared, uses } = collectNames(statement)
  const ofFile = file.statements.flatMap(namesOf)
  const isLocal = ({ name: used }: Use) => declared.has(used) && !ofFile.includes(used)
  return {
    start: statement.getStart(),
    end: statement.end,
    locals: new Map(uses.filter(isLocal).map((use) => [use.start, use.name])),
    known: new Set([...declared, ...ofFile]),
  }
}

/** Returns the names that a statement adds to its file. */
function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText())
  if (ts.isImportDeclaration(statement)) return [...collectNames(statement).declared]
  return 'name' in statement && ts.isIdentifier(statement.name as ts.Node)
    ? [(statement.name as ts.Identifier).text]
    : []
}

const HEAD = /^( *)(?:create\b.*?\b(?:function|table|view|trigger)|function|grant|revoke|alter) (\w+)/gm

/**
 * Finds an SQL or Solidity declaration. It ends before the next statement that matches `HEAD` and has the same
 * indentation, or at the end of the file.
 */
function findBlock(text: string, name: string): Declaration | null {
  const heads = [...text.matchAll(HEAD)]
  const head = heads.find((each) => each[2] === name)
  if (head === undefined) return null
  const next = heads.find(({ index, 1: indent }) => index > head.index && indent === head[1])
  return { ...NO_NAMES, start: head.index, end: next?.index ?? text.length }
}
