import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { ours } from './plant.ts'

/** Only this code may query several nodes directly. The comments state why no decision depends on their responses. */
const EXCEPTIONS: readonly RegExp[] = [
  /^shared\/chain\/nodes\//, // implements the allowed queries
  /^shared\/chain\/tron\/query-tron\.ts$/, // sends commands, for which one response is sufficient
  /^indexer\/commands\/doctor\//, // shows the response of each node
  /^indexer\/reconciliation\/reconciliation-metrics\.ts$/, // sets the labels of a metric
]

const FAN_OUTS: readonly RegExp[] = [
  /Promise\s*\.(all|allSettled|any|race)\(\s*[\w.()]*\b(nodes|clients|readers)\s*\.map/,
  /for \(const [^)]* of [\w.]*\bnodes\b/,
]

function findFanOuts(text: string): readonly string[] {
  return FAN_OUTS.flatMap((pattern) => pattern.exec(text)?.[0] ?? [])
}

describe('the check for fan-outs', () => {
  it('finds a planted Promise over nodes', () => {
    const text = 'const answers = await Promise.allSettled(deps.nodes.map(readHead))'
    expect(findFanOuts(text)).to.have.lengthOf(1)
  })

  it('finds a planted loop over nodes', () => {
    expect(findFanOuts('for (const node of context.nodes) {')).to.have.lengthOf(1)
  })

  it('allows only shared/chain/nodes and the listed exceptions to query several nodes', () => {
    const paths = ['api', 'indexer', 'shared'].flatMap((tree) =>
      readdirSync(ours(tree), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .map((path) => `${tree}/${path}`),
    )
    const found = paths
      .filter((path) => !EXCEPTIONS.some((exception) => exception.test(path)))
      .flatMap((path) => findFanOuts(readFileSync(ours(path), 'utf8')).map((one) => `${path}: ${one}`))
    expect(found, 'use queryNodes, queryQuorum or queryOperators').to.deep.equal([])
  })
})
