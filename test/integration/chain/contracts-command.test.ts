import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { createTestClient, http } from 'viem'

import { checkContracts } from '../../../shared/chain/contracts/check-contracts.ts'
import { SPLIT_FACTORY, SPLIT_IMPLEMENTATION } from '../../../shared/domain/split-address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { type Anvil, startAnvil } from '../../devnet/anvil.ts'
import { compiled } from '../../devnet/compiled.ts'
import { chainAt } from '../../support/chain-at.ts'

describe('npm run contracts', function () {
  this.timeout(240_000)

  let directory: string
  let chain: Anvil

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'contracts-'))
    chain = await startAnvil({ name: 'base-live', chainId: 31337, directory })
  })

  afterEach(async () => {
    await chain.stop()
    await rm(directory, { recursive: true })
  })

  it('finds no contracts on an empty chain, and exits with 1', async () => {
    const { exitCode, output } = await contracts(['check'], { rpcUrl: chain.rpcUrl })
    expect(output).to.match(/base +live +31337 +missing/)
    expect(exitCode).to.equal(1)
  })

  it('deploys exactly our code, byte for byte', async () => {
    const { exitCode, output } = await contracts(DEPLOY, { rpcUrl: chain.rpcUrl })
    expect(output).to.match(/deployed in transaction 0x[0-9a-f]{64}/)
    expect(exitCode).to.equal(0)
    expect(await contracts(['check'], { rpcUrl: chain.rpcUrl })).to.include({ exitCode: 0 })
  })

  it('sends no transaction if the deployment is repeated', async () => {
    await contracts(DEPLOY, { rpcUrl: chain.rpcUrl })
    const { exitCode, output } = await contracts(DEPLOY, { rpcUrl: chain.rpcUrl })
    expect(output).to.include('ours').and.not.include('deployed in transaction')
    expect(exitCode).to.equal(0)
  })

  for (const [name, address] of [
    ['factory', SPLIT_FACTORY],
    ['implementation', SPLIT_IMPLEMENTATION],
  ] as const) {
    it(`reports that the ${name} is another contract, and exits with 1`, async () => {
      await contracts(DEPLOY, { rpcUrl: chain.rpcUrl })
      await createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).setCode({
        address,
        bytecode: '0x00',
      })
      const { exitCode, output } = await contracts(['check'], { rpcUrl: chain.rpcUrl })
      expect(output).to.include('NOT OURS')
      expect(exitCode).to.equal(1)
    })
  }

  it('does not deploy through a node of another chain', async () => {
    const { exitCode, output } = await contracts(DEPLOY, { rpcUrl: chain.rpcUrl, chainId: 31999 })
    expect(output).to.include('WRONG CHAIN')
    expect(exitCode).to.equal(1)
    expect(await checkContracts(chainAt([chain.rpcUrl]), { family: 'evm' })).to.equal('missing')
  })

  it('exits with 75 if no node responds, because a retry might succeed', async () => {
    await chain.stop()
    const { exitCode, output } = await contracts(['check'], { rpcUrl: chain.rpcUrl })
    expect(output).to.include('no quorum')
    expect(exitCode).to.equal(75)
  })

  it('queries the next node if the first node does not respond', async () => {
    const nodes = chainAt(['http://127.0.0.1:1', chain.rpcUrl], { quorum: 1 })
    expect(await checkContracts(nodes, { family: 'evm' })).to.equal('missing')
  })

  it('prints an explanation for an unknown command', async () => {
    const { exitCode, output } = await contracts(['destroy'], { rpcUrl: chain.rpcUrl })
    expect(output).to.include('unknown command destroy: must be check or deploy')
    expect(exitCode).to.equal(1)
  })

  async function contracts(args: readonly string[], settings: { rpcUrl: string; chainId?: number }) {
    const file = join(directory, 'networks.json')
    const live = { chainId: settings.chainId ?? 31337, rpcUrls: [settings.rpcUrl], quorum: 1 }
    await writeFile(file, JSON.stringify({ base: { live } }))
    return run(args, { NETWORKS_CONFIG: file, DEPLOYMENTS: 'base:live' })
  }
})

const DEPLOY = ['deploy', '--network', 'base', '--env', 'live', '--private-key-env', 'PAYING_KEY']

async function run(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ exitCode: number; output: string }> {
  const repository = resolve(import.meta.dirname, '../../..')
  const command = [await compiled('indexer/commands/contracts.ts'), ...args]
  const environment = { ...env, PAYING_KEY: ACCOUNTS.deployer.privateKey }
  return new Promise((done) => {
    execFile(process.execPath, command, { cwd: repository, env: environment }, (error, stdout, stderr) => {
      done({ exitCode: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
  })
}
