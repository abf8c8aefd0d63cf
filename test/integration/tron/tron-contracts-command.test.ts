import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { checkContracts } from '../../../shared/chain/contracts/check-contracts.ts'
import { parseTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { compiled } from '../../devnet/compiled.ts'
import { TRON_CHAIN_ID } from '../../devnet/tron/addresses.ts'
import { chainAt } from '../../support/chain-at.ts'
import { createTronFixture, type TronFixture } from '../../support/tron-fixture.ts'

const DEPLOY = ['deploy', '--network', 'tron', '--env', 'live', '--private-key-env', 'PAYING_KEY']

describe('npm run contracts on TRON', function () {
  this.timeout(240_000)

  let directory: string
  let tron: TronFixture
  let ticking: ReturnType<typeof setInterval>

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'contracts-'))
    tron = await createTronFixture()
    for (let blocks = 0; blocks < 20; blocks += 1) await tron.chain.mine()
    ticking = setInterval(() => void tron.chain.mine(), 500)
  })
  after(async () => {
    clearInterval(ticking)
    await tron.stop()
    await rm(directory, { recursive: true })
  })

  it('deploys our code, prints the configuration, and deploys no second factory with that configuration', async () => {
    const first = await contracts(DEPLOY)
    expect(first.output).to.match(/deployed in transaction [0-9a-f]{64}\n/)
    expect(first.exitCode).to.equal(0)
    const [, named = ''] = /"splitFactory": "(T\w{33})"/.exec(first.output) ?? []
    const splitFactory = parseTronAddress(named)
    const chain = chainAt([`${tron.url}/jsonrpc`], { chainId: TRON_CHAIN_ID })
    const deployment = { family: 'tron' as const, ...(splitFactory && { splitFactory }) }
    expect(await checkContracts(chain, deployment)).to.equal('match')

    const second = await contracts(DEPLOY, { splitFactory: named })
    expect(second.output).to.include(`${named}  ours`).and.not.include('deployed in')
    expect(second.exitCode).to.equal(0)
  })

  it('does not deploy a factory if the configured factory does not exist, because its address is probably a mistake', async () => {
    // The address of USDT on Nile, at which this chain has no contract.
    const { output, exitCode } = await contracts(DEPLOY, {
      splitFactory: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
    })
    expect(output).to.include('missing').and.not.include('deployed in')
    expect(exitCode).to.equal(1)
  })

  it('prints the factory’s address before it sends a transaction, and resumes that transaction after it was killed', async () => {
    clearInterval(ticking)
    const isTaken = once(tron.chain)
    const killed = await start(DEPLOY)
    await isTaken
    killed.kill()
    const [, id = '', place = ''] =
      /signed transaction ([0-9a-f]{64}): the factory's address will be (T\w{33})/.exec(killed.said()) ?? []
    expect(killed.said()).to.include(`--transaction ${id}`)
    ticking = setInterval(() => void tron.chain.mine(), 500)
    const { output, exitCode } = await contracts([...DEPLOY, '--transaction', id])
    expect(output).to.include(`deployed in transaction ${id}`).and.include(`"splitFactory": "${place}"`)
    expect(output).to.include(`${place}  ours`).and.not.include('signed transaction')
    expect(exitCode).to.equal(0)
  })

  it('rejects a malformed transaction id, and names the required format', async () => {
    const { output, exitCode } = await contracts([...DEPLOY, '--transaction', 'T123'])
    expect(output).to.include('--transaction is "T123": must be 64 lowercase hex digits')
    expect(exitCode).to.equal(1)
  })

  async function contracts(args: readonly string[], changes: { splitFactory?: string } = {}) {
    const { ended, said } = await start(args, changes)
    return { exitCode: await ended, output: said() }
  }

  async function start(args: readonly string[], changes: { splitFactory?: string } = {}) {
    const file = join(directory, 'networks.json')
    const live = { chainId: TRON_CHAIN_ID, rpcUrls: [`${tron.url}/jsonrpc`], quorum: 1, ...changes }
    await writeFile(file, JSON.stringify({ tron: { live } }))
    const env = { NETWORKS_CONFIG: file, DEPLOYMENTS: 'tron:live', PAYING_KEY: ACCOUNTS.deployer.privateKey }
    const command = [await compiled('indexer/commands/contracts.ts'), ...args]
    const child = spawn(process.execPath, command, { cwd: resolve(import.meta.dirname, '../../..'), env })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)))
    const ended = new Promise<number>((done) => child.on('close', (code) => done(code ?? -1)))
    return { ended, said: () => output, kill: () => child.kill('SIGKILL') }
  }
})

/** Waits until the chain has accepted the next transaction. */
function once(chain: TronFixture['chain']): Promise<void> {
  const { broadcast } = chain
  return new Promise((done) => {
    const taking: typeof broadcast = async (transaction) => {
      const code = await broadcast(transaction)
      Object.assign(chain, { broadcast })
      done()
      return code
    }
    Object.assign(chain, { broadcast: taking })
  })
}
