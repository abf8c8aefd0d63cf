import { expect } from 'chai'
import fc from 'fast-check'
import { toHex } from 'viem'
import { applySnapshot, type FeedSource } from '../../../indexer/chain-feed/apply-snapshot.ts'
import { recordAgreed } from '../../../indexer/corroboration/record-agreed.ts'
import type { PositionedReceipt } from '../../../shared/chain/nodes/receipts.ts'
import { listToVerify } from '../../../shared/db/chain-facts/daemon/uncorroborated.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { TRANSFER_TOPIC, toTopic } from '../../../shared/domain/log-topics.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { agreedEffects } from '../../support/agreed.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'

const USDC = `0x${'c0'.repeat(20)}` as Address
const CHARGES = ['11', '22', '33'].map((byte) => ({
  id: `ch_${byte.repeat(16)}`,
  address: `0x${byte.repeat(20)}`,
}))
/** An escrow charge, whose payment address differs from its split. */
const ESCROW = { id: `ch_${'44'.repeat(16)}`, address: `0x${'44'.repeat(20)}` as Address }
const SPLIT = `0x${'55'.repeat(20)}` as Address
const SCHEMA = 'ponder_base_live_0'

const source: FeedSource = {
  ...{ chainId: 8453, network: 'base', environment: 'live', confirmations: 3, ponderSchema: SCHEMA },
  tokens: [{ token: 'USDC', address: USDC, emitter: USDC, decimals: 6, emitterDecimals: 6 }],
}

/** A transaction that pays a charge. Each fork can include it in one block. */
type Payment = {
  readonly tx: number
  readonly charge: number
  readonly value: number | bigint
  /** Whether the node that Ponder uses omits the payment. */
  readonly isLeftOut?: boolean
  /** Makes the transfer leave the escrow instead of paying a charge. */
  readonly leaves?: { readonly to: Address }
}
type Block = { readonly number: number; readonly fork: number; readonly payments: readonly Payment[] }

describe('applySnapshot', function () {
  this.timeout(240_000)

  let database: TestDatabase
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
    await database.sql`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms)
      values (8453, 'base', 'live', 'evm', 3, 2000)`
    await database.sql`insert into organizations (id, name) values ('org_one', 'one')`
    for (const { id, address } of [...CHARGES, ESCROW]) {
      await database.sql`
        insert into charges (id, organization_id, environment, family, amount_micro, fee_payer, fee_percent,
          accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, request_hash,
          created_at, expires_at, last_activity_at)
        values (${id}, 'org_one', 'live', 'evm', 1, 'merchant', 1, '{USDC/base}', '{8453}', ${address},
          ${id === ESCROW.id ? SPLIT : address},
          '{}', '[]', '\\x00', now(), now() + interval '1 hour', now())`
    }
    await makePonderTables(sql)
  })

  beforeEach(reset)

  after(async () => {
    await sql?.end()
    await database?.drop()
  })

  async function reset(): Promise<void> {
    await sql`delete from chain_heads`
    await database.sql`truncate transfers, split_events, escrow_transfers, dead_letter_logs`
    await sql`update deployments set watermark_version = 0, head_number = null, watermark_number = 0, max_head_number = null`
    await show([])
  }

  /** Writes Ponder's view of a chain as Ponder does, with rows and head in one transaction. */
  async function show(chain: readonly Block[], state = { isReady: 1, finalized: 0 }): Promise<void> {
    const rows = chain.flatMap((block) =>
      block.payments.map(({ tx, charge, value, isLeftOut = false, leaves }, index) => ({
        isLeftOut,
        row: {
          tx_hash: toHex(tx, { size: 32 }),
          log_index: index,
          block_number: String(block.number),
          block_hash: hashOf(block),
          block_timestamp: String(block.number * 2),
          emitter: USDC,
          sender: leaves === undefined ? USDC : ESCROW.address,
          recipient: leaves?.to ?? CHARGES[charge]?.address,
          value: String(value),
        },
      })),
    )
    const shown = rows.filter(({ isLeftOut }) => !isLeftOut).map(({ row }) => row)
    await sql.begin(async (db) => {
      await db`delete from ${db(SCHEMA)}.transfer`
      if (shown.length > 0) await db`insert into ${db(SCHEMA)}.transfer ${db(shown)}`
      await db`update ${db(SCHEMA)}._ponder_checkpoint set
        latest_checkpoint = ${checkpoint(chain.at(-1)?.number ?? 0)},
        finalized_checkpoint = ${checkpoint(state.finalized)}`
      await db`update ${db(SCHEMA)}._ponder_meta set value = jsonb_set(value, '{is_ready}', ${state.isReady}::text::jsonb)`
    })
  }

  async function presentRows(): Promise<readonly string[]> {
    const rows = await sql<{ line: string }[]>`
      select charge_id || tx_hash || block_hash || value_atomic as line from transfers
      where inclusion = 'included' order by 1`
    return rows.map(({ line }) => line)
  }

  const paidBy = (chain: readonly Block[]): readonly string[] =>
    chain
      .flatMap((block) =>
        block.payments.map(
          ({ tx, charge, value }) =>
            `${CHARGES[charge]?.id}${toHex(tx, { size: 32 })}${hashOf(block)}${value}`,
        ),
      )
      .toSorted()

  /** Marks each included, uncredited transfer as agreed, and credits it. */
  const credit = () => sql`
    update transfers set agreed_at = now(), agreed_by = '{one,two}', corroborated_block_hash = block_hash, credited_at = now()
    where inclusion = 'included' and credited_at is null`

  const block = (number: number, ...payments: readonly Payment[]): Block => ({ number, fork: 0, payments })

  it('does not mark a row as missing while Ponder is not ready, even if the row is gone and the head is unchanged', async () => {
    await show([block(1, { tx: 1, charge: 0, value: 5 }), block(2)])
    await applySnapshot(sql, source)
    await show([block(2)], { isReady: 0, finalized: 2 })
    expect(await applySnapshot(sql, source)).to.equal(null)
    expect(await presentRows()).to.have.length(1)
    const [mark] = await sql`select watermark_number from deployments`
    expect(mark).to.deep.equal({ watermarkNumber: 0 })
  })

  it('yields to a Ponder that locks its tables one by one, and applies nothing during that time', async () => {
    await show([block(1, { tx: 1, charge: 0, value: 5 })])
    const reading = await sql.begin(async (ponder) => {
      await ponder`lock table ${ponder(SCHEMA)}.transfer`
      const read = applySnapshot(sql, source)
      await waitFor(() => isAnyoneWaiting(database.sql), {
        what: 'the reader to wait',
        timeoutMs: 60_000,
        intervalMs: 5,
      })
      await ponder`lock table ${ponder(SCHEMA)}._ponder_checkpoint`
      return { read }
    })
    expect(await reading.read).to.equal(null)
    expect((await applySnapshot(sql, source))?.recorded).to.equal(1)
  })

  it('moves logs whose amount is too large for its column to the dead letters, reports them once, and applies the rest', async () => {
    const tooMuch = 10n ** 66n
    await show([block(1, { tx: 1, charge: 0, value: tooMuch }, { tx: 2, charge: 1, value: 5 }), block(2)])
    const applied = await applySnapshot(sql, source)
    expect(applied).to.include({ recorded: 1, headNumber: 2 })
    expect(applied?.setAside).to.deep.equal([
      {
        ...{ chainId: 8453, chargeId: CHARGES[0]?.id, txHash: toHex(1, { size: 32 }), logIndex: 0 },
        reason: `amountAtto ${tooMuch * 10n ** 12n} is above ${10n ** 78n - 1n}`,
      },
    ])
    expect((await applySnapshot(sql, source))?.setAside).to.deep.equal([])
    expect(await presentRows()).to.have.length(1)
  })

  it('reads backfilled rows below the block that Ponder reports as final', async () => {
    await show([block(1)], { isReady: 1, finalized: 1 })
    await applySnapshot(sql, source)
    const outage = [block(1), block(2, { tx: 1, charge: 0, value: 5 }), block(40)]
    await show(outage, { isReady: 1, finalized: 40 })
    await applySnapshot(sql, source)
    expect(await presentRows()).to.deep.equal(paidBy(outage))
  })

  it('applies a snapshot only once if two daemons read it simultaneously', async () => {
    await show([block(1, { tx: 1, charge: 0, value: 5 })])
    const results = await Promise.all([applySnapshot(sql, source), applySnapshot(sql, source)])
    expect(results.filter((result) => result?.recorded === 1)).to.have.length(1)
    expect(await presentRows()).to.have.length(1)
  })

  it('does not apply a snapshot that it read before another daemon moved the watermark', async () => {
    await show([block(1, { tx: 1, charge: 0, value: 5 })])
    const stale = await sql.begin(async (other) => {
      await other`update deployments set watermark_version = watermark_version + 1, head_number = 9`
      const applying = applySnapshot(sql, source)
      await waitFor(() => isAnyoneWaiting(database.sql), {
        what: 'the snapshot to wait for the watermark',
        timeoutMs: 60_000,
        intervalMs: 5,
      })
      return { applying }
    })
    expect(await stale.applying).to.equal(null)
    expect(await presentRows()).to.deep.equal([])
    const [mark] = await sql`select watermark_version, head_number from deployments`
    expect(mark).to.deep.equal({ watermarkVersion: 1, headNumber: 9 })
  })

  it('does not move the head if the facts below it cannot be recorded', async () => {
    await show([block(1, { tx: 1, charge: 0, value: 5 })])
    await database.sql.unsafe(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refuse before insert on transfers execute function refuse()`)
    const failure = await applySnapshot(sql, source).catch((error: unknown) => error)
    await database.sql.unsafe('drop trigger refuse on transfers; drop function refuse()')
    expect(String(failure)).to.include('refused')
    const [mark] = await sql`select watermark_version, head_number, watermark_number from deployments`
    expect(mark).to.deep.equal({ watermarkVersion: 0, headNumber: null, watermarkNumber: 0 })
  })

  it('updates a transfer’s amount when another block includes it, until the transfer is credited', async () => {
    const at = (fork: number, value: number): readonly Block[] => [
      { number: 1, fork, payments: [{ tx: 1, charge: 0, value }] },
    ]
    const value = async () => {
      const [row] = await sql<{ valueAtomic: bigint; amountAtto: bigint }[]>`
        select value_atomic, amount_atto from transfers`
      return row
    }
    await show(at(0, 100))
    await applySnapshot(sql, source)
    await show(at(1, 1))
    await applySnapshot(sql, source)
    expect(await value()).to.deep.equal({ valueAtomic: 1n, amountAtto: 10n ** 12n })
    await credit()
    await show(at(2, 50))
    await applySnapshot(sql, source)
    expect(await value()).to.deep.equal({ valueAtomic: 1n, amountAtto: 10n ** 12n })
  })

  describe('for a transaction with transfers that a node omits', () => {
    const paying = (leftOut: readonly number[], fork = 0): Block => ({
      ...{ number: 1, fork },
      payments: [10, 90, 0, 30].map((value, index) => ({
        ...{ tx: 1, charge: 0, value },
        isLeftOut: leftOut.includes(index),
      })),
    })
    const receipt: PositionedReceipt = {
      ...{ txHash: toHex(1, { size: 32 }), blockNumber: 1, blockHash: toHex(1000, { size: 32 }) },
      blockTimestamp: 2,
      logs: [10n, 90n, 0n, 30n].map((amount, logIndex) => ({
        ...{ address: USDC, logIndex, data: toHex(amount, { size: 32 }) },
        topics: [TRANSFER_TOPIC, toTopic(USDC), toTopic(CHARGES[0]?.address as Address)],
      })),
    }
    const credited = async () => {
      const rows = await sql<{ valueAtomic: bigint }[]>`
        select value_atomic from transfers where credited_at is not null order by value_atomic`
      return rows.map(({ valueAtomic }) => Number(valueAtomic))
    }

    for (const leftOut of [[0], [1], [2], [0, 1], [0, 2]])
      it(`credits each transfer once if the node shows the omitted ones later: ${leftOut.join(' and ')}`, async () => {
        await show([paying(leftOut)])
        await applySnapshot(sql, source)
        await credit()
        await show([paying([])])
        await applySnapshot(sql, source)
        await credit()
        expect(await credited()).to.deep.equal([10, 30, 90])
        expect(await applySnapshot(sql, source)).to.include({ recorded: 0, missing: 0 })
      })

    it('credits each transfer once if the receipt of another node shows the omitted transfer', async () => {
      await show([paying([0])])
      await applySnapshot(sql, source)
      await credit()
      await recordAgreed({ sql, log: recordingLog().log }, source, [agreedEffects(receipt)])
      await credit()
      expect(await credited()).to.deep.equal([10, 30, 90])
      expect(await applySnapshot(sql, source)).to.include({ recorded: 0, missing: 0 })
    })

    it('does not match transfers of a receipt to other transfers that the feed shows later', async () => {
      await recordAgreed({ sql, log: recordingLog().log }, source, [agreedEffects(receipt)])
      await show([paying([0])])
      await applySnapshot(sql, source)
      await credit()
      expect(await credited()).to.deep.equal([10, 30, 90])
    })

    it('keeps the log index and the quorum of a credited row, even if the node invents a log before it', async () => {
      await recordAgreed({ sql, log: recordingLog().log }, source, [agreedEffects(receipt)])
      await credit()
      const { payments } = paying([])
      await show([{ number: 1, fork: 0, payments: [{ tx: 1, charge: 0, value: 7 }, ...payments] }])
      await applySnapshot(sql, source)
      const rows = await sql<{ logIndex: number; hasQuorum: boolean }[]>`
        select log_index, agreed_at is not null as has_quorum from transfers where credited_at is not null order by 1`
      expect(rows.map((row) => ({ ...row }))).to.deep.equal(
        [0, 1, 3].map((logIndex) => ({ logIndex, hasQuorum: true })),
      )
    })

    it('keeps a row orphaned after a quorum has denied it, even if another row of its transaction changes', async () => {
      const { payments } = paying([])
      await show([{ number: 1, fork: 0, payments: [...payments, { tx: 1, charge: 0, value: 7 }] }])
      await applySnapshot(sql, source)
      await recordAgreed({ sql, log: recordingLog().log }, source, [agreedEffects(receipt)])
      await database.sql`update transfers set inclusion = 'missing' where agreed_at is not null`
      await applySnapshot(sql, source)
      const rows = await sql<{ inclusion: string; isAgreed: boolean }[]>`
        select inclusion, agreed_at is not null as is_agreed from transfers order by 2, 1`
      expect(rows.filter(({ isAgreed }) => !isAgreed).map(({ inclusion }) => inclusion)).to.deep.equal([
        'orphaned',
      ])
      expect(
        new Set(rows.filter(({ isAgreed }) => isAgreed).map(({ inclusion }) => inclusion)),
      ).to.deep.equal(new Set(['included']))
    })

    it('credits each transfer once if two nodes omit different transfers', async () => {
      await show([paying([0, 3])])
      await applySnapshot(sql, source)
      await credit()
      await show([paying([1])])
      await applySnapshot(sql, source)
      await credit()
      expect(await credited()).to.deep.equal([10, 30, 90])
    })

    it('does not record a receipt until the feed’s transaction has ended', async () => {
      await show([paying([0])])
      const found = await sql.begin(async (feed) => {
        await feed`update deployments set watermark_version = watermark_version + 1`
        const finding = recordAgreed({ sql, log: recordingLog().log }, source, [agreedEffects(receipt)])
        await waitFor(() => isAnyoneWaiting(database.sql), {
          what: 'the receipt to wait for the feed',
          timeoutMs: 60_000,
          intervalMs: 5,
        })
        return { finding }
      })
      expect((await found.finding).found).to.have.length(3)
    })

    it('reclassifies a withdrawal from an escrow as a release once all its transfers are shown', async () => {
      const releasing = (isLeftOut: boolean) =>
        block(
          1,
          { tx: 1, charge: 0, value: 1, leaves: { to: USDC } },
          { tx: 1, charge: 0, value: 999, leaves: { to: SPLIT }, isLeftOut },
        )
      const actions = async () => {
        await applySnapshot(sql, source)
        const rows = await sql<{ action: string }[]>`select action from escrow_transfers order by log_index`
        return rows.map(({ action }) => action)
      }
      await show([releasing(true)])
      expect(await actions()).to.deep.equal(['refund'])
      await show([releasing(false)])
      expect(await actions()).to.deep.equal(['release', 'release'])
    })

    it('recognizes credited transfers after another block includes the transaction and the node omits one transfer', async () => {
      await show([paying([])])
      await applySnapshot(sql, source)
      await credit()
      await show([paying([0], 1)])
      await applySnapshot(sql, source)
      await show([paying([], 1)])
      await applySnapshot(sql, source)
      await credit()
      expect(await credited()).to.deep.equal([10, 30, 90])
    })
  })

  it('keeps a credited row in a fork’s block once the watermark has passed that block, until a quorum moves the row', async () => {
    const payment = { tx: 1, charge: 0, value: 5 }
    const canonical = [block(1, payment), block(2), block(3)]
    await show(canonical)
    await applySnapshot(sql, source)
    await credit()
    await show([{ number: 2, fork: 1, payments: [payment] }, block(60)], { isReady: 1, finalized: 30 })
    await applySnapshot(sql, source)
    await show([...canonical, block(61)], { isReady: 1, finalized: 31 })
    await applySnapshot(sql, source)
    const position = async () => {
      const rows = await sql<{ blockNumber: number; agreedBy: string[] | null }[]>`
        select block_number, agreed_by from transfers where credited_at is not null`
      return rows.map((row) => ({ ...row }))
    }
    expect(await position()).to.deep.equal([{ blockNumber: 2, agreedBy: null }])
    const [due, ...others] = await listToVerify(sql, { chainId: 8453, except: [], limit: 5 })
    expect(others).to.deep.equal([])
    const receipt: PositionedReceipt = {
      ...{
        txHash: due?.txHash ?? '0x',
        blockNumber: 1,
        blockHash: toHex(1000, { size: 32 }),
        blockTimestamp: 2,
      },
      logs: [
        {
          ...{ address: USDC, logIndex: 0, data: toHex(5n, { size: 32 }) },
          topics: [TRANSFER_TOPIC, toTopic(USDC), toTopic(CHARGES[0]?.address as Address)],
        },
      ],
    }
    const agreed = agreedEffects(receipt)
    await recordAgreed({ sql, log: recordingLog().log }, source, [agreed])
    await applySnapshot(sql, source)
    expect(await position()).to.deep.equal([{ blockNumber: 1, agreedBy: agreed.effects.by }])
    expect(await presentRows()).to.deep.equal(paidBy(canonical))
  })

  it('eventually stores the payments of the canonical chain, despite reorganizations, missed blocks and repeated snapshots', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await reset()
        let chain: readonly Block[] = [block(1)]
        for (const [fork, one] of steps.entries()) {
          chain = extend(chain, { ...one, fork })
          if (one.isSeen) {
            // Ponder first removes the rows of a reorganization, and lowers the head in a second transaction.
            if (one.depth > 0) await show(chain.slice(0, -1).concat(block(chain.at(-1)?.number ?? 1)))
            if (one.depth > 0) await applySnapshot(sql, source)
            await show(chain)
            await applySnapshot(sql, source)
          }
          if (one.isTwice) await applySnapshot(sql, source)
        }
        // Rows above the head are not checked, so the chain must grow until it reaches its highest head.
        for (let more = 0; more < steps.length; more += 1)
          chain = extend(chain, { depth: 0, payments: [], fork: 99 })
        await show(chain)
        await applySnapshot(sql, source)
        expect(await presentRows()).to.deep.equal(paidBy(chain))
        const again = await applySnapshot(sql, source)
        expect(again).to.include({ hasNews: false, recorded: 0, missing: 0 })
        expect(await presentRows()).to.deep.equal(paidBy(chain))
      }),
      { numRuns: process.env['TEST_LONG'] ? 1000 : 40 },
    )
  })
})

const step = fc.record({
  /** Number of blocks that are removed before the next block is added. */
  depth: fc.nat({ max: 3 }),
  payments: fc.array(
    fc.record({
      tx: fc.nat({ max: 12 }),
      charge: fc.nat({ max: 2 }),
      value: fc.integer({ min: 1, max: 1000 }),
    }),
    { maxLength: 3 },
  ),
  isSeen: fc.boolean(),
  isTwice: fc.boolean(),
})

/** Removes blocks and adds one. Skips transactions that the chain already has. */
function extend(
  chain: readonly Block[],
  next: { depth: number; payments: readonly Payment[]; fork: number },
): readonly Block[] {
  const rest = chain.slice(0, Math.max(1, chain.length - next.depth))
  const included = new Set(rest.flatMap(({ payments }) => payments.map(({ tx }) => tx)))
  const payments = next.payments.filter(({ tx }, index) => {
    const isFirst = next.payments.findIndex((other) => other.tx === tx) === index
    return isFirst && !included.has(tx)
  })
  return [...rest, { number: rest.length + 1, fork: next.fork + 1, payments }]
}

function hashOf({ number, fork }: Block): string {
  return toHex(number * 1000 + fork, { size: 32 })
}

/** Returns Ponder's 75-digit checkpoint of a block: timestamp, chain id, block number, and zeros. */
function checkpoint(number: number): string {
  return [pad(number * 2, 10), pad(8453, 16), pad(number, 16), '0'.repeat(33)].join('')
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0')
}

/** Creates the Ponder tables that the daemon reads, as Ponder 0.16.10 does. */
async function makePonderTables(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create schema ${SCHEMA};
    create table ${SCHEMA}._ponder_meta (key text primary key, value jsonb);
    insert into ${SCHEMA}._ponder_meta values ('app', '{"is_ready": 1, "is_locked": 1}');
    create table ${SCHEMA}._ponder_checkpoint (latest_checkpoint text, finalized_checkpoint text);
    insert into ${SCHEMA}._ponder_checkpoint values ('${checkpoint(0)}', '${checkpoint(0)}');
    create table ${SCHEMA}.transfer (tx_hash text, log_index int, block_number numeric, block_hash text,
      block_timestamp numeric, emitter text, sender text, recipient text, value numeric);
    create table ${SCHEMA}.split_event (tx_hash text, log_index int, block_number numeric, block_hash text,
      block_timestamp numeric, split text, kind text, token text, account text, amount numeric)`)
}

/** Returns whether any session waits for a lock on the server, which belongs to this test run only. */
async function isAnyoneWaiting(sql: Sql): Promise<boolean> {
  const rows = await sql`
    select from pg_locks where not granted` // A wait for a row lock is a wait for the holder's transaction, and that entry of pg_locks names no database.
  return rows.length > 0
}
