import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import type { DeploymentFacts } from '../../../indexer/commands/doctor/examine-chain.ts'
import { examineDeployment } from '../../../indexer/commands/doctor/examine-deployment.ts'
import { isProblem } from '../../../indexer/commands/doctor/finding.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { presentAddress } from '../../../shared/domain/chain-families/chain-families.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { formatNode } from '../../../shared/domain/node-endpoint.ts'
import { mergeNetworks } from '../../../shared/runtime/merge-networks.ts'
import { getPayoutBounds } from '../../../shared/runtime/payout-bounds.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { toTronAddress } from '../../devnet/tron/accounts.ts'
import { TRON_USDT } from '../../devnet/tron/addresses.ts'
import { seedChain } from '../../devnet/tron/seed-chain.ts'
import { addressOf, createTronFixture, type TronFixture } from '../../support/tron-fixture.ts'

const NILE = 3448148188
const WELL: DeploymentFacts = {
  pausedTokens: [],
  authorizers: [],
  relayers: [addressOf(ACCOUNTS.relayer)],
  retired: [],
}
const NOBODY = `0x${'ab'.repeat(20)}` as Address

/** Returns a response in place of the node's response. `null` passes the request to the node. */
type Fault = (path: string, body: string, key: string | undefined) => Promise<object> | object | null

describe('the doctor of a TRON deployment', function () {
  this.timeout(120_000)

  let stage: TronFixture
  let nile: TronFixture
  let twin: TronFixture
  let factory: string
  let door: { readonly url: string; readonly server: Server }
  let fault: Fault = () => null

  before(async () => {
    stage = await createTronFixture()
    nile = await createTronFixture({ chainId: NILE })
    twin = await createTronFixture()
    const { factory: deployed } = await seedChain(stage.chain)
    // Without this extra block, both chains would have the same blocks if they were created within the same second.
    await twin.chain.mine()
    await seedChain(twin.chain)
    factory = presentAddress(deployed, 'tron')
    const height = stage.chain.head().number + 100
    for (const { chain } of [stage, twin]) while (chain.head().number < height) await chain.mine()
    door = await openDoor()
  })

  after(async () => {
    door.server.close()
    await Promise.all([stage.stop(), nile.stop(), twin.stop()])
  })

  afterEach(() => {
    fault = () => null
  })

  /** Starts a proxy in front of the node that can inject faults. */
  const openDoor = async () => {
    const server = createServer((request, response) => {
      void (async () => {
        const [path, body] = [request.url ?? '/', await text(request)]
        const key = request.headers['tron-pro-api-key']
        const answer = (await fault(path, body, String(key))) ?? (await post(`${stage.url}${path}`, body))
        response.setHeader('connection', 'close').end(JSON.stringify(answer))
      })()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }
  const post = async (url: string, body: string): Promise<object> =>
    (await (await fetch(url, { method: 'POST', body })).json()) as object

  type Case = {
    readonly urls?: readonly string[]
    /** The API key that every request to the node carries. */
    readonly key?: string
    readonly splitFactory?: string | null
    readonly decimals?: number
    readonly facts?: DeploymentFacts
    readonly coinUsd?: number
    readonly minimumCharge?: string | null
    readonly aheadSeconds?: number
  }
  const examine = async (options: Case = {}) => {
    const { urls = [door.url], splitFactory = factory, decimals = 6, facts = WELL, coinUsd = 0.01 } = options
    const { minimumCharge = '100' } = options
    const token = { address: toTronAddress({ address: TRON_USDT }), decimals, enabled: true }
    const live = {
      quorum: 1,
      rpcUrls: urls.map((url) => {
        const headers = { ...(options.key !== undefined && { 'TRON-PRO-API-KEY': options.key }) }
        return formatNode({ url: `${url}/jsonrpc`, headers })
      }),
      ...(splitFactory !== null && { splitFactory }),
      ...(minimumCharge !== null && { minimumCharge }),
      tokens: { USDT: token },
    }
    const file = { tron: { live } }
    const { deployments } = mergeNetworks({ registry: REGISTRY, file, selection: 'tron:live' })
    const [deployment] = deployments
    if (deployment === undefined) throw new Error('tron must be configured')
    const bounded = { ...deployment, ...getPayoutBounds(deployment, { MINIMUM_PAYOUT: '1' }) }
    // The test mines more than one block per three seconds, so the clock must follow the chain.
    const nowMs = (stage.chain.head().timestamp + (options.aheadSeconds ?? 0)) * 1000
    return examineDeployment(bounded, { facts, coinUsd, nowMs, budgetShare: 0.8 })
  }
  const problems = async (options?: Case) => (await examine(options)).filter(isProblem)

  it('finds no problem in a correct deployment', async () => {
    const findings = await examine({ urls: [door.url, stage.url] })
    expect(findings.filter(isProblem)).to.deep.equal([])
    const subjects = findings.map(({ subject }) => subject.split(' ')[0])
    expect(subjects).to.deep.equal([
      ...['operators', 'limits', 'node', 'node', 'our', 'USDT', 'a', 'a', 'relayer'],
    ])
  })

  it('sends the key in the header to every API of a node, and never prints it', async () => {
    fault = (_, __, key) => (key === 'hunter2' ? null : { Error: `Invalid API key: ${key}` })
    expect(await problems({ key: 'hunter2' })).to.deep.equal([])
    const refused = await examine({ key: 'hunter3' })
    expect(JSON.stringify(refused)).to.include('does not respond').and.not.include('hunter3')
  })

  const expectOne = async (options: Case, found: RegExp, remedy: RegExp) => {
    const all = await problems(options)
    expect(all, JSON.stringify(all)).to.have.lengthOf(1)
    expect(all[0]?.found).to.match(found)
    expect(all[0]?.remedy).to.match(remedy)
  }

  it('reports a Nile node that is configured for a live deployment', async () => {
    await expectOne({ urls: [door.url, nile.url] }, /^serves chain 3448148188$/, /of chain 728126428/)
  })

  it('finds an HTTP API that serves a different chain than /jsonrpc', async () => {
    fault = (path, body) => (path === '/jsonrpc' ? null : post(`${nile.url}${path}`, body))
    await expectOne({}, /at \/wallet or \/walletsolidity: .*chain 3448148188/, /use another node in rpcUrls/)
  })

  it('finds a node without the HTTP API, which payouts require', async () => {
    fault = (path) => (path === '/jsonrpc' ? null : { Error: 'class java.lang.Exception : not open' })
    await expectOne({}, /returns no usable response at \/wallet/, /solidityEnable/)
  })

  it('finds two APIs that show different blocks for the same chain id', async () => {
    fault = (path, body) => (path === '/jsonrpc' ? null : post(`${twin.url}${path}`, body))
    await expectOne(
      {},
      /^returns hash 0x.* for block \d+ at \/walletsolidity, but 0x/,
      /APIs of the same node/,
    )
  })

  it('finds two nodes of different chains with the same chain id', async () => {
    const found = await problems({ urls: [stage.url, twin.url] })
    expect(found[0]?.found).to.match(
      /^returns for the hash of block \d+: 0x[0-9a-f]{64}; node .* returns: 0x/,
    )
    expect(found[0]?.remedy).to.match(/a block explorer contradicts/)
  })

  it('finds a solidified block far behind the head', async () => {
    fault = (path) =>
      path === '/walletsolidity/getblock'
        ? post(`${stage.url}/wallet/getblockbynum`, JSON.stringify({ num: 10 }))
        : null
    await expectOne(
      {},
      /^its solidified block is \d+ blocks behind its head, above the limit of 60/,
      /TRON itself is stalled/,
    )
  })

  it('reports a node that stores no transaction results, which reconciliation needs for every block', async () => {
    await stage
      .walletOf(ACCOUNTS.deployer)
      .trx.sendTransaction(presentAddress(addressOf(ACCOUNTS.keeper), 'tron'), 1)
    for (let count = 0; count < 19; count += 1) await stage.chain.mine()
    expect(await problems()).to.deep.equal([])
    fault = (path) => (path.endsWith('gettransactioninfobyblocknum') ? [] : null)
    await expectOne(
      {},
      /^returns results for 0 of the 1 transactions of block \d+/,
      /storage.transHistory.switch/,
    )
    fault = (path) => (path.endsWith('gettransactioninfobyblocknum') ? { Error: 'not open' } : null)
    await expectOne({}, /^returns no transaction results for block \d+/, /storage.transHistory.switch/)
  })

  it('finds two APIs whose heads are far apart', async () => {
    fault = (path) =>
      path === '/wallet/getblock'
        ? post(`${stage.url}/wallet/getblockbynum`, JSON.stringify({ num: 85 }))
        : null
    await expectOne({}, /^is at block \d+ at \/jsonrpc and at 85 at \/wallet/, /both have caught up/)
  })

  it('finds a node whose log queries cover fewer than 5,000 blocks', async () => {
    fault = (path, body) => {
      const { id, method, params } = path === '/jsonrpc' ? JSON.parse(body) : {}
      if (method !== 'eth_getLogs' || params[0].fromBlock === params[0].toBlock) return null
      return { jsonrpc: '2.0', id, error: { code: -32602, message: 'exceed max block range: 50' } }
    }
    await expectOne({}, /^returns no logs of 5000 blocks: .*max block range: 50/, /to 5000 blocks/)
  })

  it('finds a stalled head and a wrong clock', async () => {
    await expectOne({ aheadSeconds: 3_600 }, /its head is 3600 s old, above the limit of 120 s/, /caught up/)
    await expectOne({ aheadSeconds: -600 }, /s in the future/, /clock \(NTP\)/)
  })

  it('finds a factory that is not configured or not deployed', async () => {
    await expectOne({ splitFactory: null }, /.+/, /splitFactory/)
    await expectOne({ splitFactory: presentAddress(NOBODY, 'tron') }, /^not deployed$/, /contracts -- deploy/)
  })

  it('finds a token whose decimals on the chain differ from the configured ones', async () => {
    await expectOne({ decimals: 18 }, /^has 6 decimals$/, /change its decimals from 18 to 6/)
  })

  it('finds that a payout costs more than the minimum payout at a high price of TRX', async () => {
    const found = /^costs at most 71\.2 TRX, about \$24\.9200 at \$0\.35 per TRX; the minimum payout is \$22$/
    await expectOne({ coinUsd: 0.35 }, found, /to "24.92" or more/)
  })

  it('finds a minimum charge below the cost of its payout, because every confirmed charge is paid out', async () => {
    const remedy = /set minimumCharge to "0.72" or more/
    expect(await problems({ minimumCharge: null }), 'by default').to.deep.equal([])
    await expectOne({ minimumCharge: '0.71' }, /^has a minimum of \$0\.71; its payout/, remedy)
  })

  it('finds a relayer that has neither TRX nor energy, and names the cost of a hundred payouts', async () => {
    const facts = { ...WELL, relayers: [NOBODY] }
    await expectOne(
      { facts },
      /^0 TRX, 0 energy and 600 bytes of bandwidth; a payout/,
      /send it 7120 TRX or more, or stake or rent/,
    )
  })

  it('accepts staked energy and bandwidth in place of TRX, but does not accept energy in place of bandwidth', async () => {
    const staked = { EnergyLimit: 80_000_000, NetLimit: 120_000 }
    const facts = { ...WELL, relayers: [NOBODY] }
    fault = (path) => (path === '/wallet/getaccountresource' ? staked : null)
    expect(await problems({ facts })).to.deep.equal([])
    staked.NetLimit = 600
    await expectOne({ facts }, /^0 TRX, 80000000 energy and 600 bytes/, /send it 120 TRX or more/)
  })
})
