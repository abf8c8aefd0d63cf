import { expect } from 'chai'
import { type EIP1193RequestFn, type Hex, toHex } from 'viem'
import { createFeedMaintenance } from '../../../indexer/chain-feed/feed-maintenance.ts'
import { quoteFees } from '../../../indexer/relayer/gas-fees.ts'
import { createFilterTransport } from '../../../indexer/transport/filter-transport.ts'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import type { ChargeRow } from '../../../shared/db/charges/charge-row.ts'
import { TRANSFER_TOPIC, toTopic } from '../../../shared/domain/log-topics.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { chainAt } from '../../support/chain-at.ts'
import { CHAINS, getTokenAddress, KEEPER } from '../../support/factories.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import { type RpcFate, type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import { createRandom, type Random } from '../../support/seeded-random.ts'
import {
  type ChargeFixture,
  createChargeFixture,
  nowSeconds,
  secondsFromNow,
} from '../charges/charge-fixture.ts'

const SEEDS = process.env['TEST_LONG'] ? 200 : 8 // oxlint-disable-line no-process-env -- the duration is a setting of the run
const STEPS = 3

const { chainId: OURS } = CHAINS.base
const USDC = getTokenAddress('base')
/** The highest block that our feed has applied. */
const HEAD = 100

const BASE_FEE = 1n
const HONEST = { chainId: OURS, hash: `0x${'aa'.repeat(32)}`, fee: 7n, nonce: 3 } as const
const FOREIGN = { chainId: 10, hash: `0x${'ee'.repeat(32)}`, fee: 200_000_000_000n, nonce: 9_000 } as const

type World = {
  readonly charge: ChargeRow
  /** Hash of the payment, which only the honest chain has. */
  readonly paidIn: Hex | null
  /** The last blocks of the honest chain and of the other chain. */
  readonly heads: { readonly honest: Head; readonly foreign: Head }
}
type Head = { readonly number: number; readonly ageSeconds: number }

describe('one honest node and one node of the wrong chain', function () {
  this.timeout(SEEDS * 15_000)

  let stage: ChargeFixture
  let nodes: { readonly honest: RpcProxy; readonly foreign: RpcProxy }
  let orders: readonly (readonly string[])[]
  let ponders: readonly EIP1193RequestFn[]

  before(async () => {
    stage = await createChargeFixture()
    const [honest, foreign] = await Promise.all([
      startRpcProxy('http://127.0.0.1:9'),
      startRpcProxy('http://127.0.0.1:9'),
    ])
    nodes = { honest, foreign }
    orders = [
      [honest.url, foreign.url],
      [foreign.url, honest.url],
    ]
    const settings = {
      chainId: OURS,
      family: 'evm' as const,
      emitters: [USDC],
      databaseUrl: stage.database.url.ponder,
    }
    ponders = orders.map(
      (rpcUrls) => createFilterTransport({ ...settings, rpcUrls })({}).request as EIP1193RequestFn,
    )
  })

  after(async () => {
    await Promise.all([nodes?.honest, nodes?.foreign].map((node) => node?.stop()))
    await stage?.close()
  })

  it('do not cause a paid charge to expire, or an unpaid charge to be credited or to expire early, in either order', async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) await live(seed)
  })

  /** Runs `STEPS` turns of one charge while the nodes fail as the seed determines. */
  async function live(seed: number): Promise<void> {
    const random = createRandom(seed)
    const world = await (seed % 2 === 0 ? missPayment(random) : stopOtherChain(random))
    const order = random.integer(2)
    const rpcUrls = orders[order] ?? []
    const restarts: string[] = []
    const care = createFeedMaintenance({
      ...{ sql: stage.daemon, deployment: deploymentOf(rpcUrls), silentMs: 900_000, log: stage.deps.log },
      now: () => new Date(Date.now() + 120_000), // Ponder has been stalled for two minutes.
      metrics: {
        countLostCredit: () => undefined,
        setAboveChain: () => undefined,
        setOperatorsResponding: () => undefined,
      },
      ...{ sleepAfterSeconds: 0, onSleepChange: () => undefined },
      restartPonder: async (urls) => void restarts.push(...urls),
    })
    care.noteHead(HEAD)
    for (let step = 1; step <= STEPS; step += 1) {
      const situation = `seed ${seed}, step ${step}`
      nodes.honest.rule(behave(HONEST, { world, random, head: world.heads.honest }))
      nodes.foreign.rule(behave(FOREIGN, { world, random, head: world.heads.foreign }))
      await care.turn()
      await stage.takeTurns()
      expect((await stage.chargeOf(world.charge)).status, situation).to.equal('pending')
      expect(restarts, situation).not.to.include(nodes.foreign.url)
      await expectHonest(ponders[order], rpcUrls, situation)
    }
    await stage.sql`update charges set status = 'expired' where id = ${world.charge.id}`
    await stage.sql`update transfers set inclusion = 'orphaned' where charge_id = ${world.charge.id}`
  }

  /**
   * Creates a charge that was paid in time but whose payment Ponder no longer shows. Without the payment, the charge
   * would expire now.
   */
  async function missPayment(random: Random): Promise<World> {
    const charge = await stage.addCharge({ expiresAt: secondsFromNow(-20), acceptedPayments: ['USDC/base'] })
    const paidIn = await stage.pay(charge, { timestamp: nowSeconds() - 40 })
    await stage.sql`update transfers set inclusion = 'missing', missing_since = now() where tx_hash = ${paidIn}`
    await stage.moveHead({ number: HEAD, confirmedHeadTimestamp: nowSeconds() })
    return {
      charge,
      paidIn,
      heads: { honest: { number: HEAD + 3, ageSeconds: 0 }, foreign: headAbove(random) },
    }
  }

  /**
   * Creates an unpaid charge. The head of the other chain is either old, as if the charge's chain had stopped before
   * the deadline, or above ours.
   */
  async function stopOtherChain(random: Random): Promise<World> {
    const charge = await stage.addCharge({
      expiresAt: secondsFromNow(-1_000),
      acceptedPayments: ['USDC/base'],
    })
    await stage.moveHead({ number: HEAD, confirmedHeadTimestamp: nowSeconds() - 2_000 })
    const honest = { number: HEAD + 3, ageSeconds: 0 }
    const isStopped = random.integer(2) === 0
    return {
      ...{ charge, paidIn: null },
      heads: { honest, foreign: isStopped ? { number: HEAD, ageSeconds: 5_000 } : headAbove(random) },
    }
  }
})

function headAbove(random: Random): Head {
  return { number: HEAD + 1 + random.integer(10_000), ageSeconds: random.integer(2_000) }
}

/** Expects no data of the other chain in reads that need only one node. A failed read is allowed. */
async function expectHonest(
  ponder: EIP1193RequestFn | undefined,
  rpcUrls: readonly string[],
  situation: string,
): Promise<void> {
  const client = createChainClient({ chainId: OURS, rpcUrls })
  const call = (method: string, params: readonly unknown[]) =>
    ponder?.({ method, params } as never) as Promise<never>
  const [block, logs, fees, nonce] = await Promise.allSettled([
    call('eth_getBlockByNumber', ['latest', true]) as Promise<{ hash: Hex }>,
    call('eth_getLogs', [{ topics: [TRANSFER_TOPIC], fromBlock: '0x0', toBlock: '0x64' }]) as Promise<
      unknown[]
    >,
    quoteFees(chainAt(rpcUrls, { chainId: OURS }), {
      maxFeePerGasWei: 10n ** 18n,
      maxTipPerGasWei: 10n ** 18n,
    }),
    client.getTransactionCount({ address: KEEPER }),
  ])
  if (block.status === 'fulfilled') expect(block.value.hash, situation).to.equal(HONEST.hash)
  if (logs.status === 'fulfilled') expect(logs.value, situation).to.deep.equal([])
  if (fees.status === 'fulfilled') expect(fees.value.maxPriorityFeePerGas, situation).to.equal(HONEST.fee)
  if (nonce.status === 'fulfilled') expect(nonce.value, situation).to.equal(HONEST.nonce)
}

type Character = typeof HONEST | typeof FOREIGN

/** Returns the rule of a node of that chain. The random numbers determine which requests fail in this step, and how. */
function behave(
  node: Character,
  { world, random, head }: { readonly world: World; readonly random: Random; readonly head: Head },
): (method: string, params: readonly unknown[]) => RpcFate {
  const failure = random.pick<RpcFate>([
    ...(['error', 'error', 'lose-answer'] as const),
    ...[{ error: { code: -32000, message: 'header not found' } }, { result: undefined }],
  ])
  const pattern = random.pick(['well', 'all', 'all but its id', 'some'])
  const honesty = node.chainId === OURS
  return (method) => {
    if (method === 'eth_chainId' && pattern === 'all but its id') return { result: toHex(node.chainId) }
    if (pattern === 'all' || pattern === 'all but its id') return failure
    if (pattern === 'some' && random.integer(3) === 0) return failure
    return { result: answer(method, { node, head, world, isHonest: honesty }) }
  }
}

type Answering = {
  readonly node: Character
  readonly head: Head
  readonly world: World
  readonly isHonest: boolean
}

function answer(method: string, { node, head, world, isHonest }: Answering): unknown {
  const { charge, paidIn } = world
  const place = { blockNumber: toHex(90), blockHash: node.hash, transactionIndex: '0x0', logIndex: '0x0' }
  const log = (hash: Hex) => ({
    ...{
      ...place,
      address: USDC,
      transactionHash: hash,
      data: toHex(10_000_000n, { size: 32 }),
      removed: false,
    },
    topics: [TRANSFER_TOPIC, toTopic(KEEPER), toTopic(charge.address)],
  })
  switch (method) {
    case 'eth_chainId':
      return toHex(node.chainId)
    case 'eth_blockNumber':
      return toHex(head.number)
    case 'eth_getBlockByNumber':
      return {
        ...{
          number: toHex(head.number),
          hash: node.hash,
          logsBloom: toHex(0, { size: 256 }),
          transactions: [],
        },
        ...{ timestamp: toHex(nowSeconds() - head.ageSeconds), baseFeePerGas: toHex(BASE_FEE) },
      }
    case 'eth_getTransactionReceipt':
      return isHonest && paidIn !== null
        ? { ...place, transactionHash: paidIn, status: '0x1', type: '0x2', logs: [log(paidIn)] }
        : null
    case 'eth_getLogs':
      return isHonest ? [] : [log(FOREIGN.hash)]
    case 'eth_maxPriorityFeePerGas':
      return toHex(node.fee)
    case 'eth_gasPrice':
      return toHex(node.fee + BASE_FEE) // viem derives the tip from this value if the node does not return it.
    case 'eth_getTransactionCount':
      return toHex(node.nonce)
    default:
      return '0x'
  }
}

function deploymentOf(rpcUrls: readonly string[]): DeploymentConfig {
  return {
    ...{ network: 'base', environment: 'live', family: 'evm', chainId: OURS, ...nodesAt(rpcUrls) },
    ...{ confirmations: 3, finalityBlocks: 30, startBlock: 0, blockTimeMs: 1_000, pollingIntervalMs: 100 },
    tokens: [{ token: 'USDC', address: USDC, decimals: 6, enabled: true, restriction: null }],
  }
}
