import { expect } from 'chai'
import { parseTransaction } from 'viem'
import type { RelayerCall } from '../../../indexer/relayer/relayer-context.ts'
import {
  type RelayerTransactionRow,
  reopenTransactions,
} from '../../../shared/db/relayer/daemon/relayer-transactions.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import { encodeDistribution } from '../../../shared/domain/distribution-call.ts'
import { chargeSalt, SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import {
  addressOf,
  type Cast,
  CONFIRMATIONS,
  GRACE_SECONDS,
  type PaidCharge,
  type Stage,
} from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'

const RELAYER = addressOf(ACCOUNTS.relayer.address)

/** Gas below the cost of any transaction, so that every node rejects the transaction. */
const TOO_LITTLE_GAS = 1000n
const REFUSED_SECONDS = 300

describe('a nonce whose transaction can never be mined, or must no longer be mined', function () {
  this.timeout(240_000)

  let stage: Stage
  let charge: PaidCharge
  let cast: Cast

  stageForEach(async (fresh) => {
    stage = fresh
    charge = await stage.pay({ amount: 10_000_000n })
    cast = stage.cast()
  })

  it('is used by an empty transfer to our own account, so that transactions with higher nonces are mined', async () => {
    await sign({ gas: TOO_LITTLE_GAS })
    const other = await stage.pay({ amount: 5_000_000n })
    stage.advance(GRACE_SECONDS)
    await stage.sql`update payouts set next_attempt_at = 'infinity' where charge_id = ${charge.chargeId}`
    await cast.turn()
    await relayFor(REFUSED_SECONDS)
    await stage.mine()
    expect(await stage.balanceOf(other.splitAddress)).to.equal(0n)

    const transactions = await stage.relayerTransactions()
    const [empty] = transactions.filter(({ nonce, status }) => nonce === 0 && status !== 'replaced')
    const { to, value, data, nonce } = parseTransaction(empty?.rawTransaction ?? '0x')
    expect({ to, value, data, nonce: nonce ?? 0 }).to.deep.equal({
      ...{ to: RELAYER, value: undefined, data: undefined, nonce: 0 },
    })
    expect(await stage.node.getTransactionCount({ address: RELAYER })).to.equal(2)
  })

  it('does not move money, and its payout’s attempt fails only once the empty transfer is confirmed', async () => {
    stage.advance(GRACE_SECONDS)
    await claimed()
    await sign({ gas: TOO_LITTLE_GAS })
    await relayFor(REFUSED_SECONDS)
    await cast.turn()
    const nonces = (await stage.relayerTransactions()).map(({ nonce }) => nonce)
    expect(new Set(nonces), 'no other transaction is signed').to.deep.equal(new Set([0]))

    await stage.mine(CONFIRMATIONS)
    await cast.relayer.turn()
    expect(await statuses()).to.deep.equal(['reverted'])
    await cast.turn()
    expect(await stage.payoutOf(charge)).to.include({
      ...{ status: 'pending', attempts: 1, lastError: 'transaction was reverted' },
    })
    stage.advance(30)
    await cast.turn()
    await stage.mine()
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
  })

  it('keeps its transaction while our account cannot pay for it, because the transaction itself is valid', async () => {
    const balance = await stage.node.getBalance({ address: RELAYER })
    await stage.node.setBalance({ address: RELAYER, value: 1n })
    await sign({})
    await relayFor(2 * REFUSED_SECONDS)
    expect(await statuses()).to.deep.equal(['signed'])
    await stage.node.setBalance({ address: RELAYER, value: balance })
    await relayFor(60)
    await stage.mine()
    expect(await stage.node.getTransactionCount({ address: RELAYER })).to.equal(1)
  })

  it('keeps its transaction while one of two nodes accepts it, even if the other node rejects it', async () => {
    const proxy = await startRpcProxy(stage.rpcUrl)
    proxy.rule((method) => {
      if (method === 'eth_sendRawTransaction') return { error: { code: -32000, message: 'not this one' } }
      return method === 'eth_getTransactionByHash' ? { result: null } : 'pass'
    })
    const two = stage.cast({ rpcUrls: [proxy.url, stage.rpcUrl] })
    await sign({})
    await relayFor(2 * REFUSED_SECONDS, two)
    expect(await statuses()).to.not.include('reverted')
    expect(await emptied()).to.deep.equal([])
    await stage.mine()
    expect(await stage.node.getTransactionCount({ address: RELAYER })).to.equal(1)
    await proxy.stop()
  })

  it('is used by an empty transfer once the transaction has expired, because lower gas prices could include it hours later', async () => {
    const validUntil = new Date(stage.time.now.getTime() + 300_000)
    const order = await sign({ validUntil })
    await relayFor(299)
    expect(await emptied()).to.deep.equal([])
    stage.advance(1)
    await cast.relayer.turn()
    expect(await emptied()).to.have.length(1)
    await stage.mine(CONFIRMATIONS)
    await cast.relayer.turn()
    expect(await stage.node.getTransactionCount({ address: RELAYER })).to.equal(1)
    expect(await statuses()).to.deep.equal(['reverted'])
    const receipt = await stage.node.getTransactionReceipt({ hash: order.txHash }).catch(() => null)
    expect(receipt, 'receipt of the order').to.equal(null)
  })

  it('is used by an empty transfer even if its gas price exceeds our fee ceiling', async () => {
    const dear = 3_000_000_000n
    const gasBounds = { maxFeePerGasWei: 2_000_000_000n, maxTipPerGasWei: 2_000_000_000n }
    const capped = stage.cast({ relayerTerms: { gasBounds } })
    await sign({ validUntil: stage.time.now }, capped)
    await stage.node.setNextBlockBaseFeePerGas({ baseFeePerGas: dear })
    await stage.mine()
    await relayFor(1, capped)
    await stage.node.setNextBlockBaseFeePerGas({ baseFeePerGas: dear })
    await stage.mine()
    expect(await stage.node.getTransactionCount({ address: RELAYER })).to.equal(1)
    expect(await emptied()).to.have.length(1)
  })

  it('belongs to the first transaction again if that transaction was mined after all', async () => {
    const order = await sign({ validUntil: stage.time.now })
    await cast.relayer.turn()
    await stage.emptyPool()
    await stage.node.sendRawTransaction({ serializedTransaction: order.rawTransaction })
    await stage.mine(CONFIRMATIONS)
    await cast.relayer.turn()
    await cast.relayer.turn()
    expect(await statuses()).to.deep.equal(['final'])
  })

  it('keeps the empty transfer if that transfer is reopened, as after a deep reorganization', async () => {
    await sign({ gas: TOO_LITTLE_GAS })
    await relayFor(REFUSED_SECONDS)
    await stage.mine(CONFIRMATIONS)
    await cast.relayer.turn()
    const key = { chainId: 31337, relayer: addressOf(RELAYER.toLowerCase()) }
    expect(await reopenTransactions(stage.daemonSql, { ...key, fromNonce: 0 })).to.equal(1)
    await cast.relayer.turn()
    await cast.relayer.turn()
    expect(await statuses()).to.deep.equal(['reverted'])
  })

  /** Assigns the payout to a worker that is about to sign. */
  async function claimed(): Promise<void> {
    await stage.sql`
      update payouts set status = 'processing', attempts = 1, processing_started_at = ${stage.time.now},
        next_attempt_at = ${stage.time.now}`
  }

  /** Signs the payout's call as a worker does, and broadcasts it. */
  async function sign(call: Partial<RelayerCall>, by = cast): Promise<RelayerTransactionRow> {
    const { id: payoutId } = await stage.payoutOf(charge)
    const { split, chargeId } = charge
    const data = encodeDistribution({
      split,
      salt: chargeSalt(chargeId),
      token: stage.token,
      distributor: RELAYER,
    })
    const whole = { to: SPLIT_FACTORY, data, gas: 1_000_000n, payoutId, ...call }
    const quote = await by.relayer.quote(whole)
    const signed = await inTransaction(stage.daemonSql, (db) => by.relayer.sign(db, whole, quote))
    if (signed === null) throw new Error('no transaction was signed')
    await by.relayer.broadcast(signed)
    return signed
  }

  async function relayFor(seconds: number, by = cast): Promise<void> {
    for (let left = seconds; left > 0; left -= 30) {
      stage.advance(Math.min(30, left))
      await by.relayer.turn()
    }
  }

  /** Returns the statuses of the transactions that were not replaced, in the order of their nonces. */
  async function statuses(): Promise<readonly string[]> {
    const transactions = await stage.relayerTransactions()
    return transactions.flatMap(({ status }) => (status === 'replaced' ? [] : [status]))
  }

  async function emptied() {
    return stage.sql`select tx_hash from relayer_transactions where is_cancellation`
  }
})
