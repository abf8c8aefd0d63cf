import { expect } from 'chai'
import { utils } from 'tronweb'
import { createPublicClient, http, parseUnits, zeroAddress } from 'viem'
import { requireData } from '../../api/client/client.ts'
import type { Address } from '../../shared/domain/address.ts'
import { distribute } from '../../shared/domain/allocation.ts'
import { parseAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { formatTronAddress } from '../../shared/domain/chain-families/tron/address.ts'
import { atomic } from '../../shared/domain/money.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { TRON_PLAN } from '../devnet/tron/tron-plan.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { chooseFault, killAndStart } from '../support/process-kills.ts'
import { splitOf } from '../support/random-terms.ts'
import { type ChargeJson, getCharge, query, SPLIT_DISTRIBUTED } from '../support/scenario.ts'
import { createRandom } from '../support/seeded-random.ts'
import { countSleeps, SLEEPY, untilAsleep } from '../support/sleeping-networks.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { TRANSFER_EVENT } from '../support/transfer-event.ts'
import { createStranger, type IndependentClient } from '../support/tronweb-client.ts'

/** Seed of the run. The title contains it, so that a failure can be repeated. */
const SEED = 20_261_122
const CHARGES = 60
/** Number of charges that are created and paid between two faults. */
const CHARGES_PER_ROUND = 10
const DOLLAR = 1_000_000n
/** Maximum attempts per payment at a node that rejects a tenth of its requests. */
const MAX_TRIES = 20
const QUIET_WITHIN_MS = 5 * 60_000

const inLongRun = process.env['TEST_LONG'] === '1' ? describe : () => undefined

inLongRun(`the balances of ${CHARGES} charges on TRON, seed ${SEED}`, function () {
  this.timeout(30 * 60_000)

  const random = createRandom(SEED)
  const charges: ChargeJson[] = []
  let directory: string
  let devnet: Devnet
  let payer: IndependentClient
  let httpUrl: string
  let token: string
  let partner: { readonly recipientId: string; readonly address: string }

  before(async () => {
    directory = await temporaryDirectory('tron-books')
    devnet = await startDevnet({
      ...{ directory, program: 'dist', graceSeconds: 1, chains: [TRON_PLAN], settings: SLEEPY },
    })
    const { networks, accounts } = devnet.description
    if (networks.tron === undefined || !('tronPayer' in accounts)) throw new Error('the devnet has no TRON')
    httpUrl = networks.tron.live.httpUrl
    token = networks.tron.live.tokens.USDT?.address ?? ''
    payer = createStranger({ httpUrl, privateKey: accounts.tronPayer.privateKey })
    const { address } = utils.accounts.generateAccount()
    const body = { address: address.base58 }
    const { id } = await requireData(
      createApiCaller(devnet.description, 'liveRecipients').POST('/v1/recipients', { body }),
    )
    partner = { recipientId: id, address: address.base58 }
  })

  after(() => devnet?.stop())

  it('match to the atomic unit despite killed processes and reorganizations', async () => {
    await untilAsleep(devnet, ['tron'])
    for (let round = 0; charges.length < CHARGES; round += 1) {
      const opened = await Promise.all(Array.from({ length: CHARGES_PER_ROUND }, openCharge))
      charges.push(...opened)
      for (const charge of opened) for (const units of paymentsOf(charge)) await pay(charge, units)
      await goWrong(round)
    }
    await untilQuiet()

    const { paidIn, promised } = await readChain()
    expect(await creditedByCharge(), 'the received amounts of the charges').to.deep.equal(paidIn)
    const held = await holdings(Object.keys(promised))
    expect(held, 'the amounts that the accounts received').to.deep.equal(promised)
    const left = await holdings(charges.map(({ address }) => address))
    expect(total(held) + total(left), 'the accounts that hold the paid amounts').to.equal(total(paidIn))
    expect(await payoutsSentTwice()).to.deep.equal([])
    expect((await countSleeps(directory)).awake, 'wakes of the network').to.be.at.least(1)
  })

  async function openCharge(): Promise<ChargeJson> {
    const body = {
      amount: Number(2n * DOLLAR + BigInt(random.integer(50_000_000))) / Number(DOLLAR),
      ...{ acceptedPayments: [{ token: 'USDT', network: 'tron' } as const], expiresIn: 3600 },
      ...(random.fraction() < 0.4 && {
        splitRecipients: [{ recipientId: partner.recipientId, percent: 12.5 }],
      }),
    }
    const charge = await requireData(
      createApiCaller(devnet.description, 'liveSplit').POST('/v1/charges', { body }),
    )
    return charge as ChargeJson
  }

  /**
   * Returns random payments for a charge: none, the full amount, twice the amount, half the amount, or the full amount
   * in two parts.
   */
  function paymentsOf({ amountExact }: ChargeJson): readonly bigint[] {
    const due = parseUnits(String(amountExact), 6)
    return random.pick([[], [due], [due], [2n * due], [due / 2n], [due / 3n, due - due / 3n]])
  }

  /** Pays, and retries if the node rejects the transaction for a lack of computing resources. */
  async function pay({ address }: ChargeJson, units: bigint): Promise<void> {
    for (let tries = 1; ; tries += 1)
      try {
        await payer.pay({ token, to: address, units })
        return
      } catch (error) {
        if (tries === MAX_TRIES || !String(error).includes('lack of computing resources')) throw error
      }
  }

  async function goWrong(round: number): Promise<void> {
    const faults = [
      () => control('fork', { depth: 2, later: true }),
      () => killAndStart(devnet.indexer),
      () => control('habits', { refusedPercent: 10 }),
      () => control('habits', { refusedPercent: 0, drops: 2 }),
    ]
    await chooseFault(faults, round)()
  }

  async function control(method: string, body: object): Promise<void> {
    await fetch(`${httpUrl}/control/${method}`, { method: 'POST', body: JSON.stringify(body) })
  }

  /** Waits until every payment is credited, every fully paid charge is confirmed, and its payouts are completed. */
  async function untilQuiet(): Promise<void> {
    await control('habits', { refusedPercent: 0, drops: 0 })
    const isQuiet = async () => {
      const { paidIn } = await readChain()
      const credited = await creditedByCharge()
      const states = await Promise.all(charges.map(({ id }) => getCharge(devnet, id)))
      return (
        charges.every(({ id }) => credited[id] === paidIn[id]) &&
        states.every(
          ({ status, settlementStatus }) => status !== 'confirmed' || settlementStatus === 'completed',
        ) &&
        states.every(
          ({ id, status, amountExact }) =>
            (status === 'confirmed') === (paidIn[id] ?? 0n) >= parseUnits(String(amountExact), 6),
        )
      )
    }
    await waitFor(isQuiet, {
      what: 'everything to be settled',
      timeoutMs: QUIET_WITHIN_MS,
      intervalMs: 2_000,
    })
  }

  /**
   * Reads two totals from the chain, in atomic units: the amount paid to each charge, and the amount that the terms
   * promise to each account from all distributions.
   */
  async function readChain() {
    const client = createPublicClient({ transport: http(`${httpUrl}/jsonrpc`), cacheTime: 0 })
    const head = await client.getBlockNumber()
    const range = { fromBlock: head < 4_999n ? 0n : head - 4_999n, toBlock: head, strict: true } as const
    const chargeAt = new Map(charges.map((charge) => [parseAddress(charge.address) as Address, charge]))
    const paidIn: Record<string, bigint> = {}
    const usdt = parseAddress(token) as Address
    for (const { args } of await client.getLogs({ ...range, address: usdt, event: TRANSFER_EVENT })) {
      const charge = chargeAt.get(args.to.toLowerCase() as Address)
      if (charge !== undefined) add(paidIn, charge.id, args.value)
    }
    const promised: Record<string, bigint> = {}
    const splits = [...chargeAt.keys()]
    for (const log of await client.getLogs({ ...range, address: splits, event: SPLIT_DISTRIBUTED })) {
      const charge = chargeAt.get(log.address.toLowerCase() as Address)
      if (charge === undefined) continue
      const { distributor, amount } = log.args
      const terms = splitOf({ charge })
      const split = distributor === zeroAddress ? { ...terms, distributionIncentive: 0 } : terms
      const { incentive, payouts } = distribute({ amount: atomic(amount), split })
      if (incentive > 0n) add(promised, formatTronAddress(distributor.toLowerCase() as Address), incentive)
      for (const [index, payout] of payouts.entries())
        if (payout > 0n) add(promised, formatTronAddress(split.recipients[index] as Address), payout)
    }
    return { paidIn, promised }
  }

  async function creditedByCharge(): Promise<Record<string, bigint>> {
    const states = await Promise.all(charges.map(({ id }) => getCharge(devnet, id)))
    const credited = states.flatMap(({ id, amountReceivedExact: received }) =>
      typeof received === 'string' ? [[id, parseUnits(received, 6)] as const] : [],
    )
    return Object.fromEntries(credited)
  }

  async function holdings(accounts: readonly string[]): Promise<Record<string, bigint>> {
    const entries: [string, bigint][] = []
    for (const account of accounts) entries.push([account, await payer.balanceOf(token, account)])
    return Object.fromEntries(entries)
  }

  /** Returns the payouts with more final transactions of the service than distributions on the chain. */
  function payoutsSentTwice() {
    return query(
      devnet,
      (sql) => sql`
        select p.id from relayer_transactions r join payouts p on p.id = r.payout_id
        where r.status = 'final'
        group by p.id
        having count(*) > (select count(*) from split_events e where e.charge_id = p.charge_id
          and e.token_address = p.token_address and e.kind = 'distributed' and e.inclusion = 'included')`,
    )
  }
})

function add(totals: Record<string, bigint>, key: string, amount: bigint): void {
  totals[key] = (totals[key] ?? 0n) + amount
}

function total(totals: Record<string, bigint>): bigint {
  return Object.values(totals).reduce((sum, amount) => sum + amount, 0n)
}
