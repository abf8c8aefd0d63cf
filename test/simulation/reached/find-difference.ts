import ts from 'typescript'

/** The smallest node that contains a mutant's change, in the code and in the mutant. */
export type Difference = { readonly code: ts.Node; readonly mutant: ts.Node }

export function findDifference(code: ts.Node, mutant: ts.Node): Difference {
  const changed = pairChildren(code, mutant).filter((pair) => pair.code.getText() !== pair.mutant.getText())
  const [only] = changed
  return only !== undefined && changed.length === 1
    ? findDifference(only.code, only.mutant)
    : { code, mutant }
}

/** Pairs the children of two nodes. Returns an empty list if the structures of the nodes differ. */
function pairChildren(code: ts.Node, mutant: ts.Node): readonly Difference[] {
  const [ours, theirs] = [listChildren(code), listChildren(mutant)]
  if (code.kind !== mutant.kind || ours.length !== theirs.length) return []
  return ours.flatMap((child, at) => {
    const other = theirs[at]
    return other === undefined ? [] : [{ code: child, mutant: other }]
  })
}

/** Returns the children of a node, without punctuation. */
export function listChildren(node: ts.Node): readonly ts.Node[] {
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => void children.push(child))
  return children
}
