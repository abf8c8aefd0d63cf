import { expect } from 'chai'
import { type Hex, pad, parseTransaction } from 'viem'
import { readDoctorFacts } from '../../../shared/db/chain-facts/daemon/doctor-facts.ts'
import { expireUnservedAuthorizationRequests } from '../../../shared/db/pay-by-signature/authorization-requests.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { ACCOUNTS, deriveAccount, toSigner } from '../../devnet/accounts.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { cancelAuthorization } from '../../support/cancel-authorization.ts'
import {
  AUTHORIZER,
  createPayBySignatureFixture,
  type OpenCharge,
  OTHER_PAYER,
  PAYER,
  type PayBySignatureFixture,
  type Written,
} from '../../support/pay-by-signature-fixture.ts'
import {
  addressOf,
  CONFIRMATIONS,
  FIRST_IN_BLOCK,
  GRACE_SECONDS,
  type Stage,
  type TestChain,
} from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcRule, startRpcProxy } from '../../support/rpc-proxy.ts'

const KILLED = () => Promise.reject(new Error('killed'))
const NOT_SENT = () => Promise.resolve()
const WAITING = { what: 'the other payment’s transaction', timeoutMs: 50_000 }
const UNSPENT = `0x${'0'.repeat(64)}`
/** Whether the request calls `authorizationState`. */
const isState = (method: string, call: unknown): boolean => {
  const { data = '' } = Object(call) as { data?: string }
  return method === 'eth_call' && data.startsWith('0xe94a0102')
}

describe('a payment by signature', function () {
  this.timeout(60_000)
  let chain: TestChain
  let stage: Stage
  let signing: PayBySignatureFixture
  let charge: OpenCharge

  stageForEach(async (fresh, its) => {
    ;[stage, chain] = [fresh, its]
    signing = await createPayBySignatureFixture(stage)
    charge = await stage.openCharge()
  })
  afterEach(() => signing.close())

  it('is mined with our gas, but is credited only by the feed', async () => {
    const request = await signing.ask(charge)
    const { turn, follow, relayer } = signing.cast()
    await turn()
    expect(await signing.answerOf(request), 'in flight').to.equal(null)
    await stage.mine()
    await Promise.all([relayer.turn(), follow()])
    const [mined] = await signing.authorizations()
    expect(mined?.status).to.equal('mined')
    expect(await signing.answerOf(request)).to.deep.equal({ outcome: 'mined', txHash: mined?.txHash })
    expect(await stage.balanceOf(charge.address)).to.equal(10_000_000n)
    expect((await stage.chargeOf(charge)).status, 'nothing is credited by our receipt').to.equal('pending')

    await stage.settle()
    expect((await stage.chargeOf(charge)).status).to.equal('confirmed')
    await relayer.turn()
    await follow()
    expect(await statuses()).to.deep.equal(['final'])
    expect(await stage.node.getBalance({ address: PAYER.address }), 'the payer has no native coins').to.equal(
      0n,
    )
    expect(await stage.balanceOf(addressOf(PAYER.address))).to.equal(990_000_000n)
  })

  it('also pays the Safe of an escrow', async () => {
    const escrow = await stage.openCharge({ isEscrow: true })
    await signing.ask(escrow)
    await signing.cast().turn()
    await stage.mine()
    expect(await stage.balanceOf(escrow.address)).to.equal(10_000_000n)
  })

  it('must equal the remaining amount, even after a partial payment that is unconfirmed', async () => {
    await see(charge, 4_000_000n)
    const wrong = await signing.ask(charge)
    const { turn } = signing.cast()
    await turn()
    expect(await signing.answerOf(wrong)).to.deep.include({ code: 'authorization_invalid', param: 'value' })
    await signing.ask(charge, { value: 6_000_000n })
    await turn()
    await stage.mine()
    expect(await stage.balanceOf(charge.address)).to.equal(6_000_000n)
  })

  it('is not relayed if a transfer is detected during the simulation', async () => {
    const request = await signing.ask(charge)
    const proxy = await startRpcProxy(stage.rpcUrl)
    proxy.rule(async (method) => {
      if (method === 'eth_estimateGas') await see(charge, 10_000_000n)
      return 'pass' as const
    })
    await signing.cast({ rpcUrls: [proxy.url] }).turn()
    await proxy.stop()
    expect(await stage.relayerTransactions()).to.deep.equal([])
    expect(await statuses(), 'a node has received the signature').to.deep.equal(['signed'])
    expect(await signing.answerOf(request)).to.equal(null)
  })

  it('is not relayed while its network is stale', async () => {
    const request = await signing.ask(charge)
    await stage.sql`update deployments set max_head_at = now() - interval '10 minutes'`
    const { turn } = signing.cast()
    await turn()
    expect(await signing.answerOf(request)).to.deep.include({ code: 'payment_temporarily_unavailable' })
    expect(await stage.relayerTransactions()).to.deep.equal([])
  })

  it('is relayed once if two daemons claim it', async () => {
    await signing.ask(charge)
    await Promise.all([signing.cast().turn(), signing.cast().turn()])
    expect(await stage.relayerTransactions()).to.have.length(1)
    expect(await statuses()).to.deep.equal(['signed'])
  })

  it('is sent by another process if the first process was killed before the broadcast', async () => {
    const request = await signing.ask(charge)
    await signing.cast({ broadcast: KILLED }).turn()
    const { relayer, follow } = signing.cast()
    await relayer.turn()
    await stage.mine()
    await relayer.turn()
    await follow()
    expect(await signing.answerOf(request)).to.deep.include({ outcome: 'mined' })
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('is not relayed for a second payer while the first payer’s signature is in flight', async () => {
    await signing.ask(charge)
    const { turn, follow } = signing.cast({ broadcast: NOT_SENT })
    await turn()
    expect(await signing.request(charge, await signing.sign(charge, { payer: OTHER_PAYER }))).to.equal(null)
    await stage.sql`update requests set responded_at = now()` // Simulates that the API has deleted the first request.
    const second = await signing.ask(charge, { payer: OTHER_PAYER })
    await turn()
    await follow()
    expect(await signing.answerOf(second)).to.deep.include({ code: 'payment_in_progress' })
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('is not relayed for a second charge while another payment of the payer is in flight', async () => {
    await signing.ask(charge)
    const { turn } = signing.cast({ broadcast: NOT_SENT })
    await turn()
    const second = await signing.ask(await stage.openCharge())
    await turn()
    expect(await signing.answerOf(second)).to.deep.include({ code: 'payment_in_progress' })
  })

  it('is sent to nodes for only one of two charges if its payer submits both simultaneously', async () => {
    const other = await stage.openCharge()
    const requests = [await signing.ask(charge), await signing.ask(other)]
    const { turn } = signing.cast()
    // The lock makes both requests wait after they have read the payer's history.
    const turning = await stage.sql.begin(async (db) => {
      await db`lock table authorizations in share mode`
      const running = { turn: turn() }
      await waitFor(
        async () => {
          const [waiting] = await stage.sql`select count(*)::int as locks from pg_locks
            where not granted and database = (select oid from pg_database where datname = current_database())`
          return waiting?.['locks'] === 2
        },
        // PostgreSQL terminates a transaction that is idle for 15 s.
        { what: 'two statements to wait for a lock', timeoutMs: 14_000 },
      )
      return running
    })
    await turning.turn
    const answers = await Promise.all(requests.map(signing.answerOf))
    expect(answers.filter((answer) => answer !== null)).to.have.length(1)
    expect(answers.find((answer) => answer !== null)).to.deep.include({ code: 'payment_in_progress' })
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('returns the existing hash and spends no gas if another sender has already executed it', async () => {
    const written = await signing.sign(charge)
    const hash = await signing.sendAsStranger(written)
    await stage.mine()
    const request = await signing.request(charge, written)
    const { turn, follow } = signing.cast()
    await turn()
    await follow()
    expect(await signing.answerOf(request ?? '')).to.deep.equal({ outcome: 'mined', txHash: hash })
    expect(await stage.relayerTransactions()).to.deep.equal([])
    await stage.settle()
    await follow()
    expect(await statuses()).to.deep.equal(['executed_externally'])
    expect((await stage.chargeOf(charge)).status).to.equal('confirmed')
  })

  it('is rejected, and blocks no later payment, if another sender has already executed it and its window ends in billions of years', async () => {
    const written = await signing.sign(charge, { validBefore: 9_100_000_000_000_000_000n })
    await signing.sendAsStranger(written)
    await stage.mine()
    const request = (await signing.request(charge, written)) ?? ''
    const { turn, follow } = signing.cast()
    await turn()
    await follow()
    expect(await signing.answerOf(request)).to.deep.include({
      ...{ outcome: 'refused', code: 'authorization_invalid', param: 'validBefore' },
    })
    await signing.ask(await stage.openCharge())
    await turn()
    const late = stage.sql`update authorizations set valid_before = 100000000000`
    expect(await late.catch((error: Error) => error.message)).to.contain('authorizations_valid_before_check')
  })

  it('is neither rejected nor sent if its nonce was used by a transaction that no node shows', async () => {
    const written = await signing.sign(charge)
    const hash = await signing.sendAsStranger(written)
    await stage.mine()
    const request = (await signing.request(charge, written)) ?? ''
    const proxy = await startRpcProxy(stage.rpcUrl)
    proxy.rule((method) => (method === 'eth_getLogs' ? { result: [] } : 'pass'))
    await signing.cast({ rpcUrls: [proxy.url] }).turn()
    await proxy.stop()
    expect(await signing.answerOf(request), 'a rejection would make the payer sign again').to.equal(null)
    expect(await statuses(), 'no node received it').to.deep.equal([])
    const { turn, follow } = signing.cast()
    await turn()
    await follow()
    expect(await signing.answerOf(request)).to.deep.equal({ outcome: 'mined', txHash: hash })
    expect(await stage.relayerTransactions()).to.deep.equal([])
  })

  it('returns another sender’s hash if that sender executes it first and our transaction reverts', async () => {
    const written = await signing.sign(charge)
    const request = await signing.request(charge, written)
    const { turn, follow, relayer } = signing.cast()
    await turn()
    const hash = await signing.sendAsStranger(written, FIRST_IN_BLOCK)
    await stage.mine()
    await relayer.turn()
    await follow()
    expect(await signing.answerOf(request ?? '')).to.deep.equal({ outcome: 'mined', txHash: hash })
    await stage.settle()
    await relayer.turn()
    await follow()
    expect((await stage.relayerTransactions()).map(({ status }) => status)).to.deep.equal(['reverted'])
    expect(await statuses()).to.deep.equal(['executed_externally'])
    expect(await stage.balanceOf(charge.address)).to.equal(10_000_000n)
  })

  it('stays in flight until its window ends if the payer spends the balance after the simulation', async () => {
    const request = await signing.ask(charge)
    const { turn, follow, relayer } = signing.cast({ broadcast: NOT_SENT })
    await turn()
    await signing.moveBalanceAway()
    await relayer.turn()
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    await follow()
    expect((await stage.relayerTransactions())[0]?.status).to.equal('reverted')
    expect(await statuses(), 'anyone could send it again').to.deep.equal(['signed'])
    expect(await signing.answerOf(request)).to.equal(null)

    await pass(301)
    await follow()
    expect(await statuses()).to.deep.equal(['reverted'])
    expect(await signing.answerOf(request)).to.deep.include({
      outcome: 'refused',
      code: 'authorization_invalid',
    })
    const again = await signing.ask(await stage.openCharge(), { payer: OTHER_PAYER })
    await turn()
    expect(await signing.answerOf(again), 'other payers can pay as before').to.equal(null)
  })

  it('ends if its payer cancels it, but only once the cancellation is at confirmation depth', async () => {
    const written = await signing.sign(charge)
    const request = await signing.request(charge, written)
    const { turn, follow } = signing.cast({ broadcast: NOT_SENT })
    await turn()
    await cancel(written)
    // Simulates that the relayer has replaced our transaction with an empty one.
    await stage.sql`update relayer_transactions set is_cancellation = true`
    await follow()
    expect(await statuses(), 'a reorganization might undo the cancellation').to.deep.equal(['signed'])
    await stage.mine(CONFIRMATIONS)
    await follow()
    expect(await statuses()).to.deep.equal(['canceled'])
    expect(await signing.answerOf(request ?? '')).to.deep.include({ code: 'authorization_used' })
  })

  it('counts as reverted if its payer’s cancellation makes our transaction revert', async () => {
    const written = await signing.sign(charge)
    await signing.request(charge, written)
    const { turn, follow, relayer } = signing.cast({ broadcast: NOT_SENT })
    await turn()
    await cancel(written)
    await relayer.turn()
    await stage.mine(CONFIRMATIONS)
    await follow()
    expect(await statuses(), 'our transaction might still cost gas').to.deep.equal(['signed'])
    await relayer.turn()
    await follow()
    expect(await statuses()).to.deep.equal(['reverted'])
  })

  it('is not canceled if only one of two nodes reports the cancellation', async () => {
    const written = await signing.sign(charge)
    await signing.request(charge, written)
    await signing.cast({ broadcast: NOT_SENT }).turn()
    await cancel(written)
    await stage.sql`update relayer_transactions set is_cancellation = true`
    await stage.mine(CONFIRMATIONS)
    const proxy = await startRpcProxy(stage.rpcUrl)
    proxy.rule((method) => (method === 'eth_getLogs' ? { result: [] } : 'pass'))
    await signing.cast({ rpcUrls: [stage.rpcUrl, proxy.url] }).follow()
    await proxy.stop()
    expect(await statuses()).to.deep.equal(['signed'])
    await signing.cast().follow()
    expect(await statuses()).to.deep.equal(['canceled'])
  })

  it('is rejected if its cancellation is already at confirmation depth', async () => {
    const written = await signing.sign(charge)
    await cancel(written)
    const request = await signing.request(charge, written)
    const { turn } = signing.cast()
    await turn()
    expect(await signing.answerOf(request ?? ''), 'not at confirmation depth').to.equal(null)
    await stage.mine(CONFIRMATIONS)
    await turn()
    expect(await signing.answerOf(request ?? '')).to.deep.include({ code: 'authorization_used' })
    expect(await stage.relayerTransactions()).to.deep.equal([])
  })

  it('expires only if its window has passed at confirmation depth with its nonce unused', async () => {
    const request = await signing.ask(charge)
    const { turn, follow } = signing.cast({ broadcast: NOT_SENT })
    await turn()
    await pass(299)
    await follow()
    expect(await statuses()).to.deep.equal(['signed'])
    await pass(3, 1)
    await follow()
    expect(await statuses(), 'the window has passed, but not at confirmation depth').to.deep.equal(['signed'])
    await stage.mine(CONFIRMATIONS)
    await follow()
    expect(await statuses()).to.deep.equal(['expired'])
    expect(await signing.answerOf(request)).to.deep.include({
      ...{ code: 'authorization_invalid', param: 'validBefore' },
    })
  })

  it('does not expire while one of two nodes reports that its nonce is used', async () => {
    await signing.ask(charge)
    await signing.cast({ broadcast: NOT_SENT }).turn()
    await pass(301)
    const proxy = await startRpcProxy(stage.rpcUrl)
    // The node reports that the nonce is used, but hides the log of its use.
    proxy.rule((method, [call]) => {
      if (method === 'eth_getLogs') return { result: [] }
      const { data = '' } = Object(call) as { data?: string }
      return method === 'eth_call' && data.startsWith('0xe94a0102')
        ? { result: `0x${'0'.repeat(63)}1` }
        : 'pass'
    })
    await signing.cast({ rpcUrls: [stage.rpcUrl, proxy.url] }).follow()
    expect(await statuses()).to.deep.equal(['signed'])
    await proxy.stop()
    await signing.cast({ rpcUrls: [stage.rpcUrl] }).follow()
    expect(await statuses()).to.deep.equal(['expired'])
  })

  it('does not expire once our transaction is final, even if nodes hide that transaction', async () => {
    await signing.ask(charge)
    const { turn, relayer } = signing.cast()
    await turn()
    await stage.mine()
    await pass(301)
    await relayer.turn()
    expect((await stage.relayerTransactions())[0]?.status).to.equal('final')
    await followBy((method, [call]) => {
      if (method === 'eth_getTransactionReceipt') return { result: null }
      if (method === 'eth_getLogs') return { result: [] }
      return isState(method, call) ? { result: UNSPENT } : 'pass'
    })
    expect(await statuses()).to.deep.equal(['signed'])
  })

  it('does not expire if the nonce state that a node returns is older than the head', async () => {
    const written = await signing.sign(charge)
    await signing.request(charge, written)
    await signing.cast({ broadcast: NOT_SENT }).turn()
    await signing.sendAsStranger(written)
    await stage.mine()
    await pass(301)
    await followBy((method, [call, block]) => {
      if (method === 'eth_getLogs') return { result: [] }
      return isState(method, call) && block === 'latest' ? { result: UNSPENT } : 'pass'
    })
    expect(await statuses()).to.deep.equal(['signed'])
  })

  it('expires after its window even if our key was replaced before its transaction was final', async () => {
    await signing.ask(charge)
    const { turn, relayer, follow } = signing.cast({ broadcast: NOT_SENT })
    await turn()
    await signing.moveBalanceAway()
    await relayer.turn()
    await stage.mine()
    await relayer.turn()
    expect((await stage.relayerTransactions())[0]?.status).to.equal('mined')
    await pass(301)
    await follow()
    expect(await statuses(), 'it might soon be at confirmation depth').to.deep.equal(['signed'])
    const silent = await startRpcProxy(stage.rpcUrl)
    silent.rule((method) => (method === 'eth_getTransactionReceipt' ? 'error' : 'pass'))
    const rpcUrls = [stage.rpcUrl, silent.url]
    await signing.cast({ account: deriveAccount(8), rpcUrls, quorum: 2 }).follow()
    await silent.stop()
    expect(await statuses(), 'only one node reports that it is missing').to.deep.equal(['signed'])
    await signing.cast({ account: deriveAccount(8) }).follow()
    expect(await statuses()).to.deep.equal(['expired'])
  })

  it('expires even if its nodes return no logs', async () => {
    await signing.ask(charge)
    await signing.cast({ broadcast: NOT_SENT }).turn()
    await pass(301)
    await followBy((method) => (method === 'eth_getLogs' ? 'error' : 'pass'))
    expect(await statuses()).to.deep.equal(['expired'])
  })

  it('is found after 1,050 blocks even if nodes limit log queries to a thousand blocks', async () => {
    const written = await signing.sign(charge)
    const request = await signing.request(charge, written)
    await signing.cast({ broadcast: NOT_SENT }).turn()
    const hash = await signing.sendAsStranger(written)
    await stage.mine(1_050)
    await followBy(async (method, [filter]) => {
      if (method !== 'eth_getLogs') return 'pass'
      const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex }
      const to = toBlock.startsWith('0x') ? BigInt(toBlock) : await stage.node.getBlockNumber()
      return to - BigInt(fromBlock) < 1_000n ? 'pass' : 'error'
    })
    expect(await signing.answerOf(request ?? '')).to.deep.equal({ outcome: 'mined', txHash: hash })
  })

  it('is in flight again, and sent again, after a reorganization deeper than its confirmation depth', async () => {
    await signing.ask(charge)
    const { turn, follow, relayer } = signing.cast()
    await turn()
    const before = await chain.node.snapshot()
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    await follow()
    expect(await statuses()).to.deep.equal(['final'])
    await chain.reset(before)
    await follow()
    expect(await statuses()).to.deep.equal(['signed'])
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    stage.advance(6)
    await relayer.turn()
    await stage.mine()
    await relayer.turn()
    await follow()
    expect(await statuses()).to.deep.equal(['mined'])
    expect(await stage.balanceOf(charge.address)).to.equal(10_000_000n)
  })

  it('is in flight again, and sent again, after a reorganization orphans it', async () => {
    const request = await signing.ask(charge)
    const { turn, follow, relayer } = signing.cast()
    await turn()
    const before = await chain.node.snapshot()
    await stage.mine()
    await relayer.turn()
    await follow()
    expect(await statuses()).to.deep.equal(['mined'])
    expect(await signing.answerOf(request)).to.deep.include({ outcome: 'mined' })

    await chain.reset(before)
    await relayer.turn()
    await follow()
    expect(await statuses()).to.deep.equal(['signed'])
    stage.advance(6)
    await relayer.turn()
    await stage.mine()
    await relayer.turn()
    await follow()
    expect(await statuses()).to.deep.equal(['mined'])
    expect(await stage.balanceOf(charge.address)).to.equal(10_000_000n)
  })

  it('is found after a reorganization, even below the head at its submission', async () => {
    const before = await chain.node.snapshot()
    await stage.mine(CONFIRMATIONS + 59)
    const request = await signing.ask(charge)
    const { turn, follow, relayer } = signing.cast({ broadcast: NOT_SENT })
    await turn()
    await chain.reset(before)
    await relayer.turn()
    await stage.mine()
    await follow()
    expect(await signing.answerOf(request)).to.deep.include({ outcome: 'mined' })
  })

  it('does not delay other payments if a node returns errors for its logs', async () => {
    const other = await stage.openCharge()
    const [stuck, going] = [await signing.ask(charge), await signing.ask(other, { payer: OTHER_PAYER })]
    await signing.cast().turn()
    await stage.mine()
    const proxy = await startRpcProxy(stage.rpcUrl)
    const topic = pad(addressOf(PAYER.address))
    proxy.rule((method, params) =>
      method === 'eth_getLogs' && JSON.stringify(params).includes(topic) ? 'error' : 'pass',
    )
    await signing.cast({ rpcUrls: [proxy.url] }).follow()
    await proxy.stop()
    expect(await signing.answerOf(stuck)).to.equal(null)
    expect(await signing.answerOf(going)).to.deep.include({ outcome: 'mined' })
  })

  it('is tracked after its transaction is replaced with a higher fee', async () => {
    await signing.ask(charge)
    const { turn, follow, relayer } = signing.cast({ broadcast: NOT_SENT })
    await turn()
    const [first] = await signing.authorizations()
    stage.advance(21)
    await relayer.turn()
    await follow()
    const [second] = await signing.authorizations()
    expect(second?.txHash).to.not.equal(first?.txHash)
    await stage.mine()
    await relayer.turn()
    await follow()
    expect(await signing.authorizations()).to.deep.equal([{ ...second, status: 'mined' }])
    expect(await stage.balanceOf(charge.address)).to.equal(10_000_000n)
  })

  it('has a limit of 200,000 gas, which bounds the cost of a hostile payer’s code', async () => {
    await signing.ask(charge)
    await signing.cast().turn()
    const [sent] = await stage.relayerTransactions()
    expect(parseTransaction(sent?.rawTransaction ?? '0x').gas).to.equal(200_000n)
  })

  it('is not executed for a payer whose code burns gas', async () => {
    // An infinite loop: JUMPDEST, PUSH1 0, JUMP.
    await stage.node.setCode({ address: PAYER.address, bytecode: '0x5b600056' })
    const written = await signing.sign(charge, { payer: OTHER_PAYER })
    const request = await signing.request(charge, { ...written, from: addressOf(PAYER.address) })
    const { turn } = signing.cast()
    // If a busy machine executes the loop too slowly, the next turn queries again.
    const answer = await waitFor(
      async () => {
        await turn()
        return signing.answerOf(request ?? '')
      },
      { what: 'the rejection', timeoutMs: 60_000 },
    )
    expect(answer).to.deep.include({ code: 'authorization_invalid' })
    expect(await stage.relayerTransactions()).to.deep.equal([])
  })

  it('is executed while a node delays its response about another payment', async () => {
    const proxy = await startRpcProxy(stage.rpcUrl)
    const sender = JSON.stringify(pad(addressOf(PAYER.address))).slice(3, -1)
    proxy.rule(async (method, params) => {
      // The response arrives once the other payment is signed, or too late for the client.
      if (method === 'eth_estimateGas' && JSON.stringify(params).includes(sender))
        await waitFor(async () => (await stage.relayerTransactions()).length > 0, WAITING)
      return 'pass' as const
    })
    await signing.ask(charge)
    await signing.ask(await stage.openCharge(), { payer: OTHER_PAYER })
    const { turn, lines } = signing.cast({ rpcUrls: [proxy.url], timeoutMs: 60_000 })
    await turn()
    await proxy.stop()
    expect(await stage.relayerTransactions(), JSON.stringify(lines)).to.have.length(2)
  }).timeout(120_000)

  it('keeps its signature out of the log if a node fails', async () => {
    const written = await signing.sign(charge)
    await signing.request(charge, written)
    const proxy = await startRpcProxy(stage.rpcUrl)
    proxy.rule((method) => (method === 'eth_estimateGas' ? 'error' : 'pass'))
    const { turn, lines } = signing.cast({ rpcUrls: [proxy.url] })
    await turn()
    await proxy.stop()
    expect(lines.map(({ msg }) => msg)).to.include('Could not read the chain for an authorization')
    expect(JSON.stringify(lines)).to.not.include(written.signature.slice(2, 66))
  })

  it('ends if no daemon claims its request, so that another payment can be submitted', async () => {
    const request = await signing.ask(charge)
    expect(await expireUnservedAuthorizationRequests(stage.daemonSql, 300), 'it is new').to.equal(0)
    await stage.sql`update requests set created_at = now() - interval '6 minutes'`
    expect(await expireUnservedAuthorizationRequests(stage.daemonSql, 300)).to.equal(1)
    expect(await signing.answerOf(request)).to.deep.include({ code: 'service_unavailable' })
    await signing.ask(charge)
  })

  it('waits while no node responds, and is executed once a node responds', async () => {
    const request = await signing.ask(charge)
    const { turn, lines } = signing.cast({ rpcUrls: ['http://127.0.0.1:9'] })
    await turn()
    expect(lines.map(({ msg }) => msg)).to.include('Could not read the chain for an authorization')
    expect(await signing.answerOf(request)).to.equal(null)
    await signing.cast().turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  describe('the account for signatures', () => {
    it('pays for no signature while it is empty, but payouts continue', async () => {
      await stage.node.setBalance({ address: AUTHORIZER.address, value: 0n })
      const request = await signing.ask(charge)
      await signing.cast().turn()
      expect(await signing.answerOf(request)).to.deep.include({ code: 'signature_payment_unavailable' })
      expect(await payOut()).to.equal(0n)
    })

    it('is listed by the doctor separately from the account for payouts', async () => {
      await signing.ask(charge)
      await signing.cast().turn()
      const { relayers, authorizers } = await readDoctorFacts(stage.sql, 31337)
      expect(authorizers).to.deep.equal([addressOf(AUTHORIZER.address)])
      expect(relayers).not.to.include(addressOf(AUTHORIZER.address))
    })

    it('does not delay a payout while its transactions are stuck', async () => {
      for (let count = 0; count < 8; count += 1) {
        const key = `0x${String(count + 1).padStart(64, '5')}` as Hex
        await askAs(key, await stage.openCharge())
      }
      const { turn, lines } = signing.cast({ broadcast: NOT_SENT })
      await turn()
      expect(await stage.relayerTransactions(), lines.map(({ reason }) => reason).join()).to.have.length(8)
      const ninth = await signing.ask(charge)
      await turn()
      expect(await signing.answerOf(ninth), 'it waits until one of the eight is mined').to.equal(null)
      expect(await stage.relayerTransactions()).to.have.length(8)
      expect(await payOut()).to.equal(0n)
    })

    it('bears the whole gas cost of an attack by payers who move their balance away', async () => {
      await signing.ask(charge)
      const { turn, relayer } = signing.cast({ broadcast: NOT_SENT })
      await turn()
      await signing.moveBalanceAway()
      await relayer.turn()
      const before = await stage.node.getBalance({ address: ACCOUNTS.relayer.address })
      await stage.mine()
      expect(await stage.node.getBalance({ address: ACCOUNTS.relayer.address })).to.equal(before)
      expect(await payOut()).to.equal(0n)
    })
  })

  /** Runs one tracking turn with one node, and replaces some of its responses. */
  async function followBy(rule: RpcRule): Promise<void> {
    const proxy = await startRpcProxy(stage.rpcUrl)
    proxy.rule(rule)
    await signing.cast({ rpcUrls: [proxy.url] }).follow()
    await proxy.stop()
  }

  const statuses = async () => (await signing.authorizations()).map(({ status }) => status)

  /** Runs a payout. Returns the remaining balance of the split. */
  async function payOut(): Promise<bigint> {
    const paid = await stage.pay({ amount: 10_000_000n })
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    await stage.mine()
    return stage.balanceOf(paid.splitAddress)
  }

  async function askAs(key: Hex, of: OpenCharge): Promise<void> {
    const payer = toSigner({ address: '0x', privateKey: key })
    await signing.mint(addressOf(payer.address))
    await signing.ask(of, { payer })
  }

  /** Advances the clock, and mines blocks from the new time on. */
  async function pass(seconds: number, blocks = CONFIRMATIONS): Promise<void> {
    stage.advance(seconds)
    await stage.node.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(stage.time.now.getTime() / 1000)) })
    await stage.mine(blocks)
  }

  const cancel = (written: Written) => cancelAuthorization({ stage, signing }, written)

  /** Inserts a transfer that the feed has detected but that is not confirmed. */
  async function see({ chargeId }: OpenCharge, valueAtomic: bigint): Promise<void> {
    const payer = addressOf(OTHER_PAYER.address) as Address
    await stage.sql`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender,
        value_atomic, amount_atto, accepted, inclusion, block_number)
      values (${chargeId}, 'base', 'USDC', 'contract_watcher', 31337, ${stage.token}, '0x1', 0, ${payer},
        ${stage.sql.types.numeric(valueAtomic)}, ${stage.sql.types.numeric(valueAtomic * 10n ** 12n)}, true, 'included', 1)`
  }
})
