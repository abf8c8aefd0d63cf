/**
 * Indexes the transfers of a token to the recipients with `@subsquid/evm-processor`, writes them to PostgreSQL, and
 * prints their number.
 *
 *   node test/bench/beside/squid.ts ARGUMENTS
 *
 * @see https://docs.sqd.ai/sdk/reference/processors/evm-batch
 */
import { createRequire } from 'node:module'
import { type Hex, pad } from 'viem'
import { TRANSFER_TOPIC } from '../../../shared/domain/log-topics.ts'
import type { Pool } from './queue-program.ts'

/** Options, as JSON in the first argument. */
export type SquidArguments = {
  readonly manifest: string
  readonly databaseUrl: string
  readonly rpcUrl: string
  readonly token: string
  readonly recipients: readonly Hex[]
  readonly lastBlock: number
}

type Block = {
  readonly header: { readonly height: number; readonly hash: string }
  readonly logs: readonly {
    readonly logIndex: number
    readonly topics: readonly string[]
    readonly data: string
  }[]
}

type Position = { readonly height: number; readonly hash: string }

type Squid = {
  readonly EvmBatchProcessor: new () => Processor
}

type Processor = {
  readonly setRpcEndpoint: (settings: object) => Processor
  readonly setRpcDataIngestionSettings: (settings: object) => Processor
  readonly setFinalityConfirmation: (blocks: number) => Processor
  readonly setBlockRange: (range: object) => Processor
  readonly setFields: (fields: object) => Processor
  readonly addLog: (filter: object) => Processor
  readonly run: (
    database: object,
    handle: (batch: { readonly blocks: readonly Block[]; readonly store: Pool }) => Promise<void>,
  ) => void
}

const { manifest, databaseUrl, rpcUrl, token, recipients, lastBlock } = JSON.parse(
  process.argv[2] ?? '',
) as SquidArguments
const load = createRequire(manifest)
const { EvmBatchProcessor } = load('@subsquid/evm-processor') as Squid
const { Pool: PgPool } = load('pg') as { Pool: new (options: object) => Pool }
const pool = new PgPool({ connectionString: databaseUrl, max: 1 })
await pool.query('create schema beside')
await pool.query('create table beside.transfers (block int, log_index int, recipient text, data text)')
await pool.query('create table beside.progress (height int, hash text)')

/** The minimum database that the processor accepts. It commits rows and progress together. */
const database = {
  supportsHotBlocks: false,
  connect: () => Promise.resolve({ height: -1, hash: '0x' }),
  transact: async ({ nextHead }: { nextHead: Position }, write: (store: Pool) => Promise<void>) => {
    await pool.query('begin')
    await write(pool)
    await pool.query('insert into beside.progress values ($1, $2)', [nextHead.height, nextHead.hash])
    await pool.query('commit')
    if (nextHead.height >= lastBlock) await finish()
  },
}

new EvmBatchProcessor()
  .setRpcEndpoint({ url: rpcUrl, capacity: 10 })
  .setFinalityConfirmation(1)
  .setBlockRange({ from: 0, to: lastBlock })
  .setFields({ log: { topics: true, data: true } })
  .addLog({
    address: [token.toLowerCase()],
    topic0: [TRANSFER_TOPIC],
    topic2: recipients.map((recipient) => pad(recipient)),
  })
  .run(database, async ({ blocks, store }) => {
    const rows = blocks.flatMap(({ header, logs }) =>
      logs.map(({ logIndex, topics, data }) => [header.height, logIndex, topics[2], data]),
    )
    const columns = [0, 1, 2, 3].map((column) => rows.map((row) => row[column]))
    await store.query(
      'insert into beside.transfers select * from unnest($1::int[], $2::int[], $3::text[], $4::text[])',
      columns,
    )
  })

async function finish(): Promise<void> {
  const { rows } = await pool.query('select count(*)::int as count from beside.transfers')
  console.log(rows[0]?.['count'])
  process.exit(0)
}
