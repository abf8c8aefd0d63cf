import { expect } from 'chai'
import { encodeAbiParameters, toHex } from 'viem'
import splitArtifact from '../../../contracts/artifacts/PaymentSplit.json' with { type: 'json' }
import factoryArtifact from '../../../contracts/artifacts/PaymentSplitFactory.json' with { type: 'json' }
import { createFeedCare } from '../../../indexer/chain-feed/feed-care.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import type { Logger } from '../../../shared/runtime/logger.ts'
import type { DeploymentConfig, TokenConfig } from '../../../shared/runtime/networks-config.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { SOME_ADDRESS } from '../../support/rows.ts'
import { type RpcFate, type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

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
  let recording: ReturnType<typeof recordingLog>
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
    recording = recordingLog()
    lines = recording.lines
    care = createCare(deployment(), recording.log)
  })

  function createCare(deployment: DeploymentConfig, log: Logger) {
    return createFeedCare({
      ...{ sql, deployment, silentMs: SILENT_MS, now: () => now, log },
      metrics: { countLostCredit: () => undefined },
      restartPonder: async (rpcUrls) => void restarts.push(rpcUrls),
    })
  }

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
    expect(await contractsMatch()).to.equal(null)
  })

  describe('with a token of six decimals', () => {
    const usdc: TokenConfig = {
      token: 'USDC',
      address: SOME_ADDRESS as Address,
      decimals: 6,
      enabled: true,
      restriction: null,
    }

    const careFor = (token: TokenConfig) => {
      const { log } = recording
      return createCare({ ...deployment(), tokens: [token] }, log)
    }

    it('offers its pairs when the chain says six', async () => {
      for (const node of nodes) answerAsChain(node, decimals(6))
      care = careFor(usdc)
      await care.turn()
      expect(care.areDecimalsOurs()).to.equal(true)
      expect(await contractsMatch()).to.equal(true)
    })

    it('offers nothing when the chain says eighteen, and says which token', async () => {
      for (const node of nodes) answerAsChain(node, decimals(18))
      care = careFor(usdc)
      await care.turn()
      expect(care.areDecimalsOurs()).to.equal(false)
      expect(await contractsMatch()).to.equal(false)
      expect(lines.find(({ token }) => token === 'USDC')).to.include({
        level: 'error',
        msg: 'A token of a network has other decimals than configured: its pairs are not offered',
        token_address: SOME_ADDRESS,
        configured_decimals: 6,
        read_decimals: 18,
      })
    })

    it('asks nothing of a token that is switched off', async () => {
      for (const node of nodes) answerAsChain(node, decimals(18))
      care = careFor({ ...usdc, enabled: false })
      await care.turn()
      expect(await contractsMatch()).to.equal(true)
    })

    it('believes the configuration of a token that does not tell', async () => {
      for (const node of nodes) answerAsChain(node, { result: '0x' })
      care = careFor(usdc)
      await care.turn()
      expect(care.areDecimalsOurs()).to.equal(true)
      expect(await contractsMatch()).to.equal(true)
    })

    it('knows nothing while no node says', async () => {
      for (const node of nodes) answerAsChain(node, 'error')
      care = careFor(usdc)
      await care.turn()
      expect(care.areDecimalsOurs()).to.equal(false)
      expect(await contractsMatch()).to.equal(null)
    })
  })

  async function contractsMatch(): Promise<unknown> {
    const [row] = await sql`select contracts_match from deployments`
    return row?.['contractsMatch']
  }

  /** A node of our chain, with our contracts, whose calls to a token have this fate. */
  function answerAsChain(node: RpcProxy, ofCall: RpcFate): void {
    node.rule((method, [address]) => {
      if (method === 'eth_call') return ofCall
      if (method === 'eth_chainId') return { result: toHex(CHAIN_ID) }
      if (method !== 'eth_getCode') return 'error'
      return {
        result: (address === SPLIT_FACTORY ? factoryArtifact : splitArtifact).deployedBytecode,
      }
    })
  }
})

const decimals = (count: number): RpcFate => ({
  result: encodeAbiParameters([{ type: 'uint8' }], [count]),
})
