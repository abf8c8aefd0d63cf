import { expect } from 'chai'
import { type Hex, keccak256 } from 'viem'

import { ACCOUNTS, toSigner } from '../../devnet/accounts.ts'
import {
  addressOf,
  CONFIRMATIONS,
  catchMessage,
  GRACE_SECONDS,
  type PaidCharge,
  type Stage,
  type TestChain,
} from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const RELAYER = addressOf(ACCOUNTS.relayer.address)
const KILLED = () => Promise.reject(new Error('killed'))

describe('the relayer', () => {
  let chain: TestChain
  let stage: Stage
  const proxies: RpcProxy[] = []

  stageForEach((fresh, its) => {
    stage = fresh
    chain = its
  })

  afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.stop())))

  it('broadcasts the exact bytes that it committed if it was killed before the broadcast', async () => {
    const charge = await payOne()
    expect(await catchMessage(stage.cast({ broadcast: KILLED }).turn())).to.equal('killed')
    const [committed] = await stage.relayerTransactions()
    expect(await isKnown(committed?.txHash), 'no node has received it').to.equal(false)

    const { relayer, turn } = stage.cast()
    await Promise.all([relayer.turn(), turn()])
    await stage.mine()
    expect(await isKnown(committed?.txHash)).to.equal(true)
    expect(await stage.relayerTransactions()).to.have.length(1)
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
  })

  it('needs no second transaction if it was killed between broadcasting a transaction and recording the broadcast', async () => {
    const charge = await payOne()
    const { broadcast } = stage.cast().relayer
    const killedAfter = stage.cast({ broadcast: (transaction) => broadcast(transaction).then(KILLED) })
    expect(await catchMessage(killedAfter.turn())).to.equal('killed')
    await stage.sql`update relayer_transactions set last_broadcast_at = null`

    const { relayer, turn } = stage.cast()
    await relayer.turn() // The node responds that it already has these bytes, which is not an outcome.
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    await turn()
    expect(await stage.node.getTransactionCount({ address: RELAYER })).to.equal(1)
    expect((await stage.relayerTransactions()).map(({ status }) => status)).to.deep.equal(['final'])
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
  })

  it('stores the hash of the stored bytes', async () => {
    await payOne()
    await stage.cast().turn()
    const [sent] = await stage.relayerTransactions()
    expect(keccak256(sent?.rawTransaction ?? '0x')).to.equal(sent?.txHash)
  })

  it('has at most eight unmined transactions in nonce order, and signs more once these are mined', async () => {
    await payMany(10)
    const { relayer, turn } = stage.cast()
    await turn()
    await turn()
    expect((await stage.relayerTransactions()).map(({ nonce }) => nonce)).to.deep.equal([
      0, 1, 2, 3, 4, 5, 6, 7,
    ])
    expect(await relayer.countFree()).to.equal(0)

    await stage.mine()
    await relayer.turn()
    await turn()
    await stage.mine()
    const sent = await stage.relayerTransactions()
    expect(sent.map(({ nonce }) => nonce)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(new Set(sent.map(({ payoutId }) => payoutId)).size).to.equal(10)
    expect(await stage.node.getTransactionCount({ address: RELAYER })).to.equal(10)
  })

  it('continues from the chain’s nonce, even after another holder of the key has sent a transaction', async () => {
    await sendAsStranger(0)
    await stage.mine()
    const { turn } = stage.cast()
    await payOne()
    await turn()
    await stage.mine()
    await sendAsStranger(2)
    await stage.mine()
    await payOne()
    await turn()
    expect((await stage.relayerTransactions()).map(({ nonce }) => nonce)).to.deep.equal([1, 3])
  })

  it('resolves a transaction only at the confirmation depth', async () => {
    await payOne()
    const { relayer, turn } = stage.cast()
    await turn()
    const seen: (string | undefined)[] = []
    for (let depth = 1; depth <= CONFIRMATIONS; depth += 1) {
      await stage.mine()
      await relayer.turn()
      seen.push((await stage.relayerTransactions())[0]?.status)
    }
    expect(seen).to.deep.equal(['mined', 'mined', 'final'])
  })

  it('sends a transaction again after a reorganization has removed it', async () => {
    const charge = await payOne()
    const { relayer, turn } = stage.cast()
    await turn()
    const beforeMining = await chain.node.snapshot()
    await stage.mine()
    await relayer.turn()
    expect((await stage.relayerTransactions())[0]?.status).to.equal('mined')

    await chain.reset(beforeMining)
    await relayer.turn()
    expect((await stage.relayerTransactions())[0]?.status).to.equal('signed')
    stage.advance(31)
    await relayer.turn()
    await stage.mine()
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('follows a transaction that a reorganization moves to another block, and waits for the confirmation of that block', async () => {
    await payOne()
    const { relayer, turn } = stage.cast()
    await turn()
    const beforeMining = await chain.node.snapshot()
    await stage.mine()
    await relayer.turn()
    const [mined] = await stage.relayerTransactions()
    await chain.reset(beforeMining)
    await stage.mine()
    await stage.node.sendRawTransaction({ serializedTransaction: mined?.rawTransaction ?? '0x' })
    await stage.mine(CONFIRMATIONS - 1)
    await relayer.turn()
    const { blockNumber } = await stage.node.getTransactionReceipt({ hash: mined?.txHash ?? '0x' })
    const [moved] = await stage.sql`select status, block_number from relayer_transactions`
    expect(moved).to.deep.equal({ status: 'mined', blockNumber: Number(blockNumber) })
    await stage.mine()
    await relayer.turn()
    expect((await stage.relayerTransactions())[0]?.status).to.equal('final')
  })

  it('reopens a final transaction if a deeper reorganization leaves its nonce missing', async () => {
    const first = await payOne()
    const { relayer, turn, metricsText } = stage.cast()
    await turn()
    const beforeMining = await chain.node.snapshot()
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    expect((await stage.relayerTransactions())[0]?.status).to.equal('final')
    await chain.reset(beforeMining)
    await stage.mine(CONFIRMATIONS)

    const second = await payOne()
    await turn()
    await relayer.turn() // Finds nonce 1 waiting and nonce 0 missing.
    expect(countChanges(await metricsText())).to.deep.equal({ signed: 3, final: 1 })
    stage.advance(31)
    await relayer.turn()
    await stage.mine()
    expect(await stage.node.getTransactionCount({ address: RELAYER })).to.equal(2)
    expect(await stage.balanceOf(first.splitAddress)).to.equal(0n)
    expect(await stage.balanceOf(second.splitAddress)).to.equal(0n)
  })

  it('ignores the responses of a node that is still catching up', async () => {
    await payOne()
    const { turn, relayer } = stage.cast()
    await turn()
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    const proxy = await startRpcProxy(stage.rpcUrl)
    proxy.rule((method) =>
      ['eth_blockNumber', 'eth_getTransactionCount'].includes(method) ? { result: '0x0' } : 'pass',
    )
    await stage.cast({ rpcUrl: proxy.url }).relayer.turn()
    await proxy.stop()
    expect((await stage.relayerTransactions()).map(({ status }) => status)).to.deep.equal(['final'])
  })

  it('does not read a nonce from a node of another chain', async () => {
    const proxy = await startRpcProxy(stage.rpcUrl)
    proxy.rule((method) => (method === 'eth_chainId' ? { result: '0x2105' } : 'pass'))
    const { relayer } = stage.cast({ rpcUrl: proxy.url })
    expect(await catchMessage(relayer.quote({ to: RELAYER, data: '0x', gas: 21_000n }))).to.include(
      'serves chain 8453, not 31337',
    )
    await proxy.stop()
  })

  it('replaces a stuck transaction at the same nonce', async () => {
    const charge = await payOne()
    const { relayer, turn } = stage.cast()
    await turn()
    stage.advance(180)
    await relayer.turn()
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    const sent = await stage.relayerTransactions()
    expect(sent.map(({ nonce, status }) => ({ nonce, status }))).to.deep.equal([
      { nonce: 0, status: 'replaced' },
      { nonce: 0, status: 'final' },
    ])
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
  })

  it('never pays more than the fee ceiling, even if a transaction is stuck at that ceiling', async () => {
    await payOne()
    const maxFeePerGasWei = 5_000_000_000n
    const gasBounds = { maxFeePerGasWei, maxTipPerGasWei: maxFeePerGasWei }
    const { relayer, turn } = stage.cast({ relayerTerms: { gasBounds } })
    await stage.node.setNextBlockBaseFeePerGas({ baseFeePerGas: 4_900_000_000n })
    await stage.mine()
    await turn()
    for (let round = 1; round <= 5; round += 1) {
      stage.advance(180)
      await relayer.turn()
    }
    const [highest] = await stage.sql<
      { fee: bigint }[]
    >`select max(max_fee_per_gas) as fee from relayer_transactions`
    expect(highest?.fee).to.equal(maxFeePerGasWei)
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('detects that a replaced transaction was mined after all, and counts each change of a status', async () => {
    const charge = await payOne()
    const { relayer, turn, metricsText } = stage.cast()
    await turn()
    const [original] = await stage.relayerTransactions()
    stage.advance(180)
    await stage.node.dropTransaction({ hash: original?.txHash ?? '0x' })
    await relayer.turn()
    // The replacement is lost, and a node that still had the original mines it.
    await chain.emptyPool()
    await stage.node.sendRawTransaction({ serializedTransaction: original?.rawTransaction ?? '0x' })
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    await relayer.turn()
    expect((await stage.relayerTransactions()).map(({ status }) => status)).to.deep.equal([
      'final',
      'replaced',
    ])
    const changes = { signed: 2, replaced: 2, mined: 1, final: 1 }
    expect(countChanges(await metricsText())).to.deep.equal(changes)
    await turn()
    expect(await stage.payoutOf(charge)).to.include({ status: 'processing', attempts: 1 })
  })

  it('sends a replacement again if the replaced transaction was mined and then orphaned', async () => {
    const charge = await payOne()
    const { relayer, turn } = stage.cast()
    await turn()
    const [original] = await stage.relayerTransactions()
    stage.advance(180)
    await relayer.turn()
    await chain.emptyPool()
    const beforeMining = await chain.node.snapshot()
    await stage.node.sendRawTransaction({ serializedTransaction: original?.rawTransaction ?? '0x' })
    await stage.mine()
    await relayer.turn()
    await chain.reset(beforeMining)
    await stage.mine()
    await relayer.turn() // This turn finds the transaction missing.
    await relayer.turn() // This turn finds that the transaction is stuck, because it is old.
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    const sent = await stage.relayerTransactions()
    expect(
      sent.map(({ txHash, status }) => (txHash === original?.txHash ? 'original' : status)),
    ).to.deep.equal(['original', 'final'])
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
  })

  it('abandons a nonce that another holder of the key has used, and retries the payout', async () => {
    const charge = await payOne()
    const { relayer, turn } = stage.cast()
    expect(await catchMessage(stage.cast({ broadcast: KILLED }).turn())).to.equal('killed')
    await sendAsStranger(0)
    await stage.mine()
    await relayer.turn()
    expect((await stage.relayerTransactions())[0]?.status, 'before confirmation depth').to.equal('signed')
    await stage.mine(CONFIRMATIONS - 1)
    await relayer.turn()
    expect((await stage.relayerTransactions())[0]?.status).to.equal('replaced')
    await turn()
    expect(await stage.payoutOf(charge)).to.include({
      status: 'pending',
      lastError: 'transaction was replaced',
    })
    stage.advance(30)
    await turn()
    await stage.mine()
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
  })

  it('does not abandon a nonce while one of two nodes omits its receipt, no matter how long, until a third node decides', async () => {
    const charge = await payOne()
    const [forgetful, third] = [await startProxy(), await startProxy()]
    forgetful.rule((method) => (method === 'eth_getTransactionReceipt' ? { result: null } : 'pass'))
    const { relayer, turn } = stage.cast({ rpcUrls: [forgetful.url, stage.rpcUrl] })
    await turn()
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    stage.advance(3600)
    await relayer.turn()
    const statuses = async () => (await stage.relayerTransactions()).map(({ status }) => status)
    expect(await statuses()).to.deep.equal(['signed'])
    await stage.cast({ rpcUrls: [forgetful.url, stage.rpcUrl, third.url] }).relayer.turn()
    expect(await statuses()).to.deep.equal(['final'])
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
  })

  it('does not abandon a nonce while one of two nodes is silent, no matter how long, and broadcasts the same bytes again', async () => {
    await payOne()
    const [forgetful, silent] = [await startProxy(), await startProxy()]
    const offered: string[] = []
    forgetful.rule((method, [bytes]) => {
      if (method === 'eth_sendRawTransaction') offered.push(String(bytes))
      return method === 'eth_getTransactionReceipt' ? { result: null } : 'pass'
    })
    const { relayer, turn } = stage.cast({ rpcUrls: [forgetful.url, silent.url] })
    await turn()
    await stage.mine(CONFIRMATIONS)
    silent.rule(() => 'error')
    stage.advance(3600)
    // The head and the nonce are requested at the same time, and either request might fail first.
    expect(await catchMessage(relayer.turn())).to.match(/^no quorum on the (head|nonce of our account)/)
    const [sent] = await stage.relayerTransactions()
    expect(sent?.status).to.equal('signed')
    expect(offered).to.deep.equal([sent?.rawTransaction, sent?.rawTransaction])
  })

  it('does not abandon a nonce that only one node counts as used', async () => {
    await payOne()
    expect(await catchMessage(stage.cast({ broadcast: KILLED }).turn())).to.equal('killed')
    await stage.mine(CONFIRMATIONS)
    const liar = await startRpcProxy(stage.rpcUrl)
    liar.rule((method) => (method === 'eth_getTransactionCount' ? { result: '0x1' } : 'pass'))
    await stage.cast({ rpcUrls: [liar.url, stage.rpcUrl] }).relayer.turn()
    await liar.stop()
    expect((await stage.relayerTransactions()).map(({ status }) => status)).to.deep.equal(['signed'])
  })

  it('resolves each transaction as final if two processes check it simultaneously', async () => {
    await payMany(4)
    const [first, second] = [stage.cast(), stage.cast()]
    await first.turn()
    await stage.mine(CONFIRMATIONS)
    await Promise.all([first.relayer.turn(), second.relayer.turn()])
    expect((await stage.relayerTransactions()).map(({ status }) => status)).to.deep.equal([
      'final',
      'final',
      'final',
      'final',
    ])
  })

  /**
   * Starts a proxy that is stopped even if the test fails, because an open server would keep the process alive.
   */
  async function startProxy(): Promise<RpcProxy> {
    const proxy = await startRpcProxy(stage.rpcUrl)
    proxies.push(proxy)
    return proxy
  }

  async function payOne(): Promise<PaidCharge> {
    const charge = await stage.pay({ amount: 10_000_000n })
    stage.advance(GRACE_SECONDS)
    return charge
  }

  async function payMany(count: number): Promise<void> {
    for (let number = 1; number <= count; number += 1) await stage.pay({ amount: 10_000_000n })
    stage.advance(GRACE_SECONDS)
  }

  async function isKnown(hash: Hex | undefined): Promise<boolean> {
    const found = await stage.node.getTransaction({ hash: hash ?? '0x' }).catch(() => null)
    return found !== null
  }

  /** Sends a transaction with this nonce, as another holder of the relayer's key could. */
  async function sendAsStranger(nonce: number): Promise<void> {
    const account = toSigner(ACCOUNTS.relayer)
    await stage.wallet.sendTransaction({ account, to: RELAYER, value: 0n, nonce, gas: 21_000n })
  }
})

/** Returns the counted changes of transactions, by new status. */
function countChanges(metrics: string): Readonly<Record<string, number>> {
  const counts = metrics.matchAll(/^relayer_transactions_total\{.*status="(\w+)".*\} (\d+)$/gm)
  return Object.fromEntries([...counts].map(([, status = '', count]) => [status, Number(count)]))
}
