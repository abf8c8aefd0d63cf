import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Hex, numberToHex, pad } from 'viem'
import type { DeploymentFacts } from '../../../indexer/commands/doctor/examine-chain.ts'
import { examineDeployment } from '../../../indexer/commands/doctor/examine-deployment.ts'
import { isProblem } from '../../../indexer/commands/doctor/finding.ts'
import { readDoctorFacts } from '../../../shared/db/chain-facts/daemon/doctor-facts.ts'
import { recordPayingAccounts } from '../../../shared/db/relayer/daemon/paying-accounts.ts'
import type { Address } from '../../../shared/domain/address.ts'
import type { AuthorizationDomain } from '../../../shared/domain/eip3009/authorization.ts'
import { SAFE_CONTRACTS } from '../../../shared/domain/escrow-address.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import { mergeNetworks } from '../../../shared/runtime/merge-networks.ts'
import { getPayoutBounds } from '../../../shared/runtime/payout-bounds.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { type Anvil, startAnvil } from '../../devnet/anvil.ts'
import { compiled } from '../../devnet/compiled.ts'
import { type DeployedToken, deployContracts } from '../../devnet/deploy.ts'
import { GAS_PRICE_ORACLE } from '../../support/data-fee-oracles.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { type RpcFate, type RpcProxy, type RpcRule, startRpcProxy } from '../../support/rpc-proxy.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const RELAYER = ACCOUNTS.relayer.address.toLowerCase() as Hex
const NOBODY: Hex = `0x${'ab'.repeat(20)}`
const DOMAIN: AuthorizationDomain = { name: 'USD Coin', version: '2' }
const WELL: DeploymentFacts = { pausedTokens: [], relayers: [RELAYER], authorizers: [RELAYER], retired: [] }

type Block = { readonly number: Hex; readonly hash: Hex }

type Fault = {
  /** Whether the finding is only a warning, which does not fail the command. */
  readonly isWarning?: true
  readonly name: string
  readonly rule?: RpcRule
  readonly decimals?: number
  /** Configured signing domain of the token. Defaults to the domain of the contract. */
  readonly domain?: AuthorizationDomain
  readonly facts?: DeploymentFacts
  readonly aheadSeconds?: number
  /** Price of the native coin. Defaults to one dollar. */
  readonly coinUsd?: number
  readonly found: RegExp
  readonly remedy: RegExp
}

/** Returns a rule that makes the node return this code for these addresses. */
const codeIs =
  (code: Hex, ...of: readonly string[]): RpcRule =>
  (method, [address]) =>
    method === 'eth_getCode' && of.includes(String(address).toLowerCase()) ? { result: code } : 'pass'

const failing = (
  matches: (method: string, params: readonly unknown[]) => boolean,
  message: string,
): RpcRule => {
  const fate: RpcFate = { error: { code: -32000, message } }
  return (method, params) => (matches(method, params) ? fate : 'pass')
}

const FAULTS: readonly Fault[] = [
  {
    name: 'a node that does not respond',
    rule: () => 'error',
    found: /does not respond/,
    remedy: /use another node in rpcUrls/,
  },
  {
    name: 'a node of another chain',
    rule: (method) => (method === 'eth_chainId' ? { result: '0x1' } : 'pass'),
    found: /serves chain 1$/,
    remedy: /use a node of chain 31337/,
  },
  {
    name: 'a node that is stalled',
    aheadSeconds: 3600,
    found: /its head is \d+ s old, above the limit of 120 s/,
    remedy: /caught up/,
  },
  { name: 'a wrong clock', aheadSeconds: -600, found: /s in the future/, remedy: /clock \(NTP\)/ },
  {
    name: 'a node with pruned state',
    rule: failing(
      (method, params) => method === 'eth_getBalance' && params[1] !== 'latest',
      'missing trie node',
    ),
    found: /has no state of \d+ blocks ago/,
    remedy: /archive node/,
  },
  {
    name: 'a node that limits log queries to one block each',
    rule: failing(
      (method, [query]) => method === 'eth_getLogs' && Object(query).fromBlock !== Object(query).toBlock,
      'block range too wide',
    ),
    found: /returns no logs of 1000 blocks: .*block range too wide/,
    remedy: /raise its limit/,
  },
  {
    name: 'a node that has lost its logs',
    rule: (method) => (method === 'eth_getLogs' ? { result: [] } : 'pass'),
    found: /returns no logs of block \d+, although the block's bloom filter is not empty/,
    remedy: /rebuild its log index/,
  },
  {
    name: 'a node that reads few balances per call',
    rule: failing(
      (method, [call]) => method === 'eth_call' && JSON.stringify(call).length > 50_000,
      'gas required exceeds allowance (10000000)',
    ),
    found: /cannot read 500 balances in one call: .*gas required exceeds/,
    remedy: /gas cap for eth_call/,
  },
  {
    name: 'a node that accepts few addresses in a filter',
    rule: failing(
      (method, [query]) => method === 'eth_getLogs' && JSON.stringify(query).length > 10_000,
      'exceed max topics',
    ),
    found: /rejects a filter of 300 addresses: .*exceed max topics/,
    remedy: /limit on topics/,
  },
  {
    name: 'a payout cost above the minimum payout',
    coinUsd: 30_000,
    found: /^costs at most 0\.\d+ ETH, about \$\d+\.\d+ at \$30000 per ETH; the minimum payout is \$1/,
    remedy: /set minimumPayout to "\d+(\.\d+)?" or more/,
  },
  {
    name: 'a payout that is expensive only because of its L1 data fee',
    rule: (method, [call]) =>
      method === 'eth_call' && String(Object(call).to).toLowerCase() === GAS_PRICE_ORACLE.toLowerCase()
        ? { result: pad(numberToHex(4n * 10n ** 14n)) }
        : 'pass',
    coinUsd: 1300,
    found: /^costs at most 0\.\d+ ETH, about/,
    remedy: /minimumPayout/,
  },
  {
    name: 'a chain without our contracts',
    rule: codeIs('0x', SPLIT_FACTORY),
    found: /not deployed/,
    remedy: /contracts -- deploy --network base --env live/,
  },
  {
    name: 'other code at the address of our factory',
    rule: codeIs('0x6001', SPLIT_FACTORY),
    found: /other code/,
    remedy: /use the release/,
  },
  {
    isWarning: true,
    name: 'a chain without Safe',
    rule: codeIs('0x', SAFE_CONTRACTS.singleton),
    found: /not deployed: singleton$/,
    remedy: /the API rejects escrow charges on this network/,
  },
  {
    name: 'a token with other decimals',
    decimals: 18,
    found: /has 6 decimals/,
    remedy: /change its decimals from 18 to 6/,
  },
  {
    name: 'a token without the restriction function',
    rule: failing(
      (method, [call]) => method === 'eth_call' && JSON.stringify(call).includes('0xfe575a87'),
      'execution reverted',
    ),
    found: /returns no valid result for isBlacklisted\(address\)/,
    remedy: /"restriction": false/,
  },
  {
    name: 'a token with another signing name',
    domain: { name: 'USDC', version: '2' },
    found: /^the token's DOMAIN_SEPARATOR\(\) does not match "USDC", version 2$/,
    remedy: /set "authorization" .* in NETWORKS_CONFIG to the name and version/,
  },
  {
    name: 'a token without support for authorizations',
    rule: failing(
      (method, [call]) => method === 'eth_call' && String(Object(call).data).startsWith('0xe94a0102'),
      'execution reverted',
    ),
    found: /has no DOMAIN_SEPARATOR\(\) or no authorizationState/,
    remedy: /set "authorization": false/,
  },
  {
    name: 'a relayer without funds',
    facts: { ...WELL, relayers: [NOBODY] },
    found: /^0 ETH; a payout costs at most 0\.\d+/,
    remedy: /send it .* ETH or more/,
  },
  {
    name: 'an account for signatures without funds',
    facts: { ...WELL, authorizers: [NOBODY] },
    found: /^0 ETH; a payment by signature costs at most 0\.\d+/,
    remedy: /send it .* ETH or more/,
  },
  {
    name: 'a paused pair',
    facts: { ...WELL, pausedTokens: ['USDC'] },
    found: /paused by an operator/,
    remedy: /pairs -- resume/,
  },
]

describe('npm run networks -- doctor', function () {
  this.timeout(240_000)

  let directory: string
  let anvil: Anvil
  let proxy: RpcProxy
  let token: DeployedToken
  let database: TestDatabase

  before(async () => {
    directory = await temporaryDirectory('doctor')
    anvil = await startAnvil({ name: 'chain', chainId: 31337, directory })
    const [deployed] = await deployContracts(anvil, [{ token: 'USDC', contract: 'TestUSDC', decimals: 6 }])
    if (deployed === undefined) throw new Error('no token was deployed')
    token = deployed
    proxy = await startRpcProxy(anvil.rpcUrl)
    database = await createTestDatabase()
  })

  after(async () => {
    await proxy?.stop()
    await anvil?.stop()
    await database?.drop()
    await rm(directory, { recursive: true, force: true })
  })

  afterEach(() => proxy.rule(() => 'pass'))

  type Nodes = { readonly rpcUrls: readonly string[]; readonly quorum: number }

  const fileOf = ({ decimals = 6, domain = DOMAIN, ...nodes }: Partial<Fault & Nodes>) => ({
    base: {
      live: {
        ...{ rpcUrls: nodes.rpcUrls ?? [proxy.url], quorum: nodes.quorum ?? 1 },
        ...{ chainId: 31337, blockTimeMs: 1000, confirmations: 2 },
        tokens: {
          USDC: { address: token.address, decimals, authorization: domain },
          USDT: { enabled: false },
        },
      },
    },
  })

  function examine({ facts = WELL, aheadSeconds = 0, coinUsd = 1, ...options }: Partial<Fault & Nodes> = {}) {
    const { deployments } = mergeNetworks({
      registry: REGISTRY,
      file: fileOf(options),
      selection: 'base:live',
    })
    const [deployment] = deployments
    if (deployment === undefined) throw new Error('base is not configured')
    const bounded = { ...deployment, ...getPayoutBounds(deployment, { MINIMUM_PAYOUT: '1' }) }
    return examineDeployment(bounded, {
      ...{ facts, coinUsd, nowMs: Date.now() + aheadSeconds * 1000, budgetShare: 0.8 },
    })
  }

  it('finds no problem in a correct deployment', async () => {
    const findings = await examine()
    expect(findings.filter(isProblem)).to.deep.equal([])
    expect(findings.map(({ subject }) => subject.split(' ')[0])).to.deep.equal([
      'operators',
      'limits',
      'node',
      'our',
      'Safe',
      'USDC',
      'signatures',
      'a',
      'relayer',
      'account',
    ])
  })

  for (const fault of FAULTS)
    it(`finds ${fault.name} and no other problem, and names the remedy`, async () => {
      proxy.rule(fault.rule ?? (() => 'pass'))
      const findings = await examine(fault)
      const problems = findings.filter(isProblem)
      expect(problems).to.have.length(fault.isWarning ? 0 : 1)
      const [found] = fault.isWarning ? findings.filter(({ found }) => fault.found.test(found)) : problems
      expect(found?.found).to.match(fault.found)
      expect(found?.remedy).to.match(fault.remedy)
    })

  it('finds two nodes that disagree about a block at confirmation depth, and shows both hashes', async () => {
    const head = await getBlock('latest')
    const number = numberToHex(BigInt(head.number) - 1n)
    const block = await getBlock(number)
    const invented = `0x${'aa'.repeat(32)}`
    proxy.rule((method, [asked]) =>
      method === 'eth_getBlockByNumber' && asked === number
        ? { result: { ...block, hash: invented } }
        : 'pass',
    )
    const found = await examine({ rpcUrls: [anvil.rpcUrl, proxy.url] })
    const hostOf = (url: string) => new URL(url).host
    expect(found.filter(isProblem)).to.deep.equal([
      {
        subject: `node ${hostOf(proxy.url)}`,
        found: `returns for the hash of block ${Number(number)}: ${invented}; node ${hostOf(anvil.rpcUrl)} returns: ${block.hash}`,
        remedy:
          'run the doctor again; if the nodes still differ, remove from rpcUrls the node that a block explorer contradicts',
      },
    ])
  })

  it('finds fewer operators than the quorum', async () => {
    const [problem] = (await examine({ quorum: 2 })).filter(isProblem)
    expect(problem).to.include({ subject: 'operators' })
    expect(problem?.remedy).to.include('until then, no pair is available')
  })

  it('exits with 0 if there are only warnings', async () => {
    const path = join(directory, 'networks.json')
    await writeFile(path, JSON.stringify(fileOf({})))
    const { code, output } = await run({
      NETWORKS_CONFIG: path,
      OPERATOR_DATABASE_URL: database.url.operator,
      TREASURY_ADDRESS: ACCOUNTS.treasury.address,
    })
    expect(output).to.match(
      /operators +1 \(127\.0\.0\.1:\d+\); 1 must agree +warning: use nodes of 3 operators/,
    )
    expect(code, output).to.equal(0)
  })

  it('reads paused pairs and the daemons’ accounts from the database, prints a table, and exits with 1 for a problem', async () => {
    const { sql } = database
    await sql`insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms)
      values (31337, 'base', 'live', 'evm', 2, 1000)`
    await sql`insert into pairs (chain_id, network, environment, token, token_address, decimals, enabled, paused_at)
      values (31337, 'base', 'live', 'USDC', ${token.address.toLowerCase()}, 6, true, now())`
    await sql`insert into relayers (chain_id, address, next_nonce) values (31337, ${RELAYER}, 0)`
    expect(await readDoctorFacts(sql, 31337)).to.deep.equal({
      ...{ pausedTokens: ['USDC'], relayers: [RELAYER], authorizers: [], retired: [] },
    })
    const daemon = connectForTest(database.url.daemon)
    const other = `0x${'0e'.repeat(20)}` as const
    for (const address of [RELAYER, other] as Address[])
      await recordPayingAccounts(daemon, [{ chainId: 31337, purpose: 'payouts', address }])
    expect((await readDoctorFacts(sql, 31337)).relayers, 'two daemons').to.have.members([RELAYER, other])
    await sql`update paying_accounts set seen_at = now() - interval '11 minutes' where address = ${other}`
    await recordPayingAccounts(daemon, [{ chainId: 1, purpose: 'payouts', address: other as Address }])
    await daemon.end()
    expect(await readDoctorFacts(sql, 31337)).to.deep.equal({
      ...{ pausedTokens: ['USDC'], relayers: [RELAYER], authorizers: [], retired: [other] },
    })
    const path = join(directory, 'networks.json')
    await writeFile(path, JSON.stringify(fileOf({})))
    const { code, output } = await run({
      NETWORKS_CONFIG: path,
      OPERATOR_DATABASE_URL: database.url.operator,
      TREASURY_ADDRESS: ACCOUNTS.treasury.address,
    })
    expect(output).to.include('paused by an operator').and.to.include('chain 31337, block')
    expect(code).to.equal(1)
  })

  async function getBlock(number: string): Promise<Block> {
    const request = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: [number, false] }
    const headers = { 'content-type': 'application/json' }
    const options = { method: 'POST', headers, body: JSON.stringify(request) }
    const { result } = (await (await fetch(anvil.rpcUrl, options)).json()) as { result: Block }
    return result
  }

  async function run(env: Readonly<Record<string, string>>): Promise<{ code: number; output: string }> {
    const args = [await compiled('indexer/commands/networks.ts'), 'doctor', 'base', '--env', 'live']
    // oxlint-disable-next-line no-process-env -- where programs are installed
    const options = { env: { PATH: process.env['PATH'] ?? '', DEPLOYMENTS: 'base:live', ...env } }
    return new Promise((done) => {
      execFile(process.execPath, args, options, (error, stdout, stderr) =>
        done({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      )
    })
  }
})
