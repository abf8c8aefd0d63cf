import { expect } from 'chai'
import { toHex } from 'viem'
import { createFeedCare } from '../../../indexer/chain-feed/feed-care.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const CHAIN_ID = 8453
const MINUTE = 60_000
const SILENT_MS = 15 * MINUTE

/** What the feed has applied. */
const OUR_HEAD = 100

describe('the care for a feed whose nodes disagree', () => {
  let database: TestDatabase
  let sql: TestDatabase['sql']
  let nodes: readonly [RpcProxy, RpcProxy]
  let restarts: (readonly string[])[]
  let lines: Record<string, unknown>[]
  let care: ReturnType<typeof createFeedCare>
  let now: Date

  before(async () => {
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
    nodes = [await startRpcProxy('http://127.0.0.1:9'), await startRpcProxy('http://127.0.0.1:9')]
  })

  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await sql.end()
    await database.drop()
  })

  beforeEach(async () => {
    await database.sql`truncate deployments cascade`
    await database.sql`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, head_number,
        contracts_match)
      values (${CHAIN_ID}, 'base', 'live', 'evm', 3, 2000, ${OUR_HEAD}, true)`
    now = new Date('2026-11-21T12:00:00Z')
    restarts = []
    const recording = recordingLog()
    lines = recording.lines
    care = createFeedCare({
      ...{ sql, deployment: deployment(), silentMs: SILENT_MS, now: () => now, log: recording.log },
      metrics: { countLostCredit: () => undefined },
      restartPonder: async (rpcUrls) => void restarts.push(rpcUrls),
    })
  })

  function deployment(): DeploymentConfig {
    return {
      ...{ network: 'base', environment: 'live', family: 'evm', chainId: CHAIN_ID, tokens: [] },
      ...{ confirmations: 3, finalityBlocks: 30, startBlock: 0, blockTimeMs: 2000, pollingIntervalMs: 100 },
      rpcUrls: nodes.map(({ url }) => url),
    }
  }

  /** A node that knows one block and nothing else, or one that refuses everything. */
  function answer(node: RpcProxy, head: { number: number; ageMs: number } | null): void {
    const timestamp = (now.getTime() - (head?.ageMs ?? 0)) / 1000
    node.rule((method) =>
      head !== null && method === 'eth_getBlockByNumber'
        ? { result: { number: toHex(head.number), timestamp: toHex(timestamp), transactions: [] } }
        : 'error',
    )
  }

  async function isQuiet(): Promise<boolean> {
    const [row] = await sql`select quiet_at is not null as is_quiet from deployments`
    return row?.['isQuiet'] === true
  }

  it('takes a chain for quiet when the highest head is ours, and old', async () => {
    for (const node of nodes) answer(node, { number: OUR_HEAD, ageMs: SILENT_MS })
    await care.turn()
    expect(await isQuiet()).to.equal(true)
  })

  it('does not when another node than the first has gone on', async () => {
    answer(nodes[0], { number: OUR_HEAD, ageMs: SILENT_MS })
    answer(nodes[1], { number: OUR_HEAD + 450, ageMs: 0 })
    await care.turn()
    expect(await isQuiet()).to.equal(false)
  })

  it('starts a Ponder that stands still with its first node again, the one ahead first', async () => {
    care.noteHead(OUR_HEAD)
    now = new Date(now.getTime() + MINUTE)
    answer(nodes[0], { number: OUR_HEAD, ageMs: MINUTE })
    answer(nodes[1], { number: OUR_HEAD + 30, ageMs: 0 })
    await care.turn()
    expect(restarts).to.deep.equal([[nodes[1].url, nodes[0].url]])
  })

  it('alerts once when no node answers any more, and says when one does again', async () => {
    for (const node of nodes) answer(node, null)
    await care.turn()
    await care.turn()
    answer(nodes[1], { number: OUR_HEAD, ageMs: 0 })
    await care.turn()
    expect(lines.map(({ level, msg }) => `${String(level)}: ${String(msg)}`)).to.deep.equal([
      'error: No node of a network answers',
      'info: A node of the network answers again',
    ])
  })

  it('does not vouch for contracts that it could not read since its start', async () => {
    for (const node of nodes) answer(node, null)
    await care.turn()
    const [row] = await sql`select contracts_match from deployments`
    expect(row?.['contractsMatch']).to.equal(null)
  })
})
