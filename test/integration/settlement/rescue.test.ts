import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'

import { distribute } from '../../../shared/domain/allocation.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { addressOf, type PaidCharge, type Stage, setStage, startChain, type TestChain } from './stage.ts'

/** The stage's chain is `base` to the service; here the same chain is one the charge never accepted. */
const NETWORK = 'polygon'
const RESCUER = addressOf(ACCOUNTS.deployer.address)

describe('npm run rescue', () => {
  let directory: string
  let chain: TestChain
  let stage: Stage

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rescue-'))
    chain = await startChain({ hasFactory: false })
    stage = await setStage(chain)
  })

  afterEach(async () => {
    await stage.close()
    await chain.stop()
    await rm(directory, { recursive: true })
  })

  it('deploys factory and split and pays out, on a network that has neither', async () => {
    const charge = await stage.openCharge()
    await stage.callToken('mint', [charge.splitAddress, 7_000_001n])
    const { exitCode, output } = await rescue(charge)
    expect(output).to.match(/deployed the factory in transaction 0x[0-9a-f]{64}/)
    expect(output).to.match(/distributed 7.000001 of 0x[0-9a-f]{40} in transaction 0x[0-9a-f]{64}/)
    expect(exitCode).to.equal(0)

    const expected = distribute({ amount: atomic(7_000_001n), split: charge.split })
    const balances = await Promise.all(charge.split.recipients.map((account) => stage.balanceOf(account)))
    expect(balances).to.deep.equal(expected.payouts)
    expect(await stage.balanceOf(RESCUER)).to.equal(expected.incentive)
  })

  it('does nothing a second time', async () => {
    const charge = await stage.openCharge()
    await stage.callToken('mint', [charge.splitAddress, 7_000_001n])
    await rescue(charge)
    const { exitCode, output } = await rescue(charge)
    expect(output).to.include('nothing to do')
    expect(exitCode).to.equal(0)
  })

  it('pays out a token that is not configured when it is named', async () => {
    const charge = await stage.openCharge()
    const stranger = await chain.deployToken()
    await stage.callToken('mint', [charge.splitAddress, 5n], stranger)
    expect((await rescue(charge)).output).to.include('nothing to do')
    const { output } = await rescue(charge, ['--token-address', stranger])
    expect(output).to.include('distributed 0.000005 of')
    expect(await stage.balanceOf(charge.splitAddress, stranger)).to.equal(0n)
  })

  it('pays out one token although another cannot be', async () => {
    const charge = await stage.openCharge()
    await stage.callToken('mint', [charge.splitAddress, 5n], chain.usdt)
    await stage.callToken('mint', [charge.splitAddress, 5n])
    await stage.callToken('pause')
    const { exitCode, output } = await rescue(charge)
    expect(output).to.include('could not distribute')
    expect(exitCode).to.equal(1)
    expect(await stage.balanceOf(charge.splitAddress, chain.usdt)).to.equal(0n)
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(5n)
  })

  it('sends an operator to the releaser for what lies in an escrow', async () => {
    const charge = await stage.openCharge()
    const safe = '0x00000000000000000000000000000000000e5c20'
    await stage.sql`update charges set address = ${safe}, escrow_releaser = ${RESCUER} where id = ${charge.chargeId}`
    await stage.callToken('mint', [safe, 5n])
    const { exitCode, output } = await rescue(charge)
    expect(output).to.include(`only its releaser ${RESCUER} can move it`)
    expect(exitCode).to.equal(1)
  })

  it('names a charge or a network that is not there', async () => {
    const charge = await stage.openCharge()
    expect((await rescue({ ...charge, chargeId: 'ch_nobody' })).output).to.include(
      'there is no charge ch_nobody',
    )
    expect((await rescue(charge, ['--network', 'bnb'])).output).to.include('bnb:live is not configured')
  })

  async function rescue(charge: PaidCharge, args: readonly string[] = []) {
    const networks = join(directory, 'networks.json')
    const live = {
      ...{ chainId: 31337, rpcUrls: [chain.rpcUrl], confirmations: 3 },
      tokens: { USDC: { address: chain.token, decimals: 6 }, USDT: { address: chain.usdt, decimals: 6 } },
    }
    await writeFile(networks, JSON.stringify({ [NETWORK]: { live } }))
    return run(['--charge', charge.chargeId, '--network', NETWORK, ...args], {
      ...{ NETWORKS_CONFIG: networks, DEPLOYMENTS: `${NETWORK}:live` },
      OPERATOR_DATABASE_URL: stage.database.url.operator,
      TREASURY_ADDRESS: ACCOUNTS.treasury.address,
      DEPLOYER_PRIVATE_KEY: ACCOUNTS.deployer.privateKey,
    })
  }
}).timeout(60_000)

function run(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ exitCode: number; output: string }> {
  const command = ['--import', 'tsx', 'indexer/commands/rescue.ts', ...args]
  const options = { cwd: resolve(import.meta.dirname, '../../..'), env }
  return new Promise((done) => {
    execFile(process.execPath, command, options, (error, stdout, stderr) => {
      done({ exitCode: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
  })
}
