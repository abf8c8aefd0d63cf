import { expect } from 'chai'
import { parseAddress } from '../../shared/domain/chain-families/chain-families.ts'
import type { Pair } from '../../shared/domain/networks.ts'
import { ARC_CHAIN } from '../devnet/arc/arc-chain.ts'
import { type Devnet, type DevnetOptions, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { sendNative } from '../devnet/send-tokens.ts'
import { TRON_PLAN } from '../devnet/tron/tron-plan.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { KILLS, superviseServices, type Victim } from '../support/process-kills.ts'
import {
  type ChargeJson,
  createCharge,
  expectPaidOnce,
  pay,
  query,
  SETTLED_WITHIN_MS,
  USDC_ON_BASE,
  waitUntilSettled,
} from '../support/scenario.ts'
import { countSleeps, SLEEPY, untilAsleep } from '../support/sleeping-networks.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { createStranger } from '../support/tronweb-client.ts'

/**
 * Moments in the life of a payment, in chronological order. Each moment's SQL condition stays true until the charge is
 * settled.
 */
const POINTS = [
  { name: 'the charge was created', reached: "exists (select from charges where id = '$id')" },
  {
    name: 'its network was asked to wake',
    reached: `exists (select from deployments d join charges c on d.chain_id = any (c.accepted_chains)
      where c.id = '$id' and (d.wake_requested_at is not null or d.asleep_since is null))`,
  },
  {
    name: 'its network had woken',
    reached: `exists (select from deployments d join charges c on d.chain_id = any (c.accepted_chains)
      where c.id = '$id' and d.asleep_since is null)`,
  },
  {
    name: 'its first event was numbered',
    reached: "exists (select from events where charge_id = '$id' and seq is not null)",
  },
  { name: 'the payment was recorded', reached: "exists (select from transfers where charge_id = '$id')" },
  {
    name: 'the paying block was one block short of confirmation depth',
    reached: `exists (select from transfers t join deployments d using (chain_id)
      where t.charge_id = '$id' and t.block_number <= d.head_number - d.confirmations + 2)`,
  },
  {
    name: 'the transfer was credited',
    reached: "exists (select from transfers where charge_id = '$id' and credited_at is not null)",
  },
  {
    name: 'the charge was confirmed',
    reached: "exists (select from charges where id = '$id' and status = 'confirmed')",
  },
  { name: 'the payout was opened', reached: "exists (select from payouts where charge_id = '$id')" },
  {
    name: 'the grace period was over',
    reached: "exists (select from payouts where charge_id = '$id' and grace_ends_at <= now())",
  },
  {
    name: 'our worker had claimed the payout',
    reached: "exists (select from payouts where charge_id = '$id' and attempts > 0)",
  },
  {
    name: 'the payout was signed',
    reached: `exists (select from relayer_transactions r join payouts p on p.id = r.payout_id where p.charge_id = '$id')`,
  },
  {
    name: 'the distribution was recorded',
    reached: "exists (select from split_events where charge_id = '$id')",
  },
  {
    name: 'the distribution was announced',
    reached: "exists (select from split_events where charge_id = '$id' and notified_at is not null)",
  },
] as const

type Point = (typeof POINTS)[number]

/** The normal suite runs only the kill points of base's `sample`. test:long runs all kill points on all networks. */
const isLong = process.env['TEST_LONG'] === '1'

/** Points that exist only if the charge wakes its network. */
const WAKING_POINTS: readonly string[] = ['its network was asked to wake', 'its network had woken']

const EARLY_POINTS = POINTS.findIndex(({ name }) => name === 'the payment was recorded')

/** A network, and how a charge is paid on it. */
type Ground = {
  readonly pair: Pair
  readonly options: Pick<DevnetOptions, 'chains' | 'confirmations'>
  readonly pay: (devnet: Devnet, charge: ChargeJson) => Promise<unknown>
  /** The moments that exist at the network's confirmation depth. */
  readonly points: readonly Point[]
  /** Kill points of the normal suite: the moments after which each process is killed. */
  readonly sample: Partial<Readonly<Record<Victim, readonly Point['name'][]>>>
}

const ON_BASE: Ground = {
  pair: USDC_ON_BASE,
  options: { chains: [BASE], confirmations: 3 },
  pay: (devnet, charge) => pay(devnet, { charge }),
  points: POINTS,
  sample: {
    'a Ponder process': ['the paying block was one block short of confirmation depth'],
    'the daemon': ['its network was asked to wake', 'the payout was signed'],
    'the API': ['the charge was confirmed'],
    PostgreSQL: ['the grace period was over'],
  },
}

/**
 * Arc's confirmation depth is one block, so a payment is never one block short of it. The payment is a transfer of
 * native coins.
 */
const ON_ARC: Ground = {
  pair: { token: 'USDC', network: 'arc' },
  options: { chains: [ARC_CHAIN] },
  pay: ({ description }, { address }) =>
    sendNative(description, { ...ON_ARC.pair, from: description.accounts.payer, to: address, amount: '10' }),
  points: POINTS.filter(({ name }) => name !== 'the paying block was one block short of confirmation depth'),
  sample: {},
}

/** TRON has no nonces. The payment is read from two APIs, each with a depth of 19 blocks. */
const ON_TRON: Ground = {
  pair: { token: 'USDT', network: 'tron' },
  options: { chains: [TRON_PLAN] },
  pay: ({ description: { networks, accounts } }, { address }) => {
    const { tron } = networks
    if (tron === undefined || !('tronPayer' in accounts)) throw new Error('the devnet has no TRON')
    const { httpUrl, tokens } = tron.live
    const stranger = createStranger({ httpUrl, privateKey: accounts.tronPayer.privateKey })
    return stranger.pay({ token: tokens.USDT?.address ?? '', to: address, units: 10_000_000n })
  },
  points: POINTS,
  sample: {},
}

for (const ground of isLong ? [ON_BASE, ON_ARC, ON_TRON] : [ON_BASE])
  describe(`a payment on ${ground.pair.network}, when a process is killed with SIGKILL`, function () {
    this.timeout(420_000)
    let directory: string
    let devnet: Devnet

    before(async () => {
      directory = await temporaryDirectory(`chaos-kill-${ground.pair.network}`)
      const settings = { ...ground.options, settings: SLEEPY }
      devnet = await startDevnet({ directory, program: 'dist', graceSeconds: 2, ...settings })
    })

    after(() => devnet?.stop())

    for (const victim of Object.keys(KILLS) as Victim[]) {
      const points = ground.points.filter(
        ({ name }) => isLong || ground.sample[victim]?.includes(name) === true,
      )
      for (const point of points)
        it(`settles once if ${victim} is killed after ${point.name}`, async () => {
          const isBeforePayment = POINTS.indexOf(point) < EARLY_POINTS
          if (WAKING_POINTS.includes(point.name)) await untilAsleep(devnet, [ground.pair.network])
          const charge = await createCharge(devnet, { acceptedPayments: [ground.pair] })
          if (!isBeforePayment) await ground.pay(devnet, charge)
          await waitForPoint(devnet, { charge, point })
          await KILLS[victim](devnet)
          const orchestrator = superviseServices(devnet)
          if (isBeforePayment) await ground.pay(devnet, charge)
          const settled = await waitUntilSettled(devnet, charge.id).finally(orchestrator.stop)
          expect(settled.amountReceivedExact).to.equal('10')
          await expectPaidOnce(devnet, charge, ground.pair.network)
          await expectNoRowLost(devnet, charge, ground)
        })
    }

    it('is made on a network that has slept and woken', async () => {
      const { asleep, awake } = await countSleeps(directory)
      expect([asleep > 0, awake > 0], `${asleep} sleeps, ${awake} wakes`).to.deep.equal([true, true])
    })
  })

async function waitForPoint(devnet: Devnet, { charge, point }: { charge: ChargeJson; point: Point }) {
  await query(devnet, (sql) =>
    waitFor(
      async () => {
        const [row] = await sql.unsafe(`select ${point.reached.replaceAll('$id', charge.id)} as reached`)
        return row?.['reached'] === true
      },
      { what: point.name, timeoutMs: SETTLED_WITHIN_MS, intervalMs: 10 },
    ),
  )
}

/**
 * Verifies that Ponder and our tables each have one transfer to this charge. Waits for Ponder, because reconciliation
 * might have settled the charge while Ponder was still starting. If the network is already asleep again, Ponder might
 * not have read the block.
 */
async function expectNoRowLost(devnet: Devnet, charge: ChargeJson, { pair }: Ground): Promise<void> {
  const counts = await waitFor(
    async () => {
      const row = await countRows(devnet, charge, pair)
      return (row.inPonder > 0 || row.isAsleep) && row
    },
    { what: "Ponder to have the payment's row", timeoutMs: SETTLED_WITHIN_MS, intervalMs: 250 },
  )
  expect(counts.inLedger).to.equal(1)
  expect(counts.inPonder).to.be.within(counts.isAsleep ? 0 : 1, 1)
}

async function countRows(
  devnet: Devnet,
  charge: ChargeJson,
  { network }: Pair,
): Promise<{ inPonder: number; inLedger: number; isAsleep: boolean }> {
  const [deployment] = await query(
    devnet,
    (sql) => sql<{ ponderSchema: string; isAsleep: boolean }[]>`
      select ponder_schema, asleep_since is not null as is_asleep from deployments where network = ${network} and environment = 'live'`,
  )
  const [row] = await query(
    devnet,
    (sql) => sql<[{ inPonder: number; inLedger: number }]>`
      select (select count(*) from ${sql(deployment?.ponderSchema ?? '')}.transfer where recipient = ${parseAddress(charge.address)}) as in_ponder,
        (select count(*) from transfers where charge_id = ${charge.id} and inclusion = 'included') as in_ledger`,
    'daemon',
  )
  return { ...row, isAsleep: deployment?.isAsleep === true }
}
