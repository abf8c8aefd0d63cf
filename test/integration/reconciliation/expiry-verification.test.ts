import { expect } from 'chai'
import { encodeFunctionData, erc20Abi } from 'viem'
import { insertExpiryOverride } from '../../../shared/db/charges/daemon/expiry-overrides.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { completeScans } from '../../support/expiry-verifications.ts'
import { CONFIRMATIONS, catchMessage, type PaidCharge, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
const TEN = 10_000_000n
const HELD = 'Charge expiry is blocked by an unmatched balance: see npm run charges -- blocked'
const SHORT = 'Charge balance is below its recorded transfers'

describe('the verification before a charge expires', () => {
  let stage: Stage
  let proxy: RpcProxy

  stageForEach(async (fresh) => {
    stage = fresh
    proxy = await startRpcProxy(stage.rpcUrl)
  })

  afterEach(() => proxy.stop())

  it('lets an unpaid charge expire only after its balances were read', async () => {
    const charge = await stage.openCharge()
    await passDeadline(charge)
    await stage.takeTurns()
    expect(await statusOf(charge)).to.equal('pending')
    await gather()
    expect(await statusOf(charge)).to.equal('expired')
  })

  it('confirms a payment though the feed’s node has returned empty blocks', async () => {
    const charge = await stage.openCharge()
    await mint(charge.splitAddress)
    await passDeadline(charge)
    proxy.rule((method) => (method === 'eth_getLogs' ? { result: [] } : 'pass'))
    await gather([proxy.url, stage.rpcUrl])
    expect(await stage.chargeOf(charge)).to.deep.include({
      status: 'confirmed',
      sources: ['reconciliation_job'],
    })
  })

  it('confirms an undetected payment that no balance shows because it was distributed before the deadline', async () => {
    const charge = await stage.openCharge()
    await stage.reconcile()
    await mint(charge.splitAddress)
    await stage.distributeAsKeeper(charge)
    await stage.mine()
    await passDeadline(charge, { isLookedThrough: false })
    await gather()
    expect(await statusOf(charge), 'by its balances').to.equal('pending')
    await stage.reconcile()
    await stage.takeTurns()
    expect(await statusOf(charge)).to.equal('confirmed')
  })

  it('does not mark a fully paid charge as underpaid if the feed missed one of its payments', async () => {
    const charge = await stage.openCharge()
    await mint(charge.splitAddress, 4_000_000n)
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    await stage.takeTurns()
    await mint(charge.splitAddress, 6_000_000n)
    await passDeadline(charge)
    await stage.takeTurns()
    expect(await statusOf(charge)).to.equal('partially_paid')
    await gather()
    expect(await statusOf(charge)).to.equal('confirmed')
  })

  it('blocks the expiry, with one alert, while no log explains a balance, until an operator orders the expiry', async () => {
    const charge = await stage.openCharge()
    await mint(charge.splitAddress)
    await passDeadline(charge)
    proxy.rule((method) => (method === 'eth_getLogs' ? { result: [] } : 'pass'))
    const { turn, alerts } = stage.gathering({ rpcUrls: [proxy.url] })
    for (let look = 1; look <= 3; look += 1) {
      await turn()
      await stage.takeTurns()
      await makeDue()
    }
    expect(await statusOf(charge)).to.equal('pending')
    expect(alerts()).to.deep.equal([HELD])
    await insertExpiryOverride(stage.sql, {
      chargeId: charge.chargeId,
      because: 'an airdrop without a log',
      isDespiteUnconfirmed: false,
    })
    await stage.takeTurns()
    expect(await statusOf(charge)).to.equal('expired')
  })

  it('confirms a charge whose expiry was blocked once a node shows the logs that explain the balance', async () => {
    const charge = await stage.openCharge()
    await mint(charge.splitAddress)
    await passDeadline(charge)
    proxy.rule((method) => (method === 'eth_getLogs' ? { result: [] } : 'pass'))
    const { turn } = stage.gathering({ rpcUrls: [proxy.url] })
    await turn()
    proxy.rule(() => 'pass')
    await makeDue()
    await turn()
    await stage.takeTurns()
    expect(await statusOf(charge)).to.equal('confirmed')
  })

  it('alerts about a balance below the recorded transfers, but does not block the expiry', async () => {
    const charge = await stage.openCharge()
    await mint(charge.splitAddress, 4_000_000n)
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    await stage.sql`update transfers set amount_atto = amount_atto + 1000000000000`
    await stage.takeTurns()
    await passDeadline(charge)
    const { turn, alerts } = stage.gathering()
    await turn()
    await stage.takeTurns()
    expect(await statusOf(charge)).to.equal('underpaid')
    expect(alerts()).to.deep.equal([SHORT])
  })

  describe('with nodes that fail or lie', () => {
    let charge: PaidCharge

    const silent = (method: string) => (method === 'eth_call' ? { result: zeros() } : ('pass' as const))

    it('retries a failed read of balances, and lets the charge expire only afterwards', async () => {
      charge = await stage.openCharge()
      await passDeadline(charge)
      proxy.rule((method) => (method === 'eth_call' ? 'error' : 'pass'))
      const { turn } = stage.gathering({ rpcUrls: [proxy.url] })
      await turn()
      await stage.takeTurns()
      expect(await statusOf(charge)).to.equal('pending')
      proxy.rule(() => 'pass')
      await makeDue()
      await turn()
      await stage.takeTurns()
      expect(await statusOf(charge)).to.equal('expired')
    })

    it('alerts once if no quorum agrees on balances for five minutes', async () => {
      charge = await stage.openCharge()
      await passDeadline(charge)
      proxy.rule((method) => (method === 'eth_call' ? 'error' : 'pass'))
      const { turn, alerts } = stage.gathering({ rpcUrls: [proxy.url] })
      for (const seconds of [0, 299, 1, 60]) {
        stage.advance(seconds)
        await makeDue()
        await turn()
        if (seconds === 299) expect(alerts()).to.deep.equal([])
      }
      expect(alerts()).to.deep.equal(['No quorum has agreed on balances for five minutes: expiry is blocked'])
    })

    it('keeps the charge open as long as the second node does not report its balances', async () => {
      charge = await stage.openCharge()
      await passDeadline(charge)
      proxy.rule((method) => (method === 'eth_call' ? 'error' : 'pass'))
      const { turn } = stage.gathering({ rpcUrls: [stage.rpcUrl, proxy.url] })
      for (const days of [0, 1, 30]) {
        stage.advance(days * 86_400)
        await makeDue()
        await turn()
        await stage.takeTurns()
        expect(await statusOf(charge)).to.equal('pending')
      }
      proxy.rule(() => 'pass')
      await makeDue()
      await turn()
      await stage.takeTurns()
      expect(await statusOf(charge)).to.equal('expired')
    })

    it('keeps the charge open while one of two nodes does not respond, but lets it expire if two of three respond', async () => {
      charge = await stage.openCharge()
      await passDeadline(charge)
      proxy.rule(() => 'error')
      expect(await catchMessage(gather([stage.rpcUrl, proxy.url]))).to.include(
        'too few operators returned a head for a quorum of 2',
      )
      await stage.takeTurns()
      expect(await statusOf(charge)).to.equal('pending')
      await makeDue()
      await gather([proxy.url, stage.rpcUrl, sameNode()])
      expect(await statusOf(charge)).to.equal('expired')
    })

    for (const [title, change] of [
      ['another hash', { hash: `0x${'0f'.repeat(32)}` }],
      ['another time', { timestamp: '0xffffffff' }],
    ] as const)
      it(`keeps the charge open while one of two nodes shows ${title} for the confirmed head, but lets it expire if two of three agree`, async () => {
        charge = await stage.openCharge()
        await passDeadline(charge)
        proxy.rule(async (method, params) => {
          if (method !== 'eth_getBlockByNumber' || params[0] === 'latest') return 'pass'
          const block = await stage.node.request({ method, params } as never)
          return { result: { ...(block as object), ...change } }
        })
        expect(await catchMessage(gather([stage.rpcUrl, proxy.url]))).to.include('contradict each other')
        await stage.takeTurns()
        expect(await statusOf(charge)).to.equal('pending')
        await makeDue()
        await gather([proxy.url, stage.rpcUrl, sameNode()])
        expect(await statusOf(charge)).to.equal('expired')
      })

    it('keeps the charge open while the balances of a second node belong to another branch', async () => {
      charge = await stage.openCharge()
      await passDeadline(charge)
      const silentNode = await startRpcProxy(stage.rpcUrl)
      silentNode.rule((method) => (method === 'eth_call' ? 'error' : 'pass'))
      proxy.rule(async (method, params) => {
        if (method !== 'eth_getBlockByNumber' || params[0] === 'latest') return 'pass'
        const block = await stage.node.request({ method, params } as never)
        return { result: { ...(block as object), hash: `0x${'0f'.repeat(32)}` } }
      })
      try {
        await gather([proxy.url, silentNode.url, sameNode()])
      } finally {
        await silentNode.stop()
      }
      expect(await statusOf(charge)).to.equal('pending')
    })

    it('trusts the node that shows the payment, not the node that hides it', async () => {
      charge = await stage.openCharge()
      await mint(charge.splitAddress)
      await passDeadline(charge)
      proxy.rule((method) => (method === 'eth_getLogs' ? { result: [] } : silent(method)))
      await gather([proxy.url, stage.rpcUrl])
      expect(await statusOf(charge)).to.equal('confirmed')
    })

    it('does not count a node of another chain', async () => {
      charge = await stage.openCharge()
      await passDeadline(charge)
      proxy.rule((method) => (method === 'eth_chainId' ? { result: '0x2105' } : silent(method)))
      expect(await catchMessage(gather([proxy.url])), 'alone').to.include(
        'too few operators returned a head for a quorum of 1',
      )
      expect(await catchMessage(gather([proxy.url, stage.rpcUrl])), 'with one other node').to.include(
        'too few operators returned a head for a quorum of 2',
      )
      await stage.takeTurns()
      expect(await statusOf(charge)).to.equal('pending')
      await makeDue()
      await gather([proxy.url, stage.rpcUrl, sameNode()])
      expect(await statusOf(charge), 'with two other nodes').to.equal('expired')
    })

    it('uses the time of the confirmed head that a quorum shows, not the feed’s time', async () => {
      charge = await stage.openCharge()
      await passDeadline(charge)
      await stage.sql`
        update charges set expires_at = (select to_timestamp(confirmed_head_timestamp + 1) from deployments)`
      await stage.sql`update deployments set confirmed_head_timestamp = confirmed_head_timestamp + 2, head_timestamp = head_timestamp + 2`
      await untilOver(charge)
      await gather()
      expect(await statusOf(charge)).to.equal('pending')
    })

    it('reads balances only at a block that a quorum has at confirmation depth, no matter how far the feed is', async () => {
      charge = await stage.openCharge()
      await passDeadline(charge)
      await stage.sql`update deployments set head_number = 90000, confirmed_head_number = 89998`
      await gather()
      expect(await evidenceOf(charge)).to.include({
        result: 'matched',
        blockNumber: await confirmedHeadNumber(),
      })
    })

    it('reads balances at the feed’s confirmed head if the feed is behind the quorum', async () => {
      charge = await stage.openCharge()
      await passDeadline(charge)
      await stage.mine(3)
      await gather()
      expect(await evidenceOf(charge)).to.include({
        result: 'matched',
        blockNumber: (await confirmedHeadNumber()) - 3,
      })
      expect(await statusOf(charge)).to.equal('expired')
    })

    it('keeps the charge open, despite an operator’s override, while only the feed reports that the deadline has passed', async () => {
      charge = await stage.openCharge()
      await passDeadline(charge)
      await stage.sql`
        update charges set expires_at = (select to_timestamp(confirmed_head_timestamp + 1) from deployments)`
      await stage.sql`update deployments set confirmed_head_timestamp = confirmed_head_timestamp + 2, head_timestamp = head_timestamp + 2`
      await untilOver(charge)
      const { chargeId } = charge
      await insertExpiryOverride(stage.sql, {
        chargeId,
        because: 'nobody has paid',
        isDespiteUnconfirmed: false,
      })
      await gather()
      expect(await statusOf(charge)).to.equal('pending')
      await stage.mine(2)
      await stage.moveFeed()
      await gather()
      expect(await statusOf(charge)).to.equal('expired')
    })

    it('does not query a node before the deadline has passed', async () => {
      charge = await stage.openCharge()
      await stage.moveFeed()
      proxy.rule(() => 'error')
      expect(await stage.gathering({ rpcUrls: [proxy.url] }).turn()).to.equal('idle')
    })
  })

  describe('for an escrow charge', () => {
    it('counts the balance of its Safe', async () => {
      const charge = await stage.openCharge({ isEscrow: true })
      await mint(charge.address)
      await passDeadline(charge)
      await stage.takeTurns()
      await gather()
      expect(await statusOf(charge)).to.equal('confirmed')
    })

    it('includes the amounts that its Safe has released into its split', async () => {
      const charge = await stage.openCharge({ isEscrow: true })
      await mint(charge.address, 4_000_000n)
      await moveFromSafe(charge, 4_000_000n)
      await stage.mine(CONFIRMATIONS)
      await stage.reconcile()
      await passDeadline(charge)
      await stage.takeTurns()
      const { turn, alerts } = stage.gathering()
      await turn()
      await stage.takeTurns()
      expect(await statusOf(charge)).to.equal('underpaid')
      expect(alerts()).to.deep.equal([])
    })

    it('is not blocked by third-party transfers into its split, which do not count as payments', async () => {
      const charge = await stage.openCharge({ isEscrow: true })
      await mint(charge.splitAddress, 1n)
      await passDeadline(charge)
      await gather()
      expect(await statusOf(charge)).to.equal('expired')
    })
  })

  describe('for an imported charge', () => {
    let charge: PaidCharge

    beforeEach(async () => {
      charge = await stage.openCharge()
    })

    it('finds payments that were made and distributed while the charge was unknown', async () => {
      await mint(charge.splitAddress)
      await stage.distributeAsKeeper(charge)
      await stage.mine()
      await passDeadline(charge)
      await bringBack()
      await gather()
      expect(await statusOf(charge)).to.equal('confirmed')
    })

    it('lets the charge expire if it is unpaid', async () => {
      await passDeadline(charge)
      await bringBack()
      await gather()
      expect(await statusOf(charge)).to.equal('expired')
    })

    it('keeps the charge open with an alert while one of two nodes serves no logs', async () => {
      await passDeadline(charge)
      await bringBack()
      proxy.rule((method) => (method === 'eth_getLogs' ? 'error' : 'pass'))
      const { turn, alerts } = stage.gathering({ rpcUrls: [stage.rpcUrl, proxy.url] })
      await turn()
      await stage.takeTurns()
      expect(await statusOf(charge)).to.equal('pending')
      expect(alerts()).to.deep.equal([
        'An imported charge stays open: no quorum of nodes could search all its blocks',
      ])
      proxy.rule(() => 'pass')
      await makeDue()
      await turn()
      await stage.takeTurns()
      expect(await statusOf(charge)).to.equal('expired')
    })

    it('lets the charge expire if the node that an operator trusts serves all logs, though the other node serves none', async () => {
      await passDeadline(charge)
      await bringBack()
      proxy.rule((method) => (method === 'eth_getLogs' ? 'error' : 'pass'))
      const { turn } = stage.gathering({ rpcUrls: [stage.rpcUrl, proxy.url], trustsFirst: true })
      await turn()
      await stage.takeTurns()
      expect(await statusOf(charge)).to.equal('expired')
    })

    it('keeps the charge open while only the node that no operator trusts serves logs', async () => {
      await passDeadline(charge)
      await bringBack()
      proxy.rule((method) => (method === 'eth_getLogs' ? 'error' : 'pass'))
      const { turn } = stage.gathering({ rpcUrls: [proxy.url, stage.rpcUrl], trustsFirst: true })
      await turn()
      await stage.takeTurns()
      expect(await statusOf(charge)).to.equal('pending')
    })

    it('keeps the charge open while no quorum confirms or denies a log that a node returns', async () => {
      await mint(charge.splitAddress)
      await stage.distributeAsKeeper(charge)
      await stage.mine()
      await passDeadline(charge)
      await bringBack()
      proxy.rule((method) => (method === 'eth_getTransactionReceipt' ? 'error' : 'pass'))
      const { turn } = stage.gathering({ rpcUrls: [stage.rpcUrl, proxy.url] })
      expect(await catchMessage(turn())).to.include(
        'no quorum confirms or denies a transaction that a node lists',
      )
      await stage.takeTurns()
      expect(await statusOf(charge)).to.equal('pending')
    })

    /** Schedules the verification with a search of all blocks, as an operator's import does. */
    async function bringBack(): Promise<void> {
      await stage.sql`
        insert into expiry_verifications (charge_id, chain_id, next_attempt_at, needs_search)
        select id, unnest(accepted_chains), expires_at, true from charges where id = ${charge.chargeId}`
    }
  })

  it('reads balances one by one if Multicall3 is missing', async () => {
    const [paid, unpaid] = [await stage.openCharge(), await stage.openCharge()]
    await stage.node.setCode({ address: MULTICALL3, bytecode: '0x' })
    await mint(paid.splitAddress)
    await passDeadline(paid)
    await passDeadline(unpaid)
    await gather()
    expect([await statusOf(paid), await statusOf(unpaid)]).to.deep.equal(['confirmed', 'expired'])
  })

  it('is done by only one of two daemons for each charge, one page of charges at a time', async () => {
    const charge = await stage.openCharge()
    await stage.copyCharge(charge, 700)
    await passDeadline(charge)
    let calls = 0
    proxy.rule((method) => {
      if (method === 'eth_call') calls += 1
      return 'pass'
    })
    const [one, other] = [
      stage.gathering({ rpcUrls: [proxy.url] }),
      stage.gathering({ rpcUrls: [proxy.url] }),
    ]
    await Promise.all([untilIdle(one.turn), untilIdle(other.turn)])
    const [row] = await stage.sql<[{ clear: number }]>`
      select count(*) as clear from expiry_verifications where result = 'matched'`
    expect(row.clear).to.equal(701)
    // 701 charges are three pages of at most 300. Each page takes at most two calls.
    expect(calls).to.be.within(3, 6)
  })

  /** Mints tokens to an address in a new block, as a payment. */
  function mint(to: Address, amount = TEN): Promise<void> {
    return stage.callToken('mint', [to, amount])
  }

  /**
   * Sets the charge's deadline to one second after the last block, and mines blocks past it. The feed's head moves
   * along, but the feed has no rows for these blocks. By default, range scans count as complete and find no payment.
   */
  async function passDeadline({ chargeId }: PaidCharge, { isLookedThrough = true } = {}): Promise<void> {
    const { timestamp } = await stage.node.getBlock()
    const deadlines = await stage.sql<{ second: number }[]>`
      update charges set expires_at = greatest(to_timestamp(${Number(timestamp) + 1}), created_at + interval '1 second')
      where id like ${`${chargeId}%`}
      returning ceil(extract(epoch from expires_at))::int8 as second`
    // Charges are dated by the fixture's clock, and a chain without blocks since its start is behind that clock.
    const latest = Math.max(...deadlines.map(({ second }) => second))
    await stage.node.setNextBlockTimestamp({ timestamp: BigInt(latest) })
    await stage.node.mine({ blocks: CONFIRMATIONS + 1, interval: 1 })
    await stage.moveFeed()
    if (isLookedThrough) await completeScans(stage.sql)
    await untilOver({ chargeId })
  }

  async function untilOver({ chargeId }: Pick<PaidCharge, 'chargeId'>): Promise<void> {
    const isOver = async () =>
      (await stage.sql`select from charges where id = ${chargeId} and expires_at <= now()`).length > 0
    await waitFor(isOver, { what: 'the deadline to pass', timeoutMs: 60_000 })
  }

  /** Returns the URL of the fixture's node under another host name, which counts as a second operator. */
  function sameNode(): string {
    return stage.rpcUrl.replace('127.0.0.1', 'localhost')
  }

  async function confirmedHeadNumber(): Promise<number> {
    return Number((await stage.node.getBlock()).number) - CONFIRMATIONS + 1
  }

  async function evidenceOf({ chargeId }: PaidCharge) {
    const [evidence] = await stage.sql<{ result: string; blockNumber: number | null }[]>`
      select result, block_number from expiry_verifications where charge_id = ${chargeId}`
    return evidence
  }

  /** Sends tokens from the Safe to the split. Anvil impersonates the Safe, so no releaser's signature is needed. */
  async function moveFromSafe(
    { address, splitAddress }: { readonly address: Address; readonly splitAddress: Address },
    amount: bigint,
  ): Promise<void> {
    await stage.node.impersonateAccount({ address })
    await stage.node.setBalance({ address, value: 10n ** 18n })
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [splitAddress, amount],
    })
    await stage.node.sendUnsignedTransaction({ from: address, to: stage.token, data })
    await stage.mine()
  }

  /** Runs one turn of the verification with these nodes, and then the turns of the charges. */
  async function gather(rpcUrls = [stage.rpcUrl]): Promise<void> {
    await stage.gathering({ rpcUrls }).turn()
    await stage.takeTurns()
  }

  async function makeDue(): Promise<void> {
    await stage.sql`update expiry_verifications set next_attempt_at = now()`
  }

  async function untilIdle(turn: () => Promise<'more' | 'idle'>): Promise<void> {
    for (let outcome = 'more'; outcome === 'more'; ) outcome = await turn()
  }

  async function statusOf(charge: PaidCharge): Promise<string> {
    return (await stage.chargeOf(charge)).status
  }
})

/** Returns a response of Multicall3 with one balance of zero. */
function zeros() {
  const word = (value: number) => value.toString(16).padStart(64, '0')
  return `0x${[32, 1, 32, 1, 64, 32, 0].map(word).join('')}`
}
