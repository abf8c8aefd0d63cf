import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { parseAbi, parseEther, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { connect } from '../../shared/db/connect.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { SPLIT_FACTORY, SPLIT_IMPLEMENTATION } from '../../shared/domain/split-address.ts'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { applyCatalogRights } from '../devnet/apply-catalog-rights.ts'
import { claimPort } from '../devnet/claim-port.ts'
import { connectWallet, type DevnetWallet } from '../devnet/deploy.ts'
import { type RunningPostgres, startPostgres } from '../devnet/embedded-postgres.ts'
import type { StartedChain } from '../devnet/networks.ts'
import { registeredChain } from '../devnet/real-networks/registered-chain.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { holds } from '../support/alert-condition.ts'
import { createBaseCopy } from '../support/base-copy.ts'
import { readAlerts } from '../support/metric-names.ts'
import { scrape } from '../support/scrape.ts'
import { type ShellSession, startShell } from '../support/shell-session.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { readMarkedBlocks } from '../support/tested-code-blocks.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')
const TRANSFER = parseAbi(['function transfer(address to, uint256 amount) returns (bool)'])
const PLACE = { network: 'base', environment: 'test' } as const
const { payer, merchant, treasury, deployer } = ACCOUNTS

describe('the operations guide, followed literally', function () {
  this.timeout(600_000)
  let directory: string
  let conf: string
  let chain: StartedChain
  let wallet: DevnetWallet
  let server: RunningPostgres
  let copy: RunningPostgres | undefined
  let shell: ShellSession
  /** The guide's ports, and the free ports that replace them in this test. */
  const ports = new Map(['3000', '3001', '9464', '9465', '9474'].map((port) => [port, 0]))
  const blocks: string[] = []

  before(async () => {
    directory = await temporaryDirectory('e2e-guide')
    conf = join(directory, 'etc')
    const logs = join(directory, 'log')
    await Promise.all([mkdir(conf), mkdir(logs)])
    chain = await startChain()
    server = await startPostgres({ dataDirectory: join(directory, 'postgres'), port: 0, fsync: false })
    for (const port of ports.keys()) ports.set(port, await claimPort())
    const { PATH = '', HOME = '' } = process.env
    const env = {
      ...{ PATH, HOME, CONF: conf, LOGS: logs, DATABASE: `127.0.0.1:${server.port}` },
      ...{
        RPC_URL: chain.anvil.rpcUrl,
        TREASURY_ADDRESS: treasury.address,
        PAYOUT_ADDRESS: merchant.address,
      },
      ...{
        API_PORT: portOf('3000'),
        API_INTERNAL_PORT: portOf('9464'),
        INDEXER_INTERNAL_PORT: portOf('9465'),
      },
    }
    shell = startShell({ cwd: REPOSITORY, env, timeoutMs: 240_000 })
    blocks.push(...(await readMarkedBlocks('docs/operations.md', 'test/e2e/operations-guide.test.ts')))
  })

  after(async () => {
    await shell?.stop()
    await Promise.all([server?.stop(), copy?.stop(), chain?.anvil.stop()])
    await rm(directory, { recursive: true, force: true })
  })

  it('leads to a settled charge, an alert that fires and resolves, and a backup that contains the charge', async () => {
    await follow('test -n "$RPC_URL"')
    await follow('create-seal-keys')
    await makeRoles()
    expect(await follow('--check-config')).to.match(/configuration is valid[^]*configuration is valid/)
    await writeFile(join(conf, 'deployer.env'), `DEPLOYER_PRIVATE_KEY=${deployer.privateKey}\n`)
    expect(await follow('contracts -- deploy')).to.match(/84532 +ours$/m)
    await follow('ready 9465')

    await untilRelayerEmpty(true)
    expect(await follow('"relayer":')).to.include((await relayerAddress()).toLowerCase())
    await wallet.setBalance({ address: await relayerAddress(), value: parseEther('1') })
    await untilRelayerEmpty(false)
    expect(await follow('networks -- doctor')).to.match(/our contracts +ours +nothing$/m)

    expect(await follow('keys -- create')).to.include('is the address of these terms')
    await payFirstCharge()
    expect(await follow('charges watch')).to.include('settlement completed')

    copy = await startCopy()
    await shell.run(`export RESTORED=127.0.0.1:${copy.port}`)
    expect(await follow('migrate -- --pending')).to.include('"settlementStatus":"completed"')
    expect(blocks, 'blocks of the guide that were not run').to.deep.equal([])
  })

  /** Runs the next block of the guide, which must contain this text. */
  function follow(part: string): Promise<string> {
    const block = blocks.shift() ?? ''
    expect(block, 'the next block').to.include(part)
    const here = block.replaceAll(/\b(3000|3001|9464|9465|9474)\b/g, (port) => portOf(port))
    return shell.run(here)
  }

  function portOf(port: string): string {
    return String(ports.get(port))
  }

  /** Starts a chain with public contracts such as Multicall3, but without our contracts, as the guide assumes. */
  async function startChain(): Promise<StartedChain> {
    const { plan } = registeredChain(PLACE, { payers: [payer.address] })
    const started = await plan.start?.({ directory, blockMs: plan.blockMs ?? 0 })
    if (started === undefined) throw new Error('the chain has no function that starts it')
    wallet = connectWallet(started.anvil)
    for (const address of [SPLIT_FACTORY, SPLIT_IMPLEMENTATION] as const) {
      await wallet.setCode({ address, bytecode: '0x' })
      await wallet.setNonce({ address, nonce: 0 })
    }
    return started
  }

  /** Runs docs/ops/roles.sql without psql. */
  async function makeRoles(): Promise<void> {
    const passwords = await shell.run(
      'echo "owner=$OWNER api=$API indexer=$INDEXER ponder=$PONDER operator=$OPERATOR"',
    )
    const valueOf = new Map(
      passwords
        .trim()
        .split(' ')
        .map((pair) => pair.split('=') as [string, string]),
    )
    const file = await readFile(join(REPOSITORY, 'docs/ops/roles.sql'), 'utf8')
    const sql = connect({ url: server.url, applicationName: 'guide', maxConnections: 1 })
    for (const statement of file.replaceAll(/^(?:--|\\).*$/gm, '').split(';'))
      if (statement.trim() !== '')
        await sql.unsafe(statement.replace(/:(\w+)/, (_, name: string) => `'${valueOf.get(name)}'`))
    await sql.end()
    await applyCatalogRights(server.url.replace(/[^/]*$/, 'payments'))
  }

  async function relayerAddress(): Promise<Address> {
    const text = await readFile(join(conf, 'indexer.env'), 'utf8')
    const [, key] = /^RELAYER_PRIVATE_KEY=(0x\w+)$/m.exec(text) ?? []
    return privateKeyToAccount(key as Hex).address as Address
  }

  async function untilRelayerEmpty(isEmpty: boolean): Promise<void> {
    const alert = (await readAlerts()).find((candidate) => candidate.alert === 'RelayerEmpty')
    if (alert === undefined) throw new Error('there is no alert RelayerEmpty')
    const internalUrl = `http://127.0.0.1:${portOf('9465')}`
    const { chainId } = chain.anvil
    await waitFor(async () => holds(alert, { scrape: await scrape(internalUrl), chainId }) === isEmpty, {
      what: `RelayerEmpty to ${isEmpty ? 'fire' : 'resolve'}`,
      timeoutMs: 180_000,
    })
  }

  async function payFirstCharge(): Promise<void> {
    const { address } = JSON.parse(await readFile(join(conf, 'first-charge'), 'utf8')) as { address: Address }
    const usdc = REGISTRY.base.test?.tokens.USDC
    if (usdc === undefined) throw new Error('the registry has no USDC on Base Sepolia')
    await wallet.impersonateAccount({ address: payer.address })
    await wallet.writeContract({
      address: usdc.address,
      abi: TRANSFER,
      functionName: 'transfer',
      args: [address, parseUnits('10', 6)],
      account: payer.address,
    })
  }

  async function startCopy(): Promise<RunningPostgres> {
    const dataDirectory = `${server.dataDirectory}-copy`
    await createBaseCopy(server, dataDirectory)
    return startPostgres({ dataDirectory, port: 0, fsync: false })
  }
})
