import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { type RunningProgram, startProgram } from '../devnet/processes.ts'
import { balanceOf } from '../devnet/send-tokens.ts'
import { toTronAddress } from '../devnet/tron/accounts.ts'
import { TRON_PLAN } from '../devnet/tron/tron-plan.ts'
import { waitFor } from '../devnet/wait-for.ts'
import {
  createCharge,
  pay,
  query,
  USDC_ON_BASE,
  waitForCharge,
  waitUntilSettled,
} from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { createStranger } from '../support/tronweb-client.ts'

describe('a keeper that uses only the API’s distribution feed and a node of each network', function () {
  this.timeout(300_000)
  let devnet: Devnet
  let directory: string
  const keepers: RunningProgram[] = []

  before(async () => {
    directory = await temporaryDirectory('e2e-keeper')
    // With this grace period, our own worker never pays out.
    devnet = await startDevnet({ directory, program: 'dist', chains: [BASE, TRON_PLAN], graceSeconds: 600 })
  })

  afterEach(() => Promise.all(keepers.splice(0).map((keeper) => keeper.stop())))
  after(() => devnet?.stop())

  it('distributes pending and new payouts, and earns the incentive of each payout', async () => {
    const waiting = await createCharge(devnet)
    await pay(devnet, { charge: waiting })
    await waitForCharge(devnet, waiting.id, {
      what: 'confirmed',
      holds: ({ status }) => status === 'confirmed',
    })
    const before = await earnings()
    startKeeper('earning', ['--coin-usd', 'base=1'])
    await waitUntilSettled(devnet, waiting.id)

    const coming = await createCharge(devnet, { amount: 25 })
    await pay(devnet, { charge: coming, amount: '25' })
    await waitUntilSettled(devnet, coming.id)
    expect((await earnings()) - before).to.equal(10_000n + 25_000n) // 0.1 % of 10 and of 25 dollars.
    expect(await ownTransactions()).to.equal(0)
  })

  it('distributes the payout of a charge on TRON, and earns the incentive', async () => {
    const { accounts, networks } = devnet.description
    const { httpUrl, tokens } = networks.tron?.live ?? { httpUrl: '', tokens: {} }
    const token = tokens.USDT?.address ?? ''
    if (!('tronPayer' in accounts)) throw new Error('the devnet has no payer on TRON')
    const payer = createStranger({ httpUrl, privateKey: accounts.tronPayer.privateKey })
    const charge = await createCharge(devnet, { acceptedPayments: [{ token: 'USDT', network: 'tron' }] })
    await payer.pay({ token, to: charge.address, units: 10_000_000n })
    startKeeper('tronic', ['--rpc', `tron=${httpUrl}/jsonrpc`, '--coin-usd', 'tron=0.0001'])
    const settled = await waitUntilSettled(devnet, charge.id)
    expect(settled).to.include({ status: 'confirmed', settlementStatus: 'completed' })
    const keeper = toTronAddress(ACCOUNTS.keeper)
    expect(await payer.balanceOf(token, keeper)).to.equal(10_000n) // 0.1 % of 10 dollars.
    expect(await ownTransactions()).to.equal(0)
  })

  it('skips a payout whose incentive does not cover its gas', async () => {
    const charge = await createCharge(devnet)
    await pay(devnet, { charge })
    startKeeper('thrifty', ['--coin-usd', 'base=1000000'])
    await waitFor(
      async () => (await logOf('thrifty')).includes('Skipped a distribution that is unprofitable'),
      {
        what: 'the keeper to evaluate the payout',
        timeoutMs: 60_000,
      },
    )
    expect(await balanceOf(devnet.description, { ...USDC_ON_BASE, account: charge.address })).to.equal(
      10_000_000n,
    )
  })

  function startKeeper(name: string, args: readonly string[]): void {
    const { apiUrl, keys, networks, accounts } = devnet.description
    const rpc = `base=${networks.base?.live?.rpcUrl}`
    const keeper = startProgram({
      name,
      command: process.execPath,
      args: ['dist/api/client/keeper.js', '--rpc', rpc, ...args],
      env: {
        KEEPER_API_URL: apiUrl,
        KEEPER_API_KEY: keys.noScopes,
        KEEPER_PRIVATE_KEY: accounts.keeper.privateKey,
        NETWORKS_CONFIG: join(directory, 'networks.json'),
      },
      cwd: resolve(import.meta.dirname, '../..'),
      logFile: join(directory, `${name}.log`),
    })
    keepers.push(keeper)
  }

  function logOf(name: string): Promise<string> {
    return readFile(join(directory, `${name}.log`), 'utf8')
  }

  function earnings(): Promise<bigint> {
    return balanceOf(devnet.description, { ...USDC_ON_BASE, account: ACCOUNTS.keeper.address })
  }

  async function ownTransactions(): Promise<number> {
    const rows = await query(
      devnet,
      (sql) => sql<{ count: number }[]>`select count(*) from relayer_transactions`,
    )
    return rows[0]?.count ?? -1
  }
})
