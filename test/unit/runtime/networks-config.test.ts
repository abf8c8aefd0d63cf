import { expect } from 'chai'
import { parseTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { configureNodes } from '../../../shared/domain/node-config.ts'
import { findNode, parseNode } from '../../../shared/domain/node-endpoint.ts'
import { SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import { mergeNetworks } from '../../../shared/runtime/merge-networks.ts'
import { checkNetworksFile, type NetworksFile } from '../../../shared/runtime/networks-file.ts'

const ONE = '0x1111111111111111111111111111111111111111'
const ONE_ON_TRON = 'TBXSw8fM4jpQkGc6zZjsVABFpVN7UvXPdV'
const OTHER_ON_TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

describe('mergeNetworks', () => {
  it('runs exactly the deployments with an enabled pair by default', () => {
    const names = merge({}).deployments.map(({ network, environment }) => `${network}:${environment}`)
    expect(names).to.deep.equal([
      'base:live',
      'base:test',
      'optimism:live',
      'optimism:test',
      'polygon:live',
      'ethereum:live',
      'ethereum:test',
      'arbitrum:live',
      'avalanche:live',
      'bnb:live',
      'arc:live',
      'arc:test',
    ])
    expect(merge({}).problems).to.deep.equal([])
  })

  it('runs the selected deployments, even without an enabled pair', () => {
    const outcome = merge({}, 'base:test, tron:live')
    expect(outcome.deployments.map(({ chainId }) => chainId)).to.deep.equal([84532, 728126428])
  })

  it('overrides the registry’s values with the file’s values', () => {
    const live = {
      chainId: 31337,
      confirmations: 2,
      blockTimeMs: 1000,
      pollingIntervalMs: 100,
      ...{ rpcUrls: ['http://127.0.0.1:8545'], quorum: 1 },
      startBlock: 0,
      minimumPayout: '0.5',
      minimumCharge: '2',
      tokens: { USDC: { address: ONE, decimals: 6 }, USDT: { enabled: false } },
    }
    const [base] = merge({ base: { live } }, 'base:live').deployments
    expect(base).to.deep.include({
      chainId: 31337,
      confirmations: 2,
      blockTimeMs: 1000,
      pollingIntervalMs: 100,
      rpcUrls: ['http://127.0.0.1:8545'],
      startBlock: 0,
      minimumPayout: '0.5',
      minimumCharge: '2',
      finalityBlocks: 30,
    })
    expect(base?.tokens.map(({ token, address, enabled }) => ({ token, address, enabled }))).to.deep.equal([
      { token: 'USDC', address: ONE, enabled: true },
      { token: 'USDT', address: REGISTRY.base.live.tokens.USDT?.address, enabled: false },
    ])
    expect(base?.tokens[0]?.restriction).to.deep.equal(REGISTRY.base.live.tokens.USDC?.restriction)
  })

  it('uses a quorum of 2 unless the file sets another quorum', () => {
    const quorumOf = (live: object) => merge({ base: { live } }, 'base:live').deployments[0]?.quorum
    expect(quorumOf({})).to.equal(2)
    expect(quorumOf({ quorum: 3 })).to.equal(3)
  })

  it('returns the name, operator and quotas of each node, and lists its URL in rpcUrls', () => {
    const rpcUrls = [
      'https://rpc.example.com/key',
      { url: 'http://10.0.0.1:8545', operator: 'us', requestsPerSecond: 5, requestsPerDay: 90_000 },
    ]
    const { file, problems } = checkNetworksFile({ base: { live: { rpcUrls } } })
    expect(problems).to.deep.equal([])
    const [base] = merge(file, 'base:live').deployments
    const noQuota = { requestsPerSecond: null, requestsPerDay: null }
    expect(base?.nodes).to.deep.equal([
      { name: 'rpc.example.com', url: rpcUrls[0], operator: 'example.com', ...noQuota },
      {
        ...{ name: '10.0.0.1:8545', url: 'http://10.0.0.1:8545', operator: 'us' },
        ...{ requestsPerSecond: 5, requestsPerDay: 90_000 },
      },
    ])
    expect(base?.rpcUrls).to.deep.equal(['https://rpc.example.com/key', 'http://10.0.0.1:8545'])
  })

  describe('with fewer operators than the quorum', () => {
    const oneOperator = ['https://a.example.com', 'https://b.example.com']
    const enabledIn = (file: NetworksFile) =>
      merge(file).deployments.map(({ network, environment, tokens }) => ({
        name: `${network}:${environment}`,
        isEnabled: tokens.some(({ enabled }) => enabled),
      }))

    it('runs the network with its pairs disabled, and keeps the pairs of other networks enabled', () => {
      const networks = enabledIn({ base: { live: { rpcUrls: oneOperator } } })
      expect(networks).to.deep.include({ name: 'base:live', isEnabled: false })
      expect(networks).to.deep.include({ name: 'ethereum:live', isEnabled: true })
      expect(merge({ base: { live: { rpcUrls: oneOperator } } }).problems).to.deep.equal([])
    })

    it('enables the network’s pairs if the quorum is 1, or if the file names different operators', () => {
      const live = { rpcUrls: oneOperator, quorum: 1 }
      expect(enabledIn({ base: { live } })).to.deep.include({ name: 'base:live', isEnabled: true })
      const [first = '', second = ''] = oneOperator
      const apart = { rpcUrls: [first, { url: second, operator: 'another' }] }
      expect(enabledIn({ base: { live: apart } })).to.deep.include({ name: 'base:live', isEnabled: true })
    })

    it('neither enables nor simulates the pairs of a testnet', () => {
      const outcome = merge({ base: { test: { rpcUrls: oneOperator } } }, 'base:test')
      expect(outcome.deployments[0]?.tokens.some(({ enabled }) => enabled)).to.equal(false)
      expect(outcome.simulatedPairs).not.to.deep.include({ token: 'USDC', network: 'base' })
    })
  })

  it('disables the restriction query of a token if the file does', () => {
    const file: NetworksFile = { base: { live: { tokens: { USDC: { restriction: false } } } } }
    expect(merge(file, 'base:live').deployments[0]?.tokens[0]?.restriction).to.equal(null)
  })

  it('uses the file’s EIP-712 domain, or the registry’s for the registry’s contract', () => {
    const signedWith = (usdc: object) => {
      const { file, problems } = checkNetworksFile({ base: { live: { tokens: { USDC: usdc } } } })
      expect(problems).to.deep.equal([])
      return merge(file, 'base:live').deployments[0]?.tokens[0]?.authorization
    }
    const domain = { name: 'A Coin', version: '7' }
    expect(signedWith({})).to.deep.equal({ name: 'USD Coin', version: '2' })
    expect(signedWith({ authorization: domain })).to.deep.equal(domain)
    expect(signedWith({ authorization: false })).to.equal(null)
    expect(signedWith({ address: ONE, decimals: 6 }), 'for another contract').to.equal(null)
    expect(signedWith({ address: ONE, decimals: 6, authorization: domain })).to.deep.equal(domain)
  })

  it('rejects an EIP-712 domain that has a name but no version', () => {
    const tokens = { USDC: { authorization: { name: 'A Coin' } } }
    expect(checkNetworksFile({ base: { live: { tokens } } }).problems).not.to.be.empty
  })

  it('runs TRON by default once our factory is configured, and disables its pairs until then', () => {
    const isOffered = (file: NetworksFile) =>
      merge(file, 'tron:live').deployments.flatMap(({ tokens }) =>
        tokens.map(({ token, enabled }) => [token, enabled]),
      )
    const live = { splitFactory: ONE_ON_TRON }
    expect(isOffered({})).to.deep.equal([
      ['USDC', false],
      ['USDT', false],
    ])
    expect(isOffered({ tron: { live } })).to.deep.equal([
      ['USDC', false],
      ['USDT', true],
    ])
    const names = merge({ tron: { live } }).deployments.map(
      ({ network, environment }) => `${network}:${environment}`,
    )
    expect(names).to.include('tron:live').and.not.include('tron:test')
  })

  it('returns one factory for all EVM networks, and each environment’s configured factory on TRON', () => {
    const both = { live: { splitFactory: ONE_ON_TRON }, test: { splitFactory: OTHER_ON_TRON } }
    const { live, test } = merge({ tron: both }).splitFactories
    expect(live).to.deep.equal({ evm: SPLIT_FACTORY, tron: parseTronAddress(ONE_ON_TRON) })
    expect(test).to.deep.equal({ evm: SPLIT_FACTORY, tron: parseTronAddress(OTHER_ON_TRON) })
    expect(merge({}).splitFactories.live.tron).to.equal(null)
  })

  it('simulates test charges with the live factory if the testnet has no factory', () => {
    const { splitFactories } = merge({ tron: { live: { splitFactory: ONE_ON_TRON } } })
    expect(splitFactories.test.tron).to.equal(parseTronAddress(ONE_ON_TRON))
  })

  it('adds a deployment that the registry lacks, if the file describes it completely', () => {
    const test = {
      chainId: 31338,
      rpcUrls: ['http://127.0.0.1:1'],
      tokens: { USDC: { address: ONE, decimals: 18 } },
    }
    const outcome = merge({ bnb: { test } }, 'bnb:test')
    expect(outcome.problems).to.deep.equal([])
    expect(outcome.deployments[0]).to.deep.include({ network: 'bnb', environment: 'test', chainId: 31338 })
  })

  for (const { flaw, file, selection, problem } of [
    {
      flaw: 'a duplicate chain id',
      file: { base: { live: { chainId: 5 }, test: { chainId: 5 } } },
      selection: 'base:live,base:test',
      problem: 'NETWORKS_CONFIG: chain id 5 is used by two deployments; each needs its own',
    },
    {
      flaw: 'a confirmation depth that is not below finality',
      file: { base: { live: { confirmations: 30 } } },
      problem:
        'NETWORKS_CONFIG: base:live confirmations is 30: must be below 30, after which Ponder considers blocks of chain 8453 final',
    },
    {
      flaw: 'a confirmation depth that is not below finality on ethereum',
      file: { ethereum: { live: { confirmations: 65 } } },
      selection: 'ethereum:live',
      problem:
        'NETWORKS_CONFIG: ethereum:live confirmations is 65: must be below 65, after which Ponder considers blocks of chain 1 final',
    },
    {
      flaw: 'one address for two tokens',
      file: {
        base: {
          live: { tokens: { USDC: { address: ONE, decimals: 6 }, USDT: { address: ONE, decimals: 6 } } },
        },
      },
      problem: `NETWORKS_CONFIG: base:live tokens: ${ONE} is used for two tokens`,
    },
    {
      flaw: 'an empty list of RPC URLs',
      file: { base: { live: { rpcUrls: [] } } },
      problem: 'NETWORKS_CONFIG: base:live rpcUrls is empty: must name at least one RPC',
    },
    {
      flaw: 'a minimum for test charges',
      file: { base: { test: { minimumCharge: '1' } } },
      selection: 'base:test',
      problem:
        'NETWORKS_CONFIG: base:test minimumCharge is 1: must not be set, because test charges have no minimum',
    },
    ...(['minimumPayout', 'minimumCharge'] as const).map((name) => ({
      flaw: `a ${name} below the cost of a payout, unless the loss is accepted`,
      file: { tron: { live: { [name]: '21.99' } } },
      selection: 'tron:live',
      problem: `NETWORKS_CONFIG: tron:live ${name} is 21.99: must be at least 22, the maximum cost of a payout in dollars, unless acceptLossyPayouts is true`,
    })),
    {
      flaw: 'a token’s contract address without decimals',
      file: { base: { live: { tokens: { USDC: { address: ONE } } } } },
      problem:
        "NETWORKS_CONFIG: base:live tokens.USDC.decimals is not set: the address is not the registry's",
    },
    {
      flaw: 'a deployment that the registry lacks, without a chain id',
      file: { bnb: { test: { rpcUrls: ['http://127.0.0.1:1'] } } },
      selection: 'bnb:test',
      problem: 'NETWORKS_CONFIG: bnb:test chainId is not set: the registry has no such deployment',
    },
    {
      flaw: 'a TRON pair that is enabled without a factory',
      file: { tron: { live: { tokens: { USDT: { enabled: true } } } } },
      selection: 'tron:live',
      problem:
        'NETWORKS_CONFIG: tron:live splitFactory is not set: it is required, because tokens.USDT is enabled (npm run contracts -- deploy)',
    },
    {
      flaw: 'an EVM address as the factory on TRON',
      file: { tron: { live: { splitFactory: ONE } } },
      selection: 'tron:live',
      problem: `NETWORKS_CONFIG: tron:live splitFactory is ${ONE}: must be a TRON address (T…) with a correct checksum`,
    },
    {
      flaw: 'a configured factory on an EVM network',
      file: { base: { live: { splitFactory: ONE } } },
      problem: `NETWORKS_CONFIG: base:live splitFactory must not be set: our factory is at ${SPLIT_FACTORY} on every network of its family`,
    },
  ] satisfies { flaw: string; file: NetworksFile; selection?: string; problem: string }[]) {
    it(`rejects ${flaw}`, () => {
      expect(merge(file, selection ?? 'base:live').problems).to.deep.equal([problem])
    })
  }

  it('accepts minimums that cover the cost of a payout, and lower minimums if the loss is accepted', () => {
    const problems = (live: object) => {
      const { file, problems: malformed } = checkNetworksFile({ tron: { live } })
      return [...malformed, ...merge(file, 'tron:live').problems]
    }
    expect(problems({ minimumPayout: '22', minimumCharge: '22' })).to.deep.equal([])
    const lossy = { minimumPayout: '0', minimumCharge: '0' }
    expect(problems({ ...lossy, acceptLossyPayouts: true })).to.deep.equal([])
    expect(problems({ ...lossy, acceptLossyPayouts: false })).to.have.length(2)
    expect(
      merge({ base: { live: lossy } }, 'base:live').problems,
      'where a payout costs cents',
    ).to.deep.equal([])
  })

  it('accepts a confirmation depth one below finality', () => {
    expect(merge({ base: { live: { confirmations: 29 } } }, 'base:live').problems).to.deep.equal([])
  })
})

describe('checkNetworksFile', () => {
  it('reports each problem with its path', () => {
    const { problems } = checkNetworksFile({
      base: { live: { confirmations: 0, depth: 3, tokens: { USDC: { address: '0x12' } } } },
      mars: {},
    })
    expect(problems).to.have.members([
      'NETWORKS_CONFIG: base.live.depth is unknown',
      'NETWORKS_CONFIG: mars is unknown',
      'NETWORKS_CONFIG: base.live.confirmations is 0: must be >= 1',
      'NETWORKS_CONFIG: base.live.tokens.USDC.address is "0x12": must match format "address"',
    ])
  })

  it('does not show an RPC URL, which may contain a key', () => {
    const { problems } = checkNetworksFile({ base: { live: { rpcUrls: ['ftp://rpc.example/hunter2'] } } })
    expect(problems).to.have.length(1)
    expect(problems[0]).to.include('base.live.rpcUrls.0').and.not.include('hunter2')
  })
})

describe('the settings of a network’s nodes', () => {
  const problemsOf = (live: object) => checkNetworksFile({ base: { live } }).problems
  const node = (facts: object) => ({ rpcUrls: [{ url: 'https://rpc.example/hunter2', ...facts }] })

  for (const quorum of [0, 6, 2.5, '2'])
    it(`rejects a quorum of ${JSON.stringify(quorum)} with its value and limits`, () => {
      expect(problemsOf({ quorum })).to.deep.equal([
        `NETWORKS_CONFIG: base.live.quorum is ${JSON.stringify(quorum)}: must be an integer from 1 to 5`,
      ])
    })

  it('rejects a quota of zero with its value and limits', () => {
    expect(problemsOf(node({ requestsPerSecond: 0 }))).to.deep.equal([
      'NETWORKS_CONFIG: base.live.rpcUrls.0.requestsPerSecond is 0: must be a number above 0, at most 100000',
    ])
    expect(problemsOf(node({ requestsPerDay: 1.5 }))).to.deep.equal([
      'NETWORKS_CONFIG: base.live.rpcUrls.0.requestsPerDay is 1.5: must be an integer from 1 to 10000000000',
    ])
  })

  it('rejects an operator that is a URL, without showing it', () => {
    const [problem, ...others] = problemsOf(node({ operator: 'https://rpc.example/hunter2' }))
    expect(others).to.deep.equal([])
    expect(problem).to.include('base.live.rpcUrls.0.operator is (not shown): must be 1 to 64 letters')
  })

  it('allows an unencrypted connection to a node without headers', () => {
    const rpcUrls = [{ url: 'ws://node.internal:8546', operator: 'us' }]
    expect(problemsOf({ rpcUrls })).to.deep.equal([])
    expect(problemsOf({ rpcUrls: [{ url: 'ftp://node.internal' }] })).to.have.lengthOf(1)
  })
})

describe('a node with headers', () => {
  const url = 'https://api.trongrid.io/jsonrpc'
  const headers = { 'TRON-PRO-API-KEY': 'hunter2' }
  const check = (node: unknown) => checkNetworksFile({ tron: { live: { rpcUrls: [node] } } })

  it('is stored as one text that contains its URL and headers', () => {
    const { file, problems } = check({ url, headers })
    expect(problems).to.deep.equal([])
    const [node = ''] = configureNodes(file.tron?.live?.rpcUrls ?? []).map((one) => one.url)
    expect(parseNode(node)).to.deep.equal({ url, headers })
    expect(new URL(node).host).to.equal('api.trongrid.io')
    expect(findNode(url, ['https://other.example', node])).to.equal(node)
  })

  for (const [title, node] of Object.entries({
    'uses an unencrypted connection': { url: 'http://tron.example/jsonrpc', headers },
    'uses a WebSocket URL, which supports no headers': { url: 'wss://tron.example', headers },
    'has an empty headers object': { url, headers: {} },
    'has a header without a name': { url, headers: { '': 'hunter2' } },
    'sets the Host header': { url, headers: { Host: 'hunter2' } },
    'has a header with a line break': { url, headers: { 'X-Key': 'hunter2\r\nX-Other: hunter2' } },
    'has a header that is not a string': { url, headers: { 'X-Key': ['hunter2'] } },
    'has a fragment, which is reserved for headers': `${url}#headers:X-Key=hunter2`,
    'has an unknown field': { url, headers, timeoutMs: 'hunter2' },
  })) {
    it(`is rejected, without being shown, if it ${title}`, () => {
      const { file, problems } = check(node)
      expect(file).to.deep.equal({})
      expect(problems).to.have.lengthOf(1)
      expect(problems[0]).to.include('tron.live.rpcUrls.0').and.not.include('hunter2')
    })
  }

  it('is rejected with the allowed characters if a header has another character', () => {
    for (const value of ['"hunter2"', 'hunter\\2', ' hunter2', 'hünter2'])
      expect(check({ url, headers: { 'X-Key': value } }).problems[0]).to.match(
        /: must be 1 to 1,024 printable ASCII characters except double quotes and backslashes, with no space at either end$/,
      )
    expect(check({ url, headers: { 'X-Key': "it's a key" } }).problems).to.deep.equal([])
  })
})

function merge(file: NetworksFile, selection?: string) {
  return mergeNetworks({ registry: REGISTRY, file, selection })
}
