import { expect } from 'chai'
import type { Sql } from '../../../shared/db/connect.ts'
import type { Address, ChainFamilyName, Hex } from '../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { TRON_USDT } from '../../devnet/tron/addresses.ts'
import { claimRefund } from '../../support/claimed-refund.ts'
import { randomHex } from '../../support/factories.ts'
import { CONFIRMATIONS, type PaidCharge, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import {
  createRefundDaemon,
  createRefundDaemonOn,
  declare,
  fund,
  merchantOf,
  mineDeep,
  type RefundDaemon,
  send,
} from '../../support/refund-fixture.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'
import { addressOf, mintUsdt, trigger } from '../../support/tron-fixture.ts'
import {
  createTronPayoutFixture,
  startTronChain,
  type TronPayoutFixture,
} from '../../support/tron-payout-fixture.ts'
import { tronChainAt, WATCHED_TRON } from '../../support/tron-two-apis.ts'

const isLong = process.env['TEST_LONG'] === '1'
/** Refunds per chain family. */
const COUNT = isLong ? 50 : 4
const TEN = 10_000_000n
const PART = 4_000_000n

/**
 * A refund of the whole amount that a charge received, or of a part for the last refund. The destination of the second
 * refund is an exchange address, which cannot sign. The payer enters it on the refund's page, and the merchant approves
 * it.
 */
type Refund = {
  readonly chargeId: string
  readonly id: string
  readonly to: Address
  readonly amount: bigint
}

describe(`${2 * COUNT} refunds on two chain families`, function () {
  this.timeout(isLong ? 1_200_000 : 240_000)

  describe('on EVM', () => {
    let stage: Stage
    stageForEach((fresh) => {
      stage = fresh
    })

    it('are each confirmed once, even if partial, sent to a claimed address, or removed by a reorganization and sent again', async () => {
      const calls = { count: 0 }
      const proxies = [await startRpcProxy(stage.rpcUrl), await startRpcProxy(stage.rpcUrl)]
      for (const proxy of proxies)
        proxy.rule(() => {
          calls.count += 1
          return 'pass'
        })
      try {
        const daemon = createRefundDaemon(
          stage,
          proxies.map(({ url }) => url),
        )
        const charges = await payCharges()
        const before = await snapshot(stage.sql)
        const refunds = await declareAll(stage, daemon, { charges, family: 'evm', from: null })
        await loseFirst(daemon, charges, refunds)
        const sinceMs = Date.now()
        const callsBefore = calls.count
        for (const [at, { to, amount }] of refunds.entries())
          await send(stage, { from: merchantAt(charges, at), to, amount })
        await mineDeep(stage)
        await daemon.watch()
        report('EVM', { sinceMs, calls: calls.count - callsBefore })
        await expectConfirmed(stage.sql, refunds)
        expect(await snapshot(stage.sql)).to.deep.equal(before)
      } finally {
        await Promise.all(proxies.map((proxy) => proxy.stop()))
      }
    })

    async function payCharges(): Promise<readonly PaidCharge[]> {
      const charges: PaidCharge[] = []
      for (let at = 0; at < COUNT; at += 1) {
        const charge = await stage.openCharge()
        await stage.callToken('mint', [charge.splitAddress, TEN])
        await stage.settle()
        charges.push(charge)
      }
      for (const charge of charges) await fund(stage, charge)
      return charges
    }

    /** Pays the first refund in a block that a reorganization removes. */
    async function loseFirst(
      daemon: RefundDaemon,
      charges: readonly PaidCharge[],
      [first]: readonly Refund[],
    ): Promise<void> {
      if (first === undefined) throw new Error('there is no refund')
      const state = await stage.node.snapshot()
      await send(stage, { from: merchantAt(charges, 0), to: first.to, amount: first.amount })
      await stage.mine()
      await daemon.watch()
      expect(await statusesOf(stage.sql, [first])).to.deep.equal(['seen'])
      await stage.reset(state)
      await stage.mine(CONFIRMATIONS + 1)
      await daemon.watch()
      expect(await statusesOf(stage.sql, [first])).to.deep.equal(['awaiting_payment'])
    }
  })

  describe('on TRON', () => {
    let tron: Awaited<ReturnType<typeof startTronChain>>
    let stage: TronPayoutFixture

    before(async () => {
      tron = await startTronChain()
      stage = await createTronPayoutFixture(tron)
    })
    after(async () => {
      await stage.close()
      await tron.stop()
    })

    it('are each confirmed once, even if partial or sent to a claimed address', async () => {
      const deployment = { ...WATCHED_TRON, confirmations: 19, blockTimeMs: 3_000 }
      const checked = { deployment, ...tronChainAt([stage.url]) }
      const daemon = createRefundDaemonOn(checked, { owner: stage.sql, sql: stage.daemonSql })
      const wallet = ACCOUNTS.payer2
      const charges = []
      for (let at = 0; at < COUNT; at += 1) charges.push(await stage.pay(TEN))
      await stage.sql`
        insert into recipients (id, organization_id, environment, address, family, payout)
        values ('rc_wallet', 'org_1', 'live', ${addressOf(wallet)}, 'tron', true)`
      await mintUsdt(tron, addressOf(wallet), TEN * BigInt(COUNT))
      const before = await snapshot(stage.sql)
      const refunds = await declareAll(stage, daemon, { charges, family: 'tron', from: addressOf(wallet) })
      const sinceMs = Date.now()
      for (const { to, amount } of refunds) {
        await trigger(tron.walletOf(wallet), {
          ...{ to: TRON_USDT, signature: 'transfer(address,uint256)' },
          args: [
            { type: 'address', value: formatTronAddress(to) },
            { type: 'uint256', value: String(amount) },
          ],
        })
        await stage.mine()
      }
      await stage.mine(19)
      await daemon.watch()
      report('TRON', { sinceMs })
      await expectConfirmed(stage.sql, refunds)
      expect(await snapshot(stage.sql)).to.deep.equal(before)
    })
  })
})

function merchantAt(charges: readonly PaidCharge[], at: number): Address {
  const charge = charges[at]
  if (charge === undefined) throw new Error(`there is no charge ${at}`)
  return merchantOf(charge)
}

type Declarations = {
  readonly charges: readonly { readonly chargeId: string }[]
  readonly family: ChainFamilyName
  readonly from: Address | null
}

async function declareAll(
  { database }: Pick<Stage, 'database'>,
  daemon: RefundDaemon,
  { charges, family, from }: Declarations,
): Promise<readonly Refund[]> {
  const refunds: Refund[] = []
  for (const [at, { chargeId }] of charges.entries()) {
    const to = randomHex(20) as Address
    const isPart = at === charges.length - 1
    const id =
      at === 1
        ? await claimRefund(database, daemon, { family, chargeId, to, from })
        : await declare(daemon, { chargeId }, { amount: isPart ? '4' : 'all', destination: to, from })
    refunds.push({ chargeId, id, to, amount: isPart ? PART : TEN })
  }
  return refunds
}

async function expectConfirmed(sql: Sql, refunds: readonly Refund[]): Promise<void> {
  const rows = await sql<{ id: string; status: string; countedAtomic: bigint; txHash: Hex }[]>`
    select id, status, counted_atomic, tx_hash from refunds order by id`
  expect(rows.map(({ id, status, countedAtomic }) => ({ id, status, countedAtomic }))).to.have.deep.members(
    refunds.map(({ id, amount }) => ({ id, status: 'confirmed', countedAtomic: amount })),
  )
  expect(new Set(rows.map(({ txHash }) => txHash)).size).to.equal(refunds.length)
  const events = await sql<
    { chargeId: string }[]
  >`select charge_id from events where type = 'charge.refunded'`
  expect(events.map(({ chargeId }) => chargeId)).to.have.members(refunds.map(({ chargeId }) => chargeId))
  const books = await sql<{ total: bigint }[]>`
    select count(*) as total from accounting_entries where category = 'refund'`
  expect(Number(books[0]?.total)).to.equal(refunds.length)
}

async function statusesOf(sql: Sql, refunds: readonly Refund[]): Promise<readonly string[]> {
  const rows = await sql<{ status: string }[]>`
    select status from refunds where id = any (${refunds.map(({ id }) => id)})`
  return rows.map(({ status }) => status)
}

/** Returns every column of the charges, their payouts and their ledgers, which no refund changes. */
async function snapshot(sql: Sql): Promise<unknown> {
  return [
    await sql`select to_jsonb(c)::text as row from charges c order by id`,
    await sql`select to_jsonb(p)::text as row from payouts p order by id`,
    await sql`select to_jsonb(l)::text as row from charge_ledgers l order by charge_id`,
  ]
}

function report(
  family: string,
  { sinceMs, calls }: { readonly sinceMs: number; readonly calls?: number },
): void {
  if (!isLong) return
  const requests = calls === undefined ? '' : `, ${calls} requests to two nodes`
  console.log(
    `      ${COUNT} refunds on ${family}: ${Date.now() - sinceMs} ms from the first payment${requests}`,
  )
}
