import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Address } from '../../../shared/domain/address.ts'
import { INDEXER_SETTINGS } from '../../../shared/runtime/settings.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { distributedLog, transferLog } from '../../support/ponder-chain.ts'
import {
  createPonderFixture,
  createTestFeed,
  FAKE_USDC,
  PONDER_TIMEOUT_MS,
  type Stage,
  USDC,
} from '../../support/ponder-fixture.ts'
import { listPonders } from '../../support/ponder-processes.ts'

/** The daemon's secret settings, with values for this test. */
const SECRETS = Object.entries(INDEXER_SETTINGS.properties)
  .filter(([, setting]) => 'secret' in setting && setting['secret'] === true)
  .map(([name]) => ({ name, value: `secret-of-${name}` }))

const STRANGER = `0x${'99'.repeat(20)}` as Address

describe('a chain feed with a real Ponder and a real chain', function () {
  this.timeout(PONDER_TIMEOUT_MS)

  let stage: Stage
  let feed: ReturnType<typeof createTestFeed>

  before(async () => {
    stage = await createPonderFixture()
    for (const { name, value } of SECRETS) process.env[name] = value
    feed = createTestFeed(stage)
    await feed.start()
    await stage.level()
  })

  after(async () => {
    for (const { name } of SECRETS) delete process.env[name]
    await feed?.stop()
    await stage?.close()
  })

  afterEach(() => stage.proxy.rule(() => 'pass'))

  /** Waits until the recorded transfers to an address match. */
  const expectRows = (address: Address, expected: readonly object[]) =>
    waitFor(
      async () => {
        const rows = await stage.transfersTo(address)
        for (const [index, one] of expected.entries()) expect(rows[index]).to.include(one)
        return rows.length === expected.length
      },
      { what: `the rows of ${address}`, timeoutMs: 45_000 },
    )

  it('records a transfer to a charge with its position', async () => {
    const charge = await stage.addCharge()
    const { hash } = await stage.pay(charge.address, 10_000_000n)
    await stage.chain.mine()
    await stage.level()
    const receipt = await stage.chain.node.getTransactionReceipt({ hash })
    expect(await stage.transfersTo(charge.address)).to.deep.equal([
      {
        txHash: hash,
        ordinal: 0,
        valueAtomic: 10_000_000n,
        inclusion: 'included',
        blockNumber: Number(receipt.blockNumber),
        blockHash: receipt.blockHash,
        logIndex: 0,
        accepted: true,
      },
    ])
  })

  it('gives Ponder no secret in its environment or arguments, except the URL of its own database user', function () {
    if (process.platform !== 'linux') this.skip()
    expect(SECRETS.map(({ name }) => name)).to.include.members([
      'RELAYER_PRIVATE_KEY',
      'INDEXER_DATABASE_URL',
    ])
    const [pid = 0] = listPonders(process.pid)
    const told = ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')).join('\0')
    for (const { name, value } of SECRETS) {
      expect(told).not.to.include(name)
      expect(told).not.to.include(value)
    }
    const urls = [...told.matchAll(/postgres:[^"?]*/g)].map(([url]) => url)
    expect(urls).to.deep.equal([stage.ponderUrl])
    expect(urls).not.to.include(stage.daemonUrl)
  })

  it('publishes its pairs once it watches the chain', async () => {
    const offered = () => stage.sql`select token, network, enabled from pairs`
    await waitFor(async () => (await offered()).length > 0, {
      what: 'a pair to be offered',
      timeoutMs: 60_000,
    })
    expect([...(await offered())]).to.deep.equal([{ token: 'USDC', network: 'base', enabled: true }])
  })

  it('stores no rows for third parties, fake tokens or unknown splits, and caches only logs of watched contracts', async () => {
    const charge = await stage.addCharge()
    await stage.chain.speak(USDC, [transferLog({ to: STRANGER, amount: 5n })])
    await stage.chain.speak(FAKE_USDC, [transferLog({ to: charge.address, amount: 5n })])
    await stage.chain.speak(STRANGER, [distributedLog({ token: USDC, amount: 5n })])
    const kept = await stage.pay(charge.address, 7n)
    await stage.chain.mine()
    const tip = await stage.level()
    const schema = await stage.schema()
    const rows = await stage.sql`
      select tx_hash from ${stage.sql(schema)}.transfer where block_number = ${tip}::int8
      union all select tx_hash from ${stage.sql(schema)}.split_event where block_number = ${tip}::int8`
    expect(rows.map(({ txHash }) => txHash)).to.deep.equal([kept.hash])
    const cached = await stage.sql`select address from ponder_sync.logs where address <> ${USDC}`
    expect([...cached]).to.deep.equal([])
  })

  it('records the events of our splits, and every transfer of a transaction separately', async () => {
    const charge = await stage.addCharge()
    await stage.chain.speak(USDC, [
      transferLog({ to: charge.address, amount: 0n }),
      transferLog({ to: charge.address, amount: 1n }),
      transferLog({ to: charge.address, amount: 2n }),
    ])
    await stage.chain.speak(charge.split, [distributedLog({ token: USDC, amount: 3n })], 'payer2')
    await stage.chain.mine()
    await stage.level()
    await expectRows(charge.address, [
      { ordinal: 1, valueAtomic: 1n },
      { ordinal: 2, valueAtomic: 2n },
    ])
    const events = await stage.sql`
      select kind, token_address, amount_atomic, inclusion from split_events where charge_id = ${charge.id}`
    expect([...events]).to.deep.equal([
      { kind: 'distributed', tokenAddress: USDC, amountAtomic: 3n, inclusion: 'included' },
    ])
  })

  it('stores a refund out of an escrow in Ponder’s tables, and never as a payment', async () => {
    const escrow = await stage.addCharge({ escrowReleaser: STRANGER })
    await stage.chain.speak(USDC, [transferLog({ from: escrow.address, to: STRANGER, amount: 4n })])
    await stage.chain.mine()
    const tip = await stage.level()
    const schema = await stage.schema()
    const seen = await stage.sql`
      select sender from ${stage.sql(schema)}.transfer where block_number = ${tip}::int8`
    expect([...seen]).to.deep.equal([{ sender: escrow.address }])
    expect(await stage.transfersTo(escrow.address)).to.deep.equal([])
  })

  describe('transfers out of an escrow', () => {
    const movementsOf = (chargeId: string) => stage.sql`
      select action, ordinal, recipient, amount_atomic, inclusion from escrow_transfers
      where charge_id = ${chargeId} order by id`

    it('are a refund if too little of a transaction’s amount reaches the split; transfers of zero are ignored', async () => {
      const { id, address, split } = await stage.addCharge({ escrowReleaser: STRANGER })
      await stage.chain.speak(USDC, [
        transferLog({ from: address, to: STRANGER, amount: 0n }),
        transferLog({ from: address, to: split, amount: 7n }),
        transferLog({ from: address, to: STRANGER, amount: 3n }),
      ])
      await stage.chain.mine()
      await stage.level()
      expect([...(await movementsOf(id))]).to.deep.equal([
        { action: 'refund', ordinal: 1, recipient: split, amountAtomic: 7n, inclusion: 'included' },
        { action: 'refund', ordinal: 2, recipient: STRANGER, amountAtomic: 3n, inclusion: 'included' },
      ])
    })

    it('are a release if the whole amount reaches the split, minus the token’s own fee', async () => {
      const { id, address, split } = await stage.addCharge({ escrowReleaser: STRANGER })
      await stage.chain.speak(USDC, [
        transferLog({ from: address, to: STRANGER, amount: 2n }),
        transferLog({ from: address, to: split, amount: 998n }),
      ])
      await stage.chain.mine()
      await stage.level()
      expect((await movementsOf(id)).map(({ action }) => action)).to.deep.equal(['release', 'release'])
    })

    it('are missing after a reorganization, and orphaned only at confirmation depth', async () => {
      const { id, address, split } = await stage.addCharge({ escrowReleaser: STRANGER })
      const becomes = (inclusion: string) =>
        waitFor(async () => (await movementsOf(id))[0]?.['inclusion'] === inclusion, {
          what: `the transfer to be ${inclusion}`,
          timeoutMs: 45_000,
        })
      await stage.chain.speak(USDC, [transferLog({ from: address, to: split, amount: 7n })])
      await stage.chain.mine()
      await becomes('included')
      await stage.chain.reorg(1)
      await becomes('missing')
      await stage.chain.mine(2)
      await becomes('orphaned')
    })
  })

  it('records transfers that a charge does not accept as not accepted', async () => {
    const testCharge = await stage.addCharge({ environment: 'test' })
    const otherPair = await stage.addCharge({ acceptedPayments: ['USDT/base'] })
    await stage.pay(testCharge.address, 1n)
    await stage.pay(otherPair.address, 1n)
    await stage.chain.mine()
    await expectRows(testCharge.address, [{ accepted: false }])
    await expectRows(otherPair.address, [{ accepted: false }])
  })

  it('marks a reorganized payment as missing, and as orphaned only at confirmation depth', async () => {
    const charge = await stage.addCharge()
    await stage.pay(charge.address, 10n)
    await stage.chain.mine()
    await stage.level()
    await stage.chain.reorg(1)
    await expectRows(charge.address, [{ inclusion: 'missing' }])
    await stage.chain.mine()
    await stage.level()
    expect(await stage.transfersTo(charge.address)).to.have.nested.property('[0].inclusion', 'missing')
    await stage.chain.mine()
    await expectRows(charge.address, [{ inclusion: 'orphaned' }])
  })

  it('keeps one row for a payment that another block includes again at another log index', async () => {
    const charge = await stage.addCharge()
    const other = await stage.addCharge()
    const payment = await stage.pay(charge.address, 10n)
    await stage.chain.mine()
    await stage.chain.mine()
    const before = await stage.level()
    const filler = await stage.pay(other.address, 1n, 'payer2')
    await stage.chain.reorg(2, [
      [filler.raw, 1],
      [payment.raw, 1],
    ])
    await expectRows(charge.address, [
      { txHash: payment.hash, ordinal: 0, inclusion: 'included', blockNumber: before, logIndex: 1 },
    ])
    await expectRows(other.address, [{ inclusion: 'included', logIndex: 0 }])
  })

  it('records every head exactly, even after a reorganization', async () => {
    await stage.chain.mine(5)
    await stage.level()
    await stage.chain.reorg(3)
    await stage.chain.mine()
    const tip = await stage.level()
    const heads = await stage.sql<{ number: number; timestamp: number }[]>`
      select number, timestamp from chain_heads where number > ${tip - 6} order by number`
    const blocks = await Promise.all(
      heads.map(({ number }) => stage.chain.node.getBlock({ blockNumber: BigInt(number) })),
    )
    expect(heads.map(({ number }) => number)).to.deep.equal([
      tip - 5,
      tip - 4,
      tip - 3,
      tip - 2,
      tip - 1,
      tip,
    ])
    expect(heads.map(({ timestamp }) => timestamp)).to.deep.equal(
      blocks.map((block) => Number(block.timestamp)),
    )
  })

  it('does not treat a lagging response as a reorganization', async () => {
    const schema = await stage.schema()
    await stage.sql.unsafe(`
      create table "${schema}".lowered (number int8);
      create function "${schema}".note_lowered() returns trigger security definer language plpgsql as $$ begin
        if new.latest_checkpoint < old.latest_checkpoint then
          insert into "${schema}".lowered values (substr(new.latest_checkpoint, 27, 16)::int8);
        end if;
        return null;
      end $$;
      create trigger note_lowered after update on "${schema}"._ponder_checkpoint
        for each row execute function "${schema}".note_lowered()`)
    let lies = 0
    stage.proxy.rule(async (method, params) => {
      if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return 'pass'
      lies += 1
      return lies % 2 === 0 ? 'pass' : { params: [`0x${((await stage.chain.tip()) - 1).toString(16)}`, true] }
    })
    const charges = await Promise.all([1, 2, 3, 4, 5, 6].map(() => stage.addCharge()))
    const missing = feed.counts.missing
    for (const charge of charges) {
      await stage.pay(charge.address, 1n)
      await stage.chain.mine()
      await stage.level()
      const liesTold = lies
      await waitFor(() => lies >= liesTold + 4, { what: 'four more false responses', timeoutMs: 60_000 })
    }
    const lowered = await stage.sql`select number from ${stage.sql(schema)}.lowered`
    expect([...lowered]).to.deep.equal([])
    expect(feed.counts.missing).to.equal(missing)
    await stage.chain.reorg(1)
    await expectRows(charges[5]?.address ?? STRANGER, [{ inclusion: 'missing' }])
  })

  it('keeps a payment missing, no matter how long a node stalls in the middle of a reorganization', async () => {
    const charge = await stage.addCharge()
    const payment = await stage.pay(charge.address, 10n)
    await stage.chain.mine()
    await stage.chain.mine(3)
    await stage.level()
    // Ponder removes the rows and then waits for the new blocks. The node still responds to our own requests.
    let release: () => void = () => undefined
    const stall = new Promise<void>((resolve) => {
      release = resolve
    })
    let receiptRequests = 0
    stage.proxy.rule(async (method, params): Promise<'pass'> => {
      if (method === 'eth_getTransactionReceipt') receiptRequests += 1
      if (method === 'eth_getBlockByNumber' && params[0] !== 'latest') await stall
      return 'pass'
    })
    await stage.chain.reorg(4, [[payment.raw, 1]])
    await expectRows(charge.address, [{ inclusion: 'missing' }])
    await stage.chain.mine(4)
    await waitFor(() => receiptRequests >= 3, { what: 'three requests for the receipt', timeoutMs: 60_000 })
    await expectRows(charge.address, [{ inclusion: 'missing' }])
    release()
    await expectRows(charge.address, [{ inclusion: 'included', txHash: payment.hash }])
  })
})
