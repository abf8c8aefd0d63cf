import { expect } from 'chai'
import { canReachQuorum, configureNodes, listOperators } from '../../../shared/domain/node-config.ts'
import { formatNode } from '../../../shared/domain/node-endpoint.ts'

describe('configureNodes', () => {
  for (const { url, operator } of [
    { url: 'https://mainnet.example.com/key', operator: 'example.com' },
    { url: 'wss://a.b.example.co.uk:8546', operator: 'example.co.uk' },
    { url: 'https://RPC.Example.COM.', operator: 'example.com' },
    { url: 'http://geth.payments.svc.cluster.local:8545', operator: 'cluster.local' },
    { url: 'http://10.0.0.7:8545/key', operator: '10.0.0.7:8545' },
    { url: 'http://10.0.0.7', operator: '10.0.0.7' },
    { url: 'http://[::1]:8545', operator: '[::1]:8545' },
    { url: 'http://localhost:8545', operator: 'localhost:8545' },
    { url: 'http://geth.:8545', operator: 'geth:8545' },
  ]) {
    it(`uses ${operator} as the operator of ${url}`, () => {
      expect(configureNodes([url])[0]).to.include({ url, operator })
    })
  }

  it('treats two hosts below a private suffix such as fly.dev as one operator', () => {
    const nodes = configureNodes(['https://one.fly.dev', 'https://two.fly.dev'])
    expect(nodes.map(({ operator }) => operator)).to.deep.equal(['fly.dev', 'fly.dev'])
  })

  it('uses the configured operator, in lower case, instead of the host’s', () => {
    const [node] = configureNodes([{ url: 'https://rpc.example.com', operator: 'Alchemy' }])
    expect(node?.operator).to.equal('alchemy')
  })

  it('names nodes by their hosts, without keys, and numbers nodes of the same host', () => {
    const text = formatNode({ url: 'https://rpc.example.com/other', headers: { 'X-Key': 'hunter2' } })
    const names = configureNodes(['https://rpc.example.com/hunter2', 'https://b.example.com', text]).map(
      ({ name }) => name,
    )
    expect(names).to.deep.equal(['rpc.example.com', 'b.example.com', 'rpc.example.com#2'])
  })

  it('returns the configured quotas, and null for nodes without a quota', () => {
    const nodes = configureNodes([
      { url: 'https://a.example', requestsPerSecond: 2.5, requestsPerDay: 100_000 },
      'https://b.example',
    ])
    expect(nodes[0]).to.include({ requestsPerSecond: 2.5, requestsPerDay: 100_000 })
    expect(nodes[1]).to.include({ requestsPerSecond: null, requestsPerDay: null })
  })
})

describe('canReachQuorum', () => {
  it('counts operators, not nodes', () => {
    const nodes = configureNodes(['https://a.example.com', 'https://b.example.com', 'https://c.example.org'])
    expect(listOperators(nodes)).to.deep.equal(['example.com', 'example.org'])
    expect(canReachQuorum({ nodes, quorum: 2 })).to.equal(true)
    expect(canReachQuorum({ nodes, quorum: 3 })).to.equal(false)
  })
})
