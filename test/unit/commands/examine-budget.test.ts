import { expect } from 'chai'
import { examineBudget } from '../../../indexer/commands/doctor/examine-budget.ts'
import { isProblem } from '../../../indexer/commands/doctor/finding.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { Network } from '../../../shared/domain/networks.ts'
import { configureNodes, type NodeEntry } from '../../../shared/domain/node-config.ts'
import { mergeNetworks } from '../../../shared/runtime/merge-networks.ts'

const SHARE = 0.8

describe('examineBudget', () => {
  function examine(network: Network, entries: readonly NodeEntry[]) {
    const { deployments } = mergeNetworks({ registry: REGISTRY, file: {}, selection: `${network}:live` })
    const [deployment] = deployments
    if (deployment === undefined) throw new Error(`${network} has no live deployment`)
    return examineBudget({ ...deployment, nodes: configureNodes(entries) }, SHARE)
  }
  const trongrid = { url: 'https://a.example', requestsPerSecond: 15, requestsPerDay: 100_000 }

  it("warns that two of TronGrid's free plans are too small, and names the required plan", () => {
    const finding = examine('tron', [trongrid, { ...trongrid, url: 'https://b.example' }])
    expect(finding.found).to.match(
      /all nodes together \(2\) need to serve about .* requests per second \([\d,]+ per day\).*confirmed late/,
    )
    expect(finding.remedy).to.match(/plans of at least .* per day\) for each node/)
    expect(isProblem(finding)).to.equal(false)
  })

  it('warns that two nodes with two requests per second each are too small for arc', () => {
    const nodes = ['https://a.example', 'https://b.example'].map((url) => ({ url, requestsPerSecond: 2 }))
    expect(examine('arc', nodes).remedy).to.match(/for each node, more nodes, or your own node/)
  })

  it('warns about a node whose own limit is too small even for that node’s votes', () => {
    const finding = examine('base', [
      { url: 'https://a.example', requestsPerDay: 10_000 },
      'https://b.example',
    ])
    expect(finding.found).to.include('more than its own limits allow')
  })

  it('accepts larger limits and missing limits, and mentions nodes without a limit', () => {
    const plan = { requestsPerSecond: 25, requestsPerDay: 1_000_000 }
    const nodes = ['https://a.example', 'https://b.example'].map((url) => ({ url, ...plan }))
    expect(examine('base', nodes)).to.deep.include({ remedy: null })
    const free = examine('ethereum', ['https://a.example', 'https://b.example'])
    expect(free.remedy).to.equal(null)
    expect(free.found).to.include('without a configured limit')
  })
})
