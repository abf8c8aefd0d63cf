import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { parseUnits } from 'viem'
import { type ArcWallet, createArcWallet } from '../devnet/arc/arc-wallet.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { type BudgetedDevnet, type BudgetedNetwork, startBudgetedDevnet } from '../support/budgeted-devnet.ts'
import { type ChargeJson, createCharge, getCharge } from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { createStranger, type IndependentClient } from '../support/tronweb-client.ts'

/** With TEST_LONG, the test pays 50 charges per network in an hour. Otherwise it pays 3 charges in 3 minutes. */
const PART = process.env['TEST_LONG'] === '1' ? 1 : 1 / 20
const RUN_MS = 3_600_000 * PART
const CHARGES = Math.ceil(50 * PART)
/** On TRON, a payment and its payout each take 19 blocks of 3 s, and their requests wait for the budget. */
const SETTLE_MS = 900_000

/**
 * The limits of TronGrid's free plan and of Arc's public nodes. The test enforces TronGrid's 100,000 requests per day as
 * 4,166 per hour.
 */
const NETWORKS: readonly BudgetedNetwork[] = [
  {
    ...{ network: 'tron', nodes: 3, enforced: { perSecond: 15, perHour: 4_166 } },
    configured: { requestsPerSecond: 15, requestsPerDay: 100_000 },
  },
  { network: 'arc', nodes: 4, enforced: { perSecond: 2 }, configured: { requestsPerSecond: 2 } },
]

describe('payments through nodes with the limits of public nodes', function () {
  this.timeout(RUN_MS + 2 * SETTLE_MS)

  let directory: string
  let stage: BudgetedDevnet
  let arc: ArcWallet
  let tron: IndependentClient
  let token: string

  before(async function () {
    this.timeout(600_000)
    directory = await temporaryDirectory('e2e-node-budgets')
    stage = await startBudgetedDevnet({ directory, networks: NETWORKS, hourShare: PART })
    const { chains, description } = stage.devnet
    const chain = chains.find(({ network }) => network === 'arc')
    const { networks, accounts } = description
    if (chain === undefined || networks.tron === undefined || !('tronPayer' in accounts))
      throw new Error('the devnet lacks Arc, TRON or the TRON payer')
    arc = createArcWallet(chain.anvil, accounts.payer)
    const { httpUrl, tokens } = networks.tron.live
    tron = createStranger({ httpUrl, privateKey: accounts.tronPayer.privateKey })
    token = tokens.USDT?.address ?? ''
  })
  after(() => stage?.stop())

  async function payOnArc(): Promise<ChargeJson> {
    const acceptedPayments = [{ token: 'USDC', network: 'arc' } as const]
    const charge = await createCharge(stage.devnet, { amount: 10, acceptedPayments })
    await arc.sendNative(charge.address as `0x${string}`, parseUnits('10', 18))
    return charge
  }

  async function payOnTron(): Promise<ChargeJson> {
    const acceptedPayments = [{ token: 'USDT', network: 'tron' } as const]
    const charge = await createCharge(stage.devnet, { amount: 30, acceptedPayments })
    await tron.pay({ token, to: charge.address, units: 30_000_000n })
    return charge
  }

  it('are all settled, and the nodes reject no request', async () => {
    const charges: ChargeJson[] = []
    for (let index = 0; index < CHARGES; index += 1) {
      charges.push(await payOnArc(), await payOnTron())
      await delay(RUN_MS / CHARGES)
    }
    const settled = await Promise.all(charges.map(({ id }) => untilSettled(id)))
    expect(
      settled.map(({ status, amountReceivedExact }) => `${status} ${amountReceivedExact}`),
    ).to.have.members([...charges.map((_, index) => (index % 2 === 0 ? 'confirmed 10' : 'confirmed 30'))])
    const refused = Object.values(stage.proxies).flatMap((proxies) => proxies.map((proxy) => proxy.refused()))
    expect(refused).to.deep.equal(refused.map(() => 0))
    if (PART === 1) console.log(describeServed(stage))
  })

  it('make the indexer warn that the limits of arc’s nodes are too low', async () => {
    const log = await readFile(join(directory, 'indexer.log'), 'utf8')
    expect(log).to.match(/Limits of the nodes of a network are below its need[^\n]*arc/)
  })

  function untilSettled(id: string): Promise<ChargeJson> {
    const readIfSettled = async () => {
      const charge = await getCharge(stage.devnet, id)
      return charge.settlementStatus === 'completed' && charge
    }
    return waitFor(readIfSettled, { what: `${id} to be settled`, timeoutMs: SETTLE_MS, intervalMs: 2_000 })
  }
})

function describeServed({ proxies }: BudgetedDevnet): string {
  return Object.entries(proxies)
    .flatMap(([network, all]) =>
      all.map(({ served }, index) => {
        const total = [...served.values()].reduce((sum, count) => sum + count, 0)
        return `      ${network}, node ${index + 1}: ${total} requests served`
      }),
    )
    .join('\n')
}
