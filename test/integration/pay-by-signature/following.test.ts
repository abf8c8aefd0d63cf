import { expect } from 'chai'
import { toHex, zeroHash } from 'viem'
import { createAuthorizationMetrics } from '../../../indexer/pay-by-signature/authorization-metrics.ts'
import { createChainPayBySignature } from '../../../indexer/pay-by-signature/chain-pay-by-signature.ts'
import { lockOpenAuthorizationRequests } from '../../../shared/db/pay-by-signature/authorization-requests.ts'
import { lockInFlightAuthorizations } from '../../../shared/db/pay-by-signature/daemon/authorizations.ts'
import { micro } from '../../../shared/domain/money.ts'
import type { IndexerDeployment } from '../../../shared/runtime/indexer-config.ts'
import { createMetrics } from '../../../shared/runtime/metrics.ts'
import type { PayBySignatureConfig } from '../../../shared/runtime/pay-by-signature-config.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import {
  AUTHORIZER,
  createPayBySignatureFixture,
  type OpenCharge,
  OTHER_PAYER,
  type PayBySignatureFixture,
} from '../../support/pay-by-signature-fixture.ts'
import { CONFIRMATIONS, GAS_BOUNDS, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { requestRpc } from '../../support/request-rpc.ts'
import { STALE_AFTER } from '../../support/rows.ts'
import { type RpcFate, type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const NOT_SENT = () => Promise.resolve()
const CHAIN_ID = 31337

/** Tests that tracking finds every payment and limits its node requests. */
describe('tracking of payments by signature on a chain', function () {
  this.timeout(60_000)
  let stage: Stage
  let signing: PayBySignatureFixture
  let charge: OpenCharge
  let proxy: RpcProxy
  let logsAsked: number

  stageForEach(async (fresh) => {
    stage = fresh
    signing = await createPayBySignatureFixture(stage)
    charge = await stage.openCharge()
    proxy = await startRpcProxy(stage.rpcUrl)
    logsAsked = 0
    proxy.rule((method) => {
      if (method === 'eth_getLogs') logsAsked += 1
      return 'pass'
    })
  })
  afterEach(async () => {
    await proxy.stop()
    await signing.close()
  })

  it('queries logs once per interval, and additionally when our transaction has changed', async () => {
    await signing.ask(charge)
    const { turn, follow, relayer } = signing.cast({ rpcUrls: [proxy.url], lookSeconds: 60 })
    const followed = async (): Promise<number> => {
      for (let count = 1; count <= 5; count += 1) await follow()
      return logsAsked
    }
    await turn()
    expect(await followed()).to.equal(1)
    await stage.mine()
    expect(await followed(), 'before the relayer has read the receipt').to.equal(1)
    await relayer.turn()
    expect(await followed(), 'ours is mined').to.equal(2)
    await stage.sql`update authorizations set last_checked_at = last_checked_at - interval '61 seconds'`
    expect(await followed(), 'a minute later').to.equal(3)
  })

  it('queries the logs of no block after the window', async () => {
    await signing.ask(charge)
    await signing.cast({ broadcast: NOT_SENT }).turn()
    await pass(301)
    await stage.mine(1_100)
    await signing.cast({ rpcUrls: [proxy.url] }).follow()
    expect(logsAsked).to.equal(1)
  })

  it('queries at most as many blocks as a window can span, even if a node reports more', async () => {
    await signing.ask(charge)
    await signing.cast({ broadcast: NOT_SENT }).turn()
    const head = toHex((await stage.node.getBlockNumber()) + 100_000n)
    proxy.rule((method) => {
      if (method === 'eth_blockNumber') return { result: head }
      // Every block seems to be as old as block 1, so none is after the window.
      if (method === 'eth_getBlockByNumber') return { params: ['0x1', false] }
      if (method !== 'eth_getLogs') return 'pass'
      logsAsked += 1
      return { result: [] }
    })
    await signing.cast({ rpcUrls: [proxy.url] }).follow()
    expect(logsAsked).to.be.within(4, 6)
  })

  it('queries no receipt if a node returns more logs than one nonce can have', async () => {
    await signing.ask(charge)
    await signing.cast({ broadcast: NOT_SENT }).turn()
    const log = { address: stage.token, topics: [], data: '0x', transactionHash: zeroHash }
    let receiptsAsked = 0
    proxy.rule((method) => {
      if (method === 'eth_getTransactionReceipt') receiptsAsked += 1
      return method === 'eth_getLogs' ? { result: Array.from({ length: 1_000 }, () => log) } : 'pass'
    })
    await signing.cast({ rpcUrls: [proxy.url] }).follow()
    expect(receiptsAsked).to.equal(0)
  })

  it('finds a payment although a node reported a wrong head at its submission', async () => {
    await tellOfNewest({ number: toHex((await stage.node.getBlockNumber()) + 1_000_000n) })
    const written = await signing.sign(charge)
    const request = (await signing.request(charge, written)) ?? ''
    await signing.cast({ rpcUrls: [proxy.url], broadcast: NOT_SENT }).turn()
    const txHash = await signing.sendAsStranger(written)
    await stage.mine()
    await signing.cast().follow()
    expect(await signing.answerOf(request)).to.deep.equal({ outcome: 'mined', txHash })
  })

  it('does not submit a payment while the newest block is stale, but once a node returns a recent block', async () => {
    const request = await signing.ask(charge)
    await tellOfNewest({ timestamp: toHex(Math.floor(stage.time.now.getTime() / 1000) - 601) })
    await signing.cast({ rpcUrls: [proxy.url] }).turn()
    expect(await signing.authorizations()).to.deep.equal([])
    expect(await signing.answerOf(request)).to.equal(null)
    await signing.cast().turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  const UNSEARCHABLE: readonly (readonly [string, RpcFate])[] = [
    ['returns its logs', { result: [] }],
    ['responds to log queries', 'error'],
  ]
  for (const [title, fate] of UNSEARCHABLE)
    it(`finds a payment by the receipt of our own transaction if no node ${title}`, async () => {
      const request = await signing.ask(charge)
      const { turn, relayer } = signing.cast()
      await turn()
      await stage.mine()
      await relayer.turn()
      proxy.rule((method) => (method === 'eth_getLogs' ? fate : 'pass'))
      await signing.cast({ rpcUrls: [proxy.url] }).follow()
      expect(await signing.answerOf(request)).to.deep.include({ outcome: 'mined' })
    })

  it('does not query logs from before the earliest possible signing', async () => {
    await stage.mine(1_100)
    await pass(1_200)
    const written = await signing.sign(charge)
    await signing.sendAsStranger(written)
    await stage.mine()
    await signing.request(charge, written)
    await signing.cast({ rpcUrls: [proxy.url] }).turn()
    expect(logsAsked, 'fifteen minutes of one-second blocks, in one range').to.equal(1)
  })

  it('checks the least recently checked payment first', async () => {
    await signing.ask(charge)
    await signing.ask(await stage.openCharge(), { payer: OTHER_PAYER })
    await signing.cast({ broadcast: NOT_SENT }).turn()
    const query = { chainId: CHAIN_ID, limit: 1, lookSeconds: 0 }
    const looked: (number | undefined)[] = []
    for (let look = 1; look <= 4; look += 1)
      looked.push((await lockInFlightAuthorizations(stage.daemonSql, query))[0]?.id)
    const [first, second] = looked
    expect(first).to.not.equal(second)
    expect(looked).to.deep.equal([first, second, first, second])
  })

  it('tracks a payment with the nodes that respond, even if the receipt of another payment is unreadable', async () => {
    const wrong = await signing.ask(charge)
    const right = await signing.ask(await stage.openCharge(), { payer: OTHER_PAYER })
    await signing.cast().turn()
    await stage.mine()
    const first = (await signing.authorizations()).find(({ requestId }) => requestId === wrong)
    const method = 'eth_getTransactionReceipt'
    const receipt: unknown = await stage.node.request({ method, params: [first?.txHash] } as never)
    const result = { ...(receipt as object), effectiveGasPrice: '0xno' }
    proxy.rule((asked, [hash]) => (asked === method && hash === first?.txHash ? { result } : 'pass'))
    await signing.cast({ rpcUrls: [proxy.url] }).follow()
    expect(await signing.answerOf(wrong)).to.equal(null)
    expect(await signing.answerOf(right)).to.deep.include({ outcome: 'mined' })

    proxy.rule((asked) => (asked === 'eth_getLogs' ? { result: [null] } : 'pass'))
    const third = await startRpcProxy(stage.rpcUrl)
    await signing.cast({ rpcUrls: [proxy.url, stage.rpcUrl, third.url] }).follow()
    await third.stop()
    expect(await signing.answerOf(wrong)).to.deep.include({ outcome: 'mined' })
  })

  it('serves organizations in rotation, so that no organization delays another', async () => {
    await stage.copyCharge(charge, 30)
    const other = await stage.pay({
      amount: 1n,
      organizationId: 'org_2',
      isOnChain: false,
      status: 'underpaid',
    })
    await stage.sql`
      insert into requests (id, kind, organization_id, charge_id, payload, created_at)
      select id, 'authorization', organization_id, id, json_build_object('chainId', ${CHAIN_ID}::int),
        now() - case when id = ${other.chargeId} then interval '1 second' else interval '10 seconds' end
      from charges where id <> ${charge.chargeId}`
    const query = { chainId: CHAIN_ID, limit: 2, retrySeconds: 0 }
    const listed = await lockOpenAuthorizationRequests(stage.daemonSql, query)
    expect(listed.map(({ chargeId }) => chargeId)).to.include(other.chargeId)
  })

  it('rotates payments, so that blocked payments do not delay newer payments', async () => {
    await stage.copyCharge(charge, 30)
    await stage.sql`
      insert into requests (id, kind, organization_id, charge_id, payload, created_at)
      select id, 'authorization', organization_id, id, json_build_object('chainId', ${CHAIN_ID}::int),
        now() - interval '10 seconds'
      from charges where id <> ${charge.chargeId}`
    const query = { chainId: CHAIN_ID, limit: 20, retrySeconds: 0 }
    for (let turn = 1; turn <= 2; turn += 1) await lockOpenAuthorizationRequests(stage.daemonSql, query)
    await signing.ask(charge)
    const taken = await lockOpenAuthorizationRequests(stage.daemonSql, query)
    expect(taken.map(({ chargeId }) => chargeId)).to.include(charge.chargeId)
  })

  for (const [title, config] of [
    ['the configuration is removed', null],
    ['its network is no longer configured', { ...configOf(), networks: ['polygon'] as const }],
  ] as const) {
    it(`tracks a payment to its end although ${title}`, async () => {
      const request = await signing.ask(charge)
      await signing.cast({ broadcast: NOT_SENT }).turn()
      await pass(301)
      const unserved = await signing.ask(await stage.openCharge(), { payer: OTHER_PAYER })
      const { loops } = createChainPayBySignature({
        ...{ sql: stage.daemonSql, deployment: deploymentOf(stage), config, clock: () => stage.time.now },
        ...{
          staleAfter: STALE_AFTER,
          log: recordingLog().log,
          metrics: createAuthorizationMetrics(createMetrics({ service: 'test' }))(CHAIN_ID),
        },
      })
      for (const loop of loops) loop.start()
      const ended = waitFor(() => signing.answerOf(request), {
        what: 'the request to end',
        timeoutMs: 20_000,
      })
      const [outcome] = await Promise.allSettled([ended])
      for (const loop of loops) await loop.stop()
      const answer = outcome.status === 'fulfilled' ? outcome.value : outcome.reason
      expect(answer).to.deep.include({ param: 'validBefore' })
      expect(await signing.answerOf(unserved), 'no new payment is accepted').to.equal(null)
      expect(await signing.authorizations()).to.have.length(1)
    })
  }

  /** Makes the node report a newest block with these wrong fields. */
  async function tellOfNewest(wrong: object): Promise<void> {
    const newest = await requestRpc(stage.rpcUrl, 'eth_getBlockByNumber', ['latest', false])
    const result = { ...(newest as { readonly number: string }), ...wrong }
    proxy.rule((method, [first, block]) => {
      if (method === 'eth_blockNumber') return { result: result.number }
      if (method === 'eth_call' && block === result.number) return { params: [first, 'latest'] }
      return method === 'eth_getBlockByNumber' && first === result.number ? { result } : 'pass'
    })
  }

  async function pass(seconds: number): Promise<void> {
    stage.advance(seconds)
    await stage.node.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(stage.time.now.getTime() / 1000)) })
    await stage.mine(CONFIRMATIONS)
  }
})

function configOf(): PayBySignatureConfig {
  return {
    relayerPrivateKey: AUTHORIZER.privateKey,
    networks: ['base'],
    dailyGasLimit: 100_000_000,
    minimumMicroOf: () => micro(1_000_000n),
  }
}

/** Returns the fields of the deployment that tracking needs. */
function deploymentOf({ rpcUrl, token }: Stage): IndexerDeployment {
  return {
    ...{ network: 'base', environment: 'live', chainId: CHAIN_ID, ...nodesAt([rpcUrl]) },
    ...{
      confirmations: CONFIRMATIONS,
      blockTimeMs: 1_000,
      gasBounds: GAS_BOUNDS,
      dataFee: { model: 'none' },
    },
    tokens: [
      { token: 'USDC', address: token, enabled: true, authorization: { name: 'USD Coin', version: '2' } },
    ],
  } as unknown as IndexerDeployment
}
