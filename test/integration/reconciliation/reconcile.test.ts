import { expect } from 'chai'
import { numberToHex } from 'viem'
import {
  CONFIRMATIONS,
  failureOf,
  GRACE_SECONDS,
  type PaidCharge,
  type Stage,
} from '../../support/payout-stage.ts'
import { stageForEach } from '../../support/payout-stage-for-each.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const SETTLED_ATTO = 10_000_000_000_000_000_000n

describe('the reconciliation, while there is no Ponder', () => {
  let stage: Stage

  stageForEach(async (fresh) => {
    stage = fresh
    await stage.reconcile()
  })

  it('credits a payment once it is deep, and not before', async () => {
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(CONFIRMATIONS - 2)
    expect(await stage.reconcile()).to.include({ found: 0 })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.deep.include({ status: 'pending', sources: null })

    await stage.mine()
    expect(await stage.reconcile()).to.include({ found: 1, unexplained: 0 })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.deep.include({
      status: 'confirmed',
      receivedAtto: SETTLED_ATTO,
      sources: ['reconciliation_job'],
    })
  })

  it('finds nothing a second time', async () => {
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    await stage.sql`update reconciliations set scanned_number = 0`
    expect(await stage.reconcile()).to.include({ found: 0 })
    await stage.takeTurns()
    expect((await stage.chargeOf(charge)).receivedAtto).to.equal(SETTLED_ATTO)
  })

  it('settles what our worker has paid out', async () => {
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    await stage.takeTurns()
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
    expect(await stage.payoutOf(charge)).to.include({ status: 'completed' })
  })

  it('takes up a payment that the feed had seen before it went down', async () => {
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    // As the feed leaves a row that was not deep under its last head.
    await stage.sql`update transfers set source = 'contract_watcher', ponder_schema = 'ponder_1', deep_block_hash = null`
    await stage.takeTurns()
    expect((await stage.chargeOf(charge)).status).to.equal('pending')

    await stage.sql`update reconciliations set scanned_number = 0`
    expect(await stage.reconcile()).to.include({ found: 0 })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.deep.include({
      status: 'confirmed',
      sources: ['contract_watcher'],
    })
  })

  it('puts a payment where the chain has it, when the feed’s last word was another block', async () => {
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    await stage.sql`
      update transfers set block_hash = '0xfork', presence = 'missing', missing_since = now(), deep_block_hash = null`
    await stage.sql`update reconciliations set scanned_number = 0`
    expect(await stage.reconcile()).to.include({ found: 1 })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: SETTLED_ATTO })
  })

  it('finds by the balance what no scan has shown', async () => {
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(CONFIRMATIONS)
    await stage.sql`update reconciliations set scanned_number = 1000000`
    expect(await stage.reconcile()).to.include({ found: 1, unexplained: 0 })
    await stage.takeTurns()
    expect((await stage.chargeOf(charge)).status).to.equal('confirmed')
  })

  it('finds by its balance what a Safe got and no scan has shown', async () => {
    const charge = await stage.openCharge({ isEscrow: true })
    await stage.callToken('mint', [charge.address, 10_000_000n])
    await stage.mine(CONFIRMATIONS)
    await stage.sql`update reconciliations set scanned_number = 1000000`
    expect(await stage.reconcile()).to.include({ found: 1, unexplained: 0 })
    await stage.takeTurns()
    expect((await stage.chargeOf(charge)).status).to.equal('confirmed')
  })

  it('catches up by as many blocks as the chain is quick, and by a thousand a turn where a node refuses more', async () => {
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(1200)
    const proxy = await startRpcProxy(stage.rpcUrl)
    const asked: number[] = []
    proxy.rule((method, [query]) => {
      if (method !== 'eth_getLogs') return 'pass'
      const { fromBlock, toBlock } = Object(query)
      asked.push(toBlock - fromBlock + 1)
      return toBlock - fromBlock >= 1000 ? { error: { code: -32005, message: 'range too wide' } } : 'pass'
    })
    try {
      const { turn, counts } = stage.reconciliation({ rpcUrls: [proxy.url], blockTimeMs: 250 })
      expect(await failureOf(turn())).to.include('range too wide')
      for (let outcome = 'more'; outcome === 'more'; ) outcome = await turn()
      expect(counts.found).to.equal(1)
      const most = Math.max(...asked)
      expect(most, 'all at once, while none has refused that').to.be.within(1200, 1300)
      expect([...new Set(asked)]).to.deep.equal([most, 1000, most - 1000])
    } finally {
      await proxy.stop()
    }
  })

  it('compares thousands of charges in one turn, hundreds with one request', async () => {
    const charge = await stage.openCharge()
    const copies = await stage.copyCharge(charge, 1100)
    await stage.callToken('mint', [copies.at(-1), 10_000_000n])
    await stage.mine(CONFIRMATIONS)
    await stage.sql`update reconciliations set scanned_number = 1000000`
    const proxy = await startRpcProxy(stage.rpcUrl)
    let calls = 0
    proxy.rule((method) => {
      if (method === 'eth_call') calls += 1
      return 'pass'
    })
    try {
      expect(await stage.reconcile({ rpcUrls: [proxy.url] })).to.include({ found: 1, unexplained: 0 })
    } finally {
      await proxy.stop()
    }
    expect(calls).to.equal(3)
  })

  it('reports a balance that nothing on the chain explains, and credits nothing for it', async () => {
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    await stage.sql`update transfers set amount_atto = amount_atto + 1000000000000, block_hash = block_hash`
    const { unexplained, lines } = await stage.reconcile()
    expect(unexplained).to.equal(1)
    expect(lines.find(({ level }) => level === 'error' || level === 50)).to.include({
      charge_id: charge.chargeId,
      expected_atomic: '10000001',
      found_atomic: '10000000',
    })
  })

  it('passes over what pays nothing, or nobody of ours', async () => {
    const charge = await stage.openCharge()
    await stage.callToken('mint', [charge.splitAddress, 0n])
    await stage.callToken('mint', ['0x00000000000000000000000000000000000f00d5', 10_000_000n])
    await stage.mine(CONFIRMATIONS)
    expect(await stage.reconcile()).to.include({ found: 0, unexplained: 0 })
  })

  it('sets aside what no column can hold, and finds what stands beside it', async () => {
    const [flooded, paid] = [await stage.openCharge(), await stage.openCharge()]
    await stage.callToken('mint', [flooded.splitAddress, 10n ** 66n])
    await mint(paid)
    await stage.mine(CONFIRMATIONS)
    const { found, lines } = await stage.reconcile()
    expect(found).to.equal(1)
    expect(lines.filter(({ msg }) => String(msg).startsWith('Set aside'))).to.have.length(1)
    await stage.takeTurns()
    expect(await stage.chargeOf(paid)).to.include({ status: 'confirmed' })
    expect(await stage.chargeOf(flooded)).to.include({ status: 'pending', receivedAtto: null })
  })

  it('is done by one daemon at a time', async () => {
    await stage.sql`update reconciliations set next_at = now() + interval '1 minute'`
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(CONFIRMATIONS)
    expect(await stage.reconcile()).to.include({ found: 0 })
  })

  describe('behind nodes that lie', () => {
    let proxy: RpcProxy

    beforeEach(async () => {
      proxy = await startRpcProxy(stage.rpcUrl)
    })

    afterEach(() => proxy.stop())

    it('does not believe a head that its node does not have', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      proxy.rule((method) => (method === 'eth_blockNumber' ? { result: '0xffff' } : 'pass'))
      expect(await failureOf(stage.reconcile({ rpcUrls: [proxy.url] }))).to.include('no node answered')
      const beside = stage.reconcile({ rpcUrls: [stage.rpcUrl, proxy.url] })
      expect(await failureOf(beside)).to.include('no second node confirms')
      await stage.takeTurns()
      expect((await stage.chargeOf(charge)).status).to.equal('pending')
    })

    it('goes by the head of the node that is furthest behind', async () => {
      const charge = await stage.openCharge()
      const { number: before } = await stage.node.getBlock()
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      proxy.rule((method) => (method === 'eth_blockNumber' ? { result: `0x${before.toString(16)}` } : 'pass'))
      expect(await stage.reconcile({ rpcUrls: [stage.rpcUrl, proxy.url] })).to.include({ found: 0 })
    })

    it('does not let one that makes up a head leave the others out as if they had stopped', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      const { number: head } = await stage.node.getBlock()
      proxy.rule((method, [block]) => {
        if (method === 'eth_blockNumber') return { result: '0xffff' }
        return method === 'eth_getBlockByNumber' && BigInt(String(block)) > head
          ? { params: ['latest', false] }
          : 'pass'
      })
      expect(await stage.reconcile({ rpcUrls: [stage.rpcUrl, proxy.url] })).to.include({ found: 0 })
    })

    it('leaves out one that has stopped ten minutes ago, with an alert that names it', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      proxy.rule((method) => (method === 'eth_blockNumber' ? { result: '0x1' } : 'pass'))
      await stage.node.mine({ blocks: 700, interval: 1 })
      const { timestamp } = await stage.node.getBlock()
      stage.time.now = new Date(Number(timestamp) * 1000) // The chain's: our clock may be anywhere beside it.
      const { found, lines } = await stage.reconcile({ rpcUrls: [stage.rpcUrl, proxy.url] })
      expect(found).to.equal(1)
      const alerts = lines.filter(({ level, msg }) => level === 'error' && String(msg).includes('stopped'))
      expect(alerts.map(({ node }) => node)).to.deep.equal([new URL(proxy.url).host])
    })

    it('has an empty range confirmed by a second node', async () => {
      const [charge, other] = [await stage.openCharge(), await startRpcProxy(stage.rpcUrl)]
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      // No balance says what the scan does not.
      proxy.rule((method) => {
        if (method === 'eth_getLogs') return { result: [] }
        return method === 'eth_call' ? 'error' : 'pass'
      })
      other.rule((method) => (method === 'eth_call' ? 'error' : 'pass'))
      try {
        await failureOf(stage.reconcile({ rpcUrls: [proxy.url, other.url] }))
      } finally {
        await other.stop()
      }
      await stage.takeTurns()
      expect((await stage.chargeOf(charge)).status).to.equal('confirmed')
    })

    it('has what a node shows of some charges confirmed as well, for it may leave out that of others', async () => {
      const [shown, hidden] = [await stage.openCharge(), await stage.openCharge()]
      for (const charge of [shown, hidden]) await mint(charge)
      // No balance says what the scan does not.
      await stage.distributeAsKeeper(hidden)
      await stage.mine(CONFIRMATIONS)
      proxy.rule((method, [query]) =>
        method === 'eth_getLogs' ? { params: [without(hidden, query)] } : 'pass',
      )
      expect(await stage.reconcile({ rpcUrls: [proxy.url] }), 'alone').to.include({ found: 1 })
      await stage.sql`update reconciliations set scanned_number = 0`
      expect(await stage.reconcile({ rpcUrls: [proxy.url, stage.rpcUrl] })).to.include({ found: 2 })
      await stage.takeTurns()
      for (const charge of [shown, hidden])
        expect((await stage.chargeOf(charge)).status).to.equal('confirmed')
    })

    it('reads of the one what the other lists and does not tell of', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      proxy.rule((method) => (method === 'eth_getTransactionReceipt' ? 'error' : 'pass'))
      expect(await failureOf(stage.reconcile({ rpcUrls: [proxy.url] }))).to.include('out of order')
      expect(await stage.reconcile({ rpcUrls: [proxy.url, stage.rpcUrl] })).to.include({ found: 1 })
    })

    describe('leaves no range behind that a second node could not confirm yet', () => {
      for (const { what, isPaid } of [
        { what: 'in which one shows nothing', isPaid: false },
        { what: 'in which one shows something', isPaid: true },
      ])
        it(what, async () => {
          const charge = await stage.openCharge()
          if (isPaid) await mint(charge)
          proxy.rule((method) => (method === 'eth_getLogs' ? 'error' : 'pass'))
          await expectNotPassed()
          await stage.takeTurns()
          expect((await stage.chargeOf(charge)).status).to.equal(isPaid ? 'confirmed' : 'pending')
        })

      it('because it does not answer at all, for ten minutes', async () => {
        await stage.openCharge()
        proxy.rule(() => 'error')
        const { turn, lines } = await expectNotPassed()
        stage.advance(600)
        await turn()
        const alerts = lines.filter(({ level }) => level === 'error').map(({ msg }) => msg)
        expect(alerts).to.deep.equal(['A range is passed that no second node has confirmed'])
      })

      async function expectNotPassed() {
        await stage.mine(CONFIRMATIONS)
        const before = await stage.sql`select scanned_number from reconciliations`
        const reconciliation = stage.reconciliation({ rpcUrls: [stage.rpcUrl, proxy.url] })
        expect(await failureOf(reconciliation.turn())).to.include('no second node confirms')
        expect(await stage.sql`select scanned_number from reconciliations`).to.deep.equal(before)
        return reconciliation
      }
    })

    it('records nothing that has moved above its range since its log was read', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      const { number, hash } = await stage.node.getBlock()
      const moved = { blockNumber: numberToHex(number), blockHash: hash }
      proxy.rule(async (method, params) => {
        if (method !== 'eth_getTransactionReceipt') return 'pass'
        const receipt = await stage.node.request({ method, params } as never)
        return { result: { ...(receipt as object), ...moved } }
      })
      expect(await stage.reconcile({ rpcUrls: [proxy.url] })).to.include({ found: 0 })
      await stage.takeTurns()
      expect((await stage.chargeOf(charge)).status).to.equal('pending')

      proxy.rule(() => 'pass')
      await stage.sql`update reconciliations set scanned_number = 0`
      expect(await stage.reconcile({ rpcUrls: [proxy.url] })).to.include({ found: 1 })
    })

    it('does not believe a log without its receipt', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      proxy.rule((method) => (method === 'eth_getTransactionReceipt' ? { result: null } : 'pass'))
      expect(await stage.reconcile({ rpcUrls: [proxy.url] })).to.include({ found: 0 })
    })

    it('looks at nothing while a node serves another chain, and catches up later', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      proxy.rule((method) => (method === 'eth_chainId' ? { result: '0x2105' } : 'pass'))
      expect(await failureOf(stage.reconcile({ rpcUrls: [proxy.url] }))).to.include('no node answered')
      proxy.rule(() => 'pass')
      expect(await stage.reconcile({ rpcUrls: [proxy.url] })).to.include({ found: 1 })
    })
  })

  /** The same question about the others alone. */
  function without({ splitAddress }: PaidCharge, query: unknown): unknown {
    const { address, topics, ...rest } = query as { address: readonly string[]; topics: readonly unknown[] }
    const isOther = (one: string) => !one.toLowerCase().endsWith(splitAddress.slice(2))
    const others = (wanted: unknown) => (Array.isArray(wanted) ? wanted.filter(isOther) : wanted)
    return { ...rest, address: address.filter(isOther), topics: topics.map(others) }
  }

  /** What a payer does; mined at once. */
  function mint({ splitAddress }: PaidCharge): Promise<void> {
    return stage.callToken('mint', [splitAddress, 10_000_000n])
  }
})
