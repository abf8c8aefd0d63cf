import { expect } from 'chai'
import { encodeAbiParameters, toHex } from 'viem'
import splitArtifact from '../../../contracts/artifacts/PaymentSplit.json' with { type: 'json' }
import factoryArtifact from '../../../contracts/artifacts/PaymentSplitFactory.json' with { type: 'json' }
import tronSplitArtifact from '../../../contracts/artifacts/TronPaymentSplit.json' with { type: 'json' }
import tronConstants from '../../../contracts/artifacts/tron-split-constants.json' with { type: 'json' }
import { createFeedMaintenance } from '../../../indexer/chain-feed/feed-maintenance.ts'
import type { ChainIdCheck } from '../../../shared/chain/nodes/verify-chain-id.ts'
import { insertFeed } from '../../../shared/db/chain-facts/daemon/feeds.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { getTronImplementation } from '../../../shared/domain/chain-families/tron/predict-split.ts'
import { SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import type { Logger } from '../../../shared/runtime/logger.ts'
import type { DeploymentConfig, TokenConfig } from '../../../shared/runtime/networks-config.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { SOME_ADDRESS } from '../../support/rows.ts'
import { type RpcFate, type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const CHAIN_ID = 8453
const MINUTE = 60_000
const SILENT_MS = 15 * MINUTE

/** The highest block that the feed has applied. */
const OUR_HEAD = 100

describe('the maintenance of a feed', () => {
  let database: TestDatabase
  let sql: TestDatabase['sql']
  let nodes: readonly [RpcProxy, RpcProxy]
  let restarts: (readonly string[])[]
  let lines: Record<string, unknown>[]
  let recording: ReturnType<typeof recordingLog>
  let care: ReturnType<typeof createFeedMaintenance>
  let now: Date
  let above: boolean[]
  let verdicts: ChainIdCheck[]

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
    above = []
    verdicts = []
    recording = recordingLog()
    lines = recording.lines
    care = createCare(deployment(), recording.log)
  })

  function createCare(deployment: DeploymentConfig, log: Logger) {
    return createFeedMaintenance({
      ...{ sql, deployment, silentMs: SILENT_MS, now: () => now, log },
      ...{ sleepAfterSeconds: 0, onSleepChange: () => undefined },
      metrics: {
        countLostCredit: () => undefined,
        setAboveChain: (_, isAbove) => void above.push(isAbove),
        setOperatorsResponding: () => undefined,
      },
      onNodeVerdict: (verdict) => void verdicts.push(verdict),
      restartPonder: async (rpcUrls) => void restarts.push(rpcUrls),
    })
  }

  function deployment(): DeploymentConfig {
    return {
      ...{ network: 'base', environment: 'live', family: 'evm', chainId: CHAIN_ID, tokens: [] },
      ...{ confirmations: 3, finalityBlocks: 30, startBlock: 0, blockTimeMs: 2000, pollingIntervalMs: 100 },
      ...nodesAt(nodes.map(({ url }) => url)),
    }
  }

  /** Makes a node return only its chain id and one block. If `head` is `null`, the node fails every request. */
  function answer(node: RpcProxy, head: { number: number; ageMs: number; chainId?: number } | null): void {
    const timestamp = (now.getTime() - (head?.ageMs ?? 0)) / 1000
    node.rule((method) => {
      if (head !== null && method === 'eth_chainId') return { result: toHex(head.chainId ?? CHAIN_ID) }
      return head !== null && method === 'eth_getBlockByNumber'
        ? { result: { number: toHex(head.number), timestamp: toHex(timestamp), transactions: [] } }
        : 'error'
    })
  }

  async function isQuiet(): Promise<boolean> {
    const [row] = await sql`select idle_at is not null as is_quiet from deployments`
    return row?.['isQuiet'] === true
  }

  it('treats a chain as quiet if the nodes’ highest head is old and the feed has already applied it', async () => {
    for (const node of nodes) answer(node, { number: OUR_HEAD, ageMs: SILENT_MS })
    await care.turn()
    expect(await isQuiet()).to.equal(true)
  })

  it('does not treat a chain as quiet while one node fails', async () => {
    answer(nodes[0], { number: OUR_HEAD, ageMs: SILENT_MS })
    answer(nodes[1], null)
    await care.turn()
    expect(await isQuiet()).to.equal(false)
  })

  it('does not treat a chain as quiet if only the second node has advanced', async () => {
    answer(nodes[0], { number: OUR_HEAD, ageMs: SILENT_MS })
    answer(nodes[1], { number: OUR_HEAD + 450, ageMs: 0 })
    await care.turn()
    expect(await isQuiet()).to.equal(false)
  })

  for (const [title, head] of [
    ['another block of the same age', { number: OUR_HEAD + 1, ageMs: SILENT_MS }],
    ['the same block with a later timestamp', { number: OUR_HEAD, ageMs: SILENT_MS - 1_000 }],
  ] as const)
    it(`does not treat a chain as quiet while the second node has ${title}`, async () => {
      answer(nodes[0], { number: OUR_HEAD, ageMs: SILENT_MS })
      answer(nodes[1], head)
      await care.turn()
      expect(await isQuiet()).to.equal(false)
    })

  it('restarts a stalled Ponder with its nodes reordered, the most advanced node first', async () => {
    care.noteHead(OUR_HEAD)
    now = new Date(now.getTime() + MINUTE)
    answer(nodes[0], { number: OUR_HEAD, ageMs: MINUTE })
    answer(nodes[1], { number: OUR_HEAD + 30, ageMs: 0 })
    await care.turn()
    expect(restarts).to.deep.equal([[nodes[1].url, nodes[0].url]])
  })

  it('restarts a stalled Ponder with the same first node if no other node has reached the quorum’s head', async () => {
    care.noteHead(OUR_HEAD)
    now = new Date(now.getTime() + MINUTE)
    answer(nodes[0], { number: OUR_HEAD + 30, ageMs: 0 })
    answer(nodes[1], { number: OUR_HEAD, ageMs: MINUTE })
    await care.turn()
    expect(restarts).to.deep.equal([[nodes[0].url, nodes[1].url]])
  })

  it('restarts a stalled Ponder with another first node if several nodes report the quorum’s head', async () => {
    for (const node of nodes) answer(node, { number: OUR_HEAD + 30, ageMs: 0 })
    care.noteHead(OUR_HEAD)
    for (const minutes of [1, 2]) {
      now = new Date(now.getTime() + minutes * MINUTE)
      await care.turn()
    }
    const [first, second] = nodes.map(({ url }) => url)
    expect(restarts).to.deep.equal([
      [second, first],
      [first, second],
    ])
  })

  it('returns to the configured order of the nodes when Ponder is started again', async () => {
    for (const node of nodes) answer(node, { number: OUR_HEAD + 30, ageMs: 0 })
    for (let stall = 0; stall < 2; stall += 1) {
      care.begin()
      care.noteHead(OUR_HEAD + stall)
      now = new Date(now.getTime() + MINUTE)
      await care.turn()
    }
    const [first, second] = nodes.map(({ url }) => url)
    expect(restarts).to.deep.equal([
      [second, first],
      [second, first],
    ])
  })

  describe('with one node of another chain', () => {
    const OTHER = { number: OUR_HEAD + 5_000, ageMs: 0, chainId: 10 }

    it('neither restarts Ponder because of that node nor gives that node to Ponder', async () => {
      care.noteHead(OUR_HEAD)
      now = new Date(now.getTime() + MINUTE)
      answer(nodes[0], OTHER)
      answer(nodes[1], { number: OUR_HEAD, ageMs: 0 })
      await care.turn()
      expect(restarts).to.deep.equal([])
      answer(nodes[1], { number: OUR_HEAD + 30, ageMs: 0 })
      await care.turn()
      expect(restarts).to.deep.equal([[nodes[1].url]])
    })

    it('does not treat the chain as quiet, even if both nodes show the block that the feed has applied', async () => {
      answer(nodes[0], { number: OUR_HEAD, ageMs: SILENT_MS, chainId: 10 })
      answer(nodes[1], { number: OUR_HEAD, ageMs: SILENT_MS })
      await care.turn()
      expect(await isQuiet()).to.equal(false)
    })

    it('reads the chain id of each node, including otherwise unused nodes', async () => {
      answer(nodes[0], { number: OUR_HEAD, ageMs: 0 })
      answer(nodes[1], OTHER)
      await care.turn()
      expect(verdicts).to.deep.include({ url: nodes[1].url, chainId: CHAIN_ID, servedChainId: 10 })
    })
  })

  describe('with a feed above every block of its chain', () => {
    beforeEach(async () => {
      for (const node of nodes) answerAsChain(node, 'error', OUR_HEAD)
      await care.turn()
      expect(await contractsMatch()).to.equal(true)
      lines.length = 0
    })

    const ABOVE = 'Feed is ahead of its chain; pairs are disabled until it is repaired'

    for (const [title, spoil] of [
      ['watermark', () => sql`update deployments set watermark_number = ${OUR_HEAD + 1}`],
      ['first block', () => insertFeed(sql, { ...FEED, chainId: CHAIN_ID, startBlock: OUR_HEAD + 1 })],
    ] as const) {
      it(`does not publish a pair if the feed’s ${title} is above the chain, and logs the repair command once`, async () => {
        await spoil()
        await care.turn()
        await care.turn()
        expect(await contractsMatch()).to.equal(false)
        expect(above.at(-1)).to.equal(true)
        expect(lines).to.have.length(1)
        expect(lines[0]).to.include({
          ...{
            level: 'error',
            msg: ABOVE,
            chain_id: CHAIN_ID,
            feed_block: OUR_HEAD + 1,
            node_head: OUR_HEAD,
          },
          command: 'npm run networks -- repair base --env live',
        })
      })
    }

    it('compares the feed with the highest head, and ignores nodes of another chain', async () => {
      await sql`update deployments set watermark_number = ${OUR_HEAD + 1}`
      answerAsChain(nodes[1], 'error', OUR_HEAD + 2)
      await care.turn()
      expect(await contractsMatch()).to.equal(true)
      answer(nodes[1], { number: OUR_HEAD + 2, ageMs: 0, chainId: 10 })
      await createCare(deployment(), recording.log).turn()
      expect(await contractsMatch()).to.equal(false)
    })

    it('publishes the pairs again once the chain has reached the feed’s block', async () => {
      await sql`update deployments set watermark_number = ${OUR_HEAD + 1}`
      await care.turn()
      for (const node of nodes) answerAsChain(node, 'error', OUR_HEAD + 1)
      await care.turn()
      expect(await contractsMatch()).to.equal(true)
      expect(lines.map(({ msg }) => msg)).to.deep.equal([ABOVE, 'Feed is no longer ahead of its chain'])
    })

    it('is no longer listed as ahead if the chain has reached the block before the daemon restarts', async () => {
      await sql`update deployments set watermark_number = ${OUR_HEAD + 1}`
      await care.turn()
      expect(await aheadSince()).to.be.instanceOf(Date)
      for (const node of nodes) answerAsChain(node, 'error', OUR_HEAD + 1)
      await createCare(deployment(), recording.log).turn()
      expect(await aheadSince()).to.equal(null)
    })
  })

  it('alerts once if fewer operators than the quorum respond, and logs when enough respond again', async () => {
    care = createCare({ ...deployment(), quorum: 2 }, recording.log)
    answer(nodes[0], { number: OUR_HEAD, ageMs: 0 })
    answer(nodes[1], null)
    await care.turn()
    await care.turn()
    answer(nodes[1], { number: OUR_HEAD, ageMs: 0 })
    await care.turn()
    expect(lines.map(({ level, msg }) => `${String(level)}: ${String(msg)}`)).to.deep.equal([
      'error: Fewer nodes of a network respond than its quorum',
      'info: Enough nodes of a network respond again',
    ])
  })

  it('records when a quorum has responded, and nothing while fewer nodes respond', async () => {
    const respondedAt = async () =>
      (await sql`select quorum_responded_at from deployments`)[0]?.['quorumRespondedAt']
    care = createCare({ ...deployment(), quorum: 2 }, recording.log)
    answer(nodes[0], { number: OUR_HEAD, ageMs: 0 })
    answer(nodes[1], null)
    await care.turn()
    expect(await respondedAt()).to.equal(null)
    answer(nodes[1], { number: OUR_HEAD, ageMs: 0 })
    await care.turn()
    expect(await respondedAt()).to.be.instanceOf(Date)
  })

  it('does not confirm contracts that it has been unable to read since its start', async () => {
    for (const node of nodes) answer(node, null)
    await care.turn()
    expect(await contractsMatch()).to.equal(null)
  })

  it('continues to confirm contracts that it has read once, while later reads fail', async () => {
    for (const node of nodes) answerAsChain(node, 'error')
    await care.turn()
    for (const node of nodes) answer(node, null)
    now = new Date(now.getTime() + 24 * 60 * MINUTE)
    await care.turn()
    expect(await contractsMatch()).to.equal(true)
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

    it('publishes the token’s pairs if the chain reports six decimals', async () => {
      for (const node of nodes) answerAsChain(node, decimals(6))
      care = careFor(usdc)
      await care.turn()
      expect(care.areDecimalsOurs()).to.equal(true)
      expect(await contractsMatch()).to.equal(true)
    })

    it('does not publish a pair if the chain reports eighteen decimals, and names the token', async () => {
      for (const node of nodes) answerAsChain(node, decimals(18))
      care = careFor(usdc)
      await care.turn()
      expect(care.areDecimalsOurs()).to.equal(false)
      expect(await contractsMatch()).to.equal(false)
      expect(lines.find(({ token }) => token === 'USDC')).to.include({
        level: 'error',
        msg: 'Token decimals do not match the configuration; pairs are disabled',
        token_address: SOME_ADDRESS,
        configured_decimals: 6,
        read_decimals: 18,
      })
    })

    it('does not query a disabled token', async () => {
      for (const node of nodes) answerAsChain(node, decimals(18))
      care = careFor({ ...usdc, enabled: false })
      await care.turn()
      expect(await contractsMatch()).to.equal(true)
    })

    it('trusts the configuration of a token that does not report its decimals', async () => {
      for (const node of nodes) answerAsChain(node, { result: '0x' })
      care = careFor(usdc)
      await care.turn()
      expect(care.areDecimalsOurs()).to.equal(true)
      expect(await contractsMatch()).to.equal(true)
    })

    it('leaves the contracts unverified while no node returns the decimals of the token', async () => {
      for (const node of nodes) answerAsChain(node, 'error')
      care = careFor(usdc)
      await care.turn()
      expect(care.areDecimalsOurs()).to.equal(false)
      expect(await contractsMatch()).to.equal(null)
    })
  })

  describe('with a factory whose address is only in the configuration', () => {
    const [OURS, MISTYPED] = [`0x${'f1'.repeat(20)}`, `0x${'f2'.repeat(20)}`] as [Address, Address]
    const believed = () => sql`select family, environment, factory from trusted_factories`

    const careFor = (splitFactory: Address) =>
      createCare({ ...deployment(), network: 'tron', family: 'tron', splitFactory }, recording.log)

    beforeEach(async () => {
      await database.sql`truncate trusted_factories`
      for (const node of nodes) answerAsTron(node, OURS)
    })

    it('trusts the factory as soon as its code has been read', async () => {
      await careFor(OURS).turn()
      expect(await contractsMatch()).to.equal(true)
      expect(await believed()).to.deep.equal([{ family: 'tron', environment: 'live', factory: OURS }])
    })

    it('rejects a mistyped factory address', async () => {
      await careFor(MISTYPED).turn()
      expect(await contractsMatch()).to.equal(false)
      expect(await believed()).to.deep.equal([])
    })
  })

  async function aheadSince(): Promise<unknown> {
    const [row] = await sql`select feed_ahead_since from deployments`
    return row?.['feedAheadSince']
  }

  async function contractsMatch(): Promise<unknown> {
    const [row] = await sql`select contracts_match from deployments`
    return row?.['contractsMatch']
  }

  /**
   * Makes a node serve our chain with our contracts, respond to calls to a token with `ofCall`, and return block
   * `head` for each requested block. Without `head`, requests for blocks fail.
   */
  function answerAsChain(node: RpcProxy, ofCall: RpcFate, head?: number): void {
    const timestamp = toHex(now.getTime() / 1000)
    node.rule((method, [address]) => {
      if (method === 'eth_getBlockByNumber' && head !== undefined)
        return { result: { number: toHex(head), timestamp, transactions: [] } }
      if (method === 'eth_call') return ofCall
      if (method === 'eth_chainId') return { result: toHex(CHAIN_ID) }
      if (method !== 'eth_getCode') return 'error'
      return {
        result: (address === SPLIT_FACTORY ? factoryArtifact : splitArtifact).deployedBytecode,
      }
    })
  }
})

/** Makes a node serve our chain, with our TRON factory at this address only. */
function answerAsTron(node: RpcProxy, factory: Address): void {
  const implementation = getTronImplementation(factory)
  const word = implementation.slice(2).padStart(64, '0')
  const factoryCode = tronConstants.implementationPlaces.reduce(
    (code, place) => `${code.slice(0, 2 + 2 * place)}${word}${code.slice(2 + 2 * place + 64)}`,
    tronConstants.factoryRuntimeCode,
  )
  const codes: Readonly<Record<string, string>> = {
    [factory]: factoryCode,
    [implementation]: tronSplitArtifact.deployedBytecode,
  }
  node.rule((method, [address]) => {
    if (method === 'eth_chainId') return { result: toHex(CHAIN_ID) }
    return method === 'eth_getCode' ? { result: codes[String(address)] ?? '0x' } : 'error'
  })
}

const FEED = { ponderSchema: 'ponder_base_live_1', emitters: [] }

const decimals = (count: number): RpcFate => ({
  result: encodeAbiParameters([{ type: 'uint8' }], [count]),
})
