import { expect } from 'chai'
import { examineOperators } from '../../../indexer/commands/doctor/examine-operators.ts'
import { isProblem } from '../../../indexer/commands/doctor/finding.ts'
import { configureNodes, type NodeEntry } from '../../../shared/domain/node-config.ts'

const ONE = 'https://rpc.one.example/hunter2'
const TWO = 'https://rpc.two.example'
const THREE = 'https://rpc.three.example'

const examine = (nodes: readonly NodeEntry[], quorum = 2) =>
  examineOperators({ nodes: configureNodes(nodes), quorum })

describe('examineOperators', () => {
  it('finds no problem with nodes of three operators', () => {
    expect(examine([ONE, TWO, THREE])).to.deep.equal([
      {
        ...{ subject: 'operators', remedy: null },
        found: '3 (one.example, two.example, three.example); 2 must agree',
      },
    ])
  })

  it('warns if there are only two operators, but reports no problem', () => {
    const [finding, ...others] = examine([ONE, TWO])
    expect(others).to.deep.equal([])
    expect(finding).to.include({ isWarning: true })
    expect(finding?.remedy).to.match(/^use nodes of 3 operators in rpcUrls/)
  })

  it('reports fewer operators than the quorum as a problem', () => {
    const problems = examine([ONE, TWO], 3).filter(isProblem)
    expect(problems).to.have.lengthOf(1)
    expect(problems[0]?.remedy).to.match(
      /^add nodes to rpcUrls so that they have 3 operators, or lower the quorum/,
    )
  })

  it('warns about an operator with two nodes, and names these nodes', () => {
    const shared = examine([ONE, TWO, THREE, 'https://rpc.one.example/hunter3'])[1]
    expect(shared).to.deep.include({
      ...{ subject: 'operator one.example', isWarning: true },
      found: 'runs 2 nodes, which have one vote: rpc.one.example, rpc.one.example#2',
    })
  })

  it('warns about a domain whose nodes have the votes of two operators', () => {
    const apart = examine([ONE, TWO, THREE, { url: 'https://b.one.example', operator: 'another' }])[1]
    expect(apart).to.deep.include({
      ...{ subject: 'domain one.example', isWarning: true },
      found: "the domain's 2 nodes have 2 votes: one.example, another",
    })
  })

  it('does not show the keys in the URLs of nodes', () => {
    expect(JSON.stringify(examine([ONE, ONE, { url: ONE, operator: 'another' }]))).not.to.include('hunter2')
  })
})
