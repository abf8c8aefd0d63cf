import { expect } from 'chai'
import { numberToHex } from 'viem'
import {
  CONFIRMATIONS,
  catchMessage,
  GRACE_SECONDS,
  type PaidCharge,
  type Stage,
} from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const STOPPED = 'Nodes have stalled, or are on a branch other than the quorum’s'
const UNSURE = 'A node lists a transaction that no quorum confirms or denies: its range is scanned again'
const SETTLED_ATTO = 10_000_000_000_000_000_000n

describe('reconciliation without Ponder', () => {
  let stage: Stage

  stageForEach(async (fresh) => {
    stage = fresh
    await stage.reconcile()
  })

  it('credits a payment only once it is confirmed', async () => {
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

  it('records no new rows on a second run', async () => {
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    await stage.sql`update reconciliations set scanned_block_number = 0`
    expect(await stage.reconcile()).to.include({ found: 0 })
    await stage.takeTurns()
    expect((await stage.chargeOf(charge)).receivedAtto).to.equal(SETTLED_ATTO)
  })

  it('settles the payouts of our worker', async () => {
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

  it('confirms a payment that the feed had detected before it went down', async () => {
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    // The state in which the feed leaves a row that was above the confirmed head at the feed's last block.
    await stage.sql`update transfers set source = 'contract_watcher', ponder_schema = 'ponder_1', corroborated_block_hash = null`
    await stage.takeTurns()
    expect((await stage.chargeOf(charge)).status).to.equal('pending')

    await stage.sql`update reconciliations set scanned_block_number = 0`
    expect(await stage.reconcile()).to.include({ found: 0 })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.deep.include({
      status: 'confirmed',
      sources: ['contract_watcher'],
    })
  })

  it('records a payment in the block that the chain has now, though the feed last reported another block', async () => {
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(CONFIRMATIONS)
    await stage.reconcile()
    await stage.sql`
      update transfers set block_hash = '0xfork', inclusion = 'missing', missing_since = now(), corroborated_block_hash = null`
    await stage.sql`update reconciliations set scanned_block_number = 0`
    expect(await stage.reconcile()).to.include({ found: 1 })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', receivedAtto: SETTLED_ATTO })
  })

  it('finds a payment by the split’s balance if no scan has shown the payment', async () => {
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(CONFIRMATIONS)
    await stage.sql`update reconciliations set scanned_block_number = 1000000`
    expect(await stage.reconcile()).to.include({ found: 1, unexplained: 0 })
    await stage.takeTurns()
    expect((await stage.chargeOf(charge)).status).to.equal('confirmed')
  })

  it('finds a payment into a Safe by the Safe’s balance if no scan has shown the payment', async () => {
    const charge = await stage.openCharge({ isEscrow: true })
    await stage.callToken('mint', [charge.address, 10_000_000n])
    await stage.mine(CONFIRMATIONS)
    await stage.sql`update reconciliations set scanned_block_number = 1000000`
    expect(await stage.reconcile()).to.include({ found: 1, unexplained: 0 })
    await stage.takeTurns()
    expect((await stage.chargeOf(charge)).status).to.equal('confirmed')
  })

  it('scans ranges sized by the chain’s block rate, and only 1,000 blocks per turn if a node rejects more', async () => {
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
      expect(await catchMessage(turn())).to.include('fewer operators than the quorum of 1 list the logs')
      for (let outcome = 'more'; outcome === 'more'; ) outcome = await turn()
      expect(counts.found).to.equal(1)
      const most = Math.max(...asked)
      expect(most, 'all blocks in one request, before a node has rejected that').to.be.within(1200, 1300)
      expect([...new Set(asked)]).to.deep.equal([most, 1000, most - 1000])
    } finally {
      await proxy.stop()
    }
  })

  it('compares the balances of more than a thousand charges in one turn, hundreds per request', async () => {
    const charge = await stage.openCharge()
    const copies = await stage.copyCharge(charge, 1100)
    await stage.callToken('mint', [copies.at(-1), 10_000_000n])
    await stage.mine(CONFIRMATIONS)
    await stage.sql`update reconciliations set scanned_block_number = 1000000`
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

  it('reports a balance that the recorded transfers do not explain, and credits nothing for it', async () => {
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

  it('skips transfers of amount zero and transfers to unknown addresses', async () => {
    const charge = await stage.openCharge()
    await stage.callToken('mint', [charge.splitAddress, 0n])
    await stage.callToken('mint', ['0x00000000000000000000000000000000000f00d5', 10_000_000n])
    await stage.mine(CONFIRMATIONS)
    expect(await stage.reconcile()).to.include({ found: 0, unexplained: 0 })
  })

  it('moves a log with an oversized amount to the dead letters, and still records the other logs', async () => {
    const [flooded, paid] = [await stage.openCharge(), await stage.openCharge()]
    await stage.callToken('mint', [flooded.splitAddress, 10n ** 66n])
    await mint(paid)
    await stage.mine(CONFIRMATIONS)
    const { found, lines } = await stage.reconcile()
    expect(found).to.equal(1)
    expect(
      lines.filter(({ msg }) => String(msg).startsWith('Moved a log to the dead letters')),
    ).to.have.length(1)
    await stage.takeTurns()
    expect(await stage.chargeOf(paid)).to.include({ status: 'confirmed' })
    expect(await stage.chargeOf(flooded)).to.include({ status: 'pending', receivedAtto: null })
  })

  it('does not run before its next scheduled time, so that only one daemon runs it at a time', async () => {
    await stage.sql`update reconciliations set next_attempt_at = now() + interval '1 minute'`
    const charge = await stage.openCharge()
    await mint(charge)
    await stage.mine(CONFIRMATIONS)
    expect(await stage.reconcile()).to.include({ found: 0 })
  })

  describe('with lying nodes', () => {
    let proxy: RpcProxy

    beforeEach(async () => {
      proxy = await startRpcProxy(stage.rpcUrl)
    })

    afterEach(() => proxy.stop())

    it('does not trust a head whose block no quorum shows', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      inventHead()
      expect(await catchMessage(stage.reconcile({ rpcUrls: [proxy.url] }))).to.include(
        'too few nodes responded',
      )
      await stage.takeTurns()
      expect((await stage.chargeOf(charge)).status).to.equal('pending')
    })

    it('uses the head that a quorum has reached, not a higher head that one node claims', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      inventHead()
      for (const rpcUrls of [
        [stage.rpcUrl, proxy.url],
        [proxy.url, stage.rpcUrl, sameNode()],
      ])
        expect(await stage.reconcile({ rpcUrls })).to.include({ found: 0 })
      await stage.mine(CONFIRMATIONS)
      expect(await stage.reconcile({ rpcUrls: [stage.rpcUrl, proxy.url] })).to.include({ found: 1 })
    })

    it('waits until a second node has reached the block, but not for a third node', async () => {
      const charge = await stage.openCharge()
      const { number: before } = await stage.node.getBlock()
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      proxy.rule((method, [tag]) =>
        method === 'eth_getBlockByNumber' && tag === 'latest'
          ? { params: [`0x${before.toString(16)}`, false] }
          : 'pass',
      )
      expect(await stage.reconcile({ rpcUrls: [stage.rpcUrl, proxy.url] })).to.include({ found: 0 })
      expect(await stage.reconcile({ rpcUrls: [stage.rpcUrl, proxy.url, sameNode()] })).to.include({
        found: 1,
      })
    })

    it('names a stalled node in an alert and continues with the two other nodes', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      proxy.rule((method, [tag]) =>
        method === 'eth_getBlockByNumber' && tag === 'latest' ? { params: ['0x1', false] } : 'pass',
      )
      await stage.node.mine({ blocks: 700, interval: 1 })
      const { found, lines } = await stage.reconcile({ rpcUrls: [proxy.url, stage.rpcUrl, sameNode()] })
      expect(found).to.equal(1)
      expect(alertOf(lines, STOPPED)).to.include({ stopped: new URL(proxy.url).host, forked: '' })
    })

    it('does not record rows while two nodes are on different branches, and raises an alert once a third node decides', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      proxy.rule(async (method, params) => {
        if (method !== 'eth_getBlockByNumber' || params[0] === 'latest') return 'pass'
        const block = await stage.node.request({ method, params } as never)
        return { result: { ...(block as object), hash: `0x${'0f'.repeat(32)}` } }
      })
      const two = stage.reconcile({ rpcUrls: [stage.rpcUrl, proxy.url] })
      expect(await catchMessage(two)).to.include('nodes contradict each other')
      const { found, lines } = await stage.reconcile({ rpcUrls: [stage.rpcUrl, proxy.url, sameNode()] })
      expect(found).to.equal(1)
      expect(alertOf(lines, STOPPED)).to.include({ stopped: '', forked: new URL(proxy.url).host })
    })

    it('counts two nodes of the same operator as one vote', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      const one = stage.reconcile({ rpcUrls: [stage.rpcUrl, stage.rpcUrl] })
      expect(await catchMessage(one)).to.include('too few operators returned a head for a quorum of 2')
      await stage.takeTurns()
      expect((await stage.chargeOf(charge)).status).to.equal('pending')
    })

    it('finds logs that one of two nodes omits', async () => {
      const [charge, other] = [await stage.openCharge(), await startRpcProxy(stage.rpcUrl)]
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      // Calls fail, because the comparison of balances would otherwise find the payment too.
      proxy.rule((method) => {
        if (method === 'eth_getLogs') return { result: [] }
        return method === 'eth_call' ? 'error' : 'pass'
      })
      other.rule((method) => (method === 'eth_call' ? 'error' : 'pass'))
      try {
        await catchMessage(stage.reconcile({ rpcUrls: [proxy.url, other.url] }))
      } finally {
        await other.stop()
      }
      await stage.takeTurns()
      expect((await stage.chargeOf(charge)).status).to.equal('confirmed')
    })

    it('searches an unexplained balance again if only the node that omits the payment lists logs', async () => {
      const [charge, other] = [await stage.openCharge(), await startRpcProxy(stage.rpcUrl)]
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      await stage.sql`update reconciliations set scanned_block_number = 1000000`
      proxy.rule((method) => (method === 'eth_getLogs' ? { result: [] } : 'pass'))
      other.rule((method) => (method === 'eth_getLogs' ? 'error' : 'pass'))
      try {
        const { turn, counts } = stage.reconciliation({ rpcUrls: [proxy.url, other.url] })
        expect(await catchMessage(turn())).to.include('fewer operators than the quorum of 2 list the logs')
        other.rule(() => 'pass')
        await turn()
        expect(counts).to.deep.equal({ found: 1, unexplained: 0 })
      } finally {
        await other.stop()
      }
    })

    it('searches every unexplained balance, even if the search for one of them fails', async () => {
      const charges = [await stage.openCharge(), await stage.openCharge()]
      for (const charge of charges) await mint(charge)
      await stage.mine(CONFIRMATIONS)
      await stage.sql`update reconciliations set scanned_block_number = 1000000`
      const [first] = charges.toSorted((a, b) => (a.chargeId < b.chargeId ? -1 : 1))
      const address = first?.splitAddress.slice(2).toLowerCase() ?? ''
      proxy.rule((method, query) =>
        method === 'eth_getLogs' && JSON.stringify(query).toLowerCase().includes(address) ? 'error' : 'pass',
      )
      const { turn, counts } = stage.reconciliation({ rpcUrls: [proxy.url, stage.rpcUrl] })
      expect(await catchMessage(turn())).to.include('fewer operators than the quorum of 2 list the logs')
      // A payment that one node lists is recorded, even though its range does not count as searched.
      expect(counts).to.include({ found: 2 })
    })

    it('finds logs that a node omits for one charge and shows for another charge', async () => {
      const [shown, hidden] = [await stage.openCharge(), await stage.openCharge()]
      for (const charge of [shown, hidden]) await mint(charge)
      // Without the distribution, the comparison of balances would find the payment too.
      await stage.distributeAsKeeper(hidden)
      await stage.mine(CONFIRMATIONS)
      proxy.rule((method, [query]) =>
        method === 'eth_getLogs' ? { params: [without(hidden, query)] } : 'pass',
      )
      expect(await stage.reconcile({ rpcUrls: [proxy.url] }), 'alone').to.include({ found: 1 })
      await stage.sql`update reconciliations set scanned_block_number = 0`
      expect(await stage.reconcile({ rpcUrls: [proxy.url, stage.rpcUrl] })).to.include({ found: 2 })
      await stage.takeTurns()
      for (const charge of [shown, hidden])
        expect((await stage.chargeOf(charge)).status).to.equal('confirmed')
    })

    it('does not complete a range while no quorum confirms or denies one of its logs, and records the log with a third node', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      proxy.rule((method) => (method === 'eth_getTransactionReceipt' ? 'error' : 'pass'))
      const two = stage.reconcile({ rpcUrls: [stage.rpcUrl, proxy.url] })
      expect(await catchMessage(two)).to.include('no quorum confirms or denies a transaction in blocks')
      await stage.takeTurns()
      expect((await stage.chargeOf(charge)).status).to.equal('pending')
      expect(await stage.reconcile({ rpcUrls: [proxy.url, stage.rpcUrl, sameNode()] })).to.include({
        found: 1,
      })
    })

    describe('does not complete a range that a second node has not listed', () => {
      for (const { title, isPaid } of [
        { title: 'if the first node lists no log in it', isPaid: false },
        { title: 'if the first node lists a payment in it', isPaid: true },
      ])
        it(title, async () => {
          const charge = await stage.openCharge()
          if (isPaid) await mint(charge)
          proxy.rule((method) => (method === 'eth_getLogs' ? 'error' : 'pass'))
          await expectNotPassed('fewer operators than the quorum of 2 list the logs')
          expect((await stage.chargeOf(charge)).status).to.equal('pending')
        })

      it('no matter how long the second node does not respond', async () => {
        await stage.openCharge()
        proxy.rule(() => 'error')
        await expectNotPassed('too few operators returned a head for a quorum of 2')
      })

      async function expectNotPassed(message: string) {
        await stage.mine(CONFIRMATIONS)
        const before = await stage.sql`select scanned_block_number from reconciliations`
        const { turn } = stage.reconciliation({ rpcUrls: [stage.rpcUrl, proxy.url] })
        for (const days of [0, 1, 30]) {
          stage.advance(days * 86_400)
          expect(await catchMessage(turn())).to.include(message)
          await stage.takeTurns()
        }
        expect(await stage.sql`select scanned_block_number from reconciliations`).to.deep.equal(before)
      }
    })

    it('does not record a payment that has moved to a block above the scanned range since its log was read', async () => {
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
      await stage.sql`update reconciliations set scanned_block_number = 0`
      expect(await stage.reconcile({ rpcUrls: [proxy.url] })).to.include({ found: 1 })
    })

    it('reports a node that returns a log that is not in the quorum’s receipt, and names the logs of both', async () => {
      const [paid, invented] = [await stage.openCharge(), await stage.openCharge()]
      await mint(paid)
      await stage.mine(CONFIRMATIONS)
      proxy.rule(async (method, params) => {
        if (method !== 'eth_getLogs') return 'pass'
        const logs = (await stage.node.request({ method, params } as never)) as { topics: string[] }[]
        const lies = logs.map(({ topics, ...log }) => ({
          ...log,
          topics: topics.slice(0, 2),
          logIndex: '0x7',
        }))
        return { result: [...logs, ...lies] }
      })
      const { found, lines, contradicting } = await stage.reconcile({ rpcUrls: [stage.rpcUrl, proxy.url] })
      expect(found).to.equal(1)
      const node = new URL(proxy.url).host
      expect(contradicting).to.deep.equal([node])
      const [alert, ...others] = lines.filter(({ msg }) => String(msg).includes('differs from the quorum’s'))
      expect(others).to.deep.equal([])
      expect(alert).to.include({ level: 'error', node })
      const { listed, shown } = Object(alert) as { listed: string[]; shown: string[] }
      expect(listed.map((place) => place.split('/').at(-1))).to.deep.equal(['7'])
      expect(shown.map((place) => place.split('/').at(-1))).to.deep.equal(['0'])
      await stage.takeTurns()
      expect((await stage.chargeOf(invented)).status).to.equal('pending')
    })

    it('treats a missing receipt as a missing response while the node lists the transaction in its block', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      proxy.rule((method) => (method === 'eth_getTransactionReceipt' ? { result: null } : 'pass'))
      expect(await catchMessage(stage.reconcile({ rpcUrls: [proxy.url] }))).to.include(
        'no quorum confirms or denies a transaction',
      )
      await stage.takeTurns()
      expect((await stage.chargeOf(charge)).status).to.equal('pending')
    })

    it('treats a missing receipt as a missing response while the node does not have the block', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      const { number: block } = await stage.node.getBlock()
      await stage.mine(CONFIRMATIONS)
      proxy.rule((method, [at]) => {
        if (method === 'eth_getTransactionReceipt') return { result: null }
        return method === 'eth_getBlockByNumber' && at === `0x${block.toString(16)}`
          ? { result: null }
          : 'pass'
      })
      const { lines, turn } = stage.reconciliation({ rpcUrls: [stage.rpcUrl, proxy.url] })
      expect(await catchMessage(turn())).to.include('no quorum confirms or denies a transaction')
      expect(alertOf(lines, UNSURE)).to.include({ outcome: 'waiting' })
    })

    it('does not record a log that one node invents in a real transaction, and raises an alert', async () => {
      const charge = await stage.openCharge()
      await stage.callToken('mint', ['0x00000000000000000000000000000000000f00d5', 10_000_000n])
      await stage.mine(CONFIRMATIONS)
      inventTransferTo(charge)
      const { lines, turn } = stage.reconciliation({ rpcUrls: [proxy.url, stage.rpcUrl] })
      expect(await catchMessage(turn())).to.include('no quorum confirms or denies a transaction')
      expect(alertOf(lines, UNSURE)).to.include({ outcome: 'disagreed' })
      await stage.takeTurns()
      expect(await stage.chargeOf(charge)).to.include({ status: 'pending', receivedAtto: null })
      expect(await stage.reconcile({ rpcUrls: [proxy.url, stage.rpcUrl, sameNode()] })).to.include({
        found: 0,
      })
      expect(await stage.sql`select from transfers`).to.have.length(0)
    })

    it('does not scan blocks while the only node serves another chain, and catches up later', async () => {
      const charge = await stage.openCharge()
      await mint(charge)
      await stage.mine(CONFIRMATIONS)
      proxy.rule((method) => (method === 'eth_chainId' ? { result: '0x2105' } : 'pass'))
      expect(await catchMessage(stage.reconcile({ rpcUrls: [proxy.url] }))).to.include(
        'nodes that returned a head: 0',
      )
      proxy.rule(() => 'pass')
      expect(await stage.reconcile({ rpcUrls: [proxy.url] })).to.include({ found: 1 })
    })

    /** Makes the proxy's node claim a head far above the chain's, with the timestamp of the last block. */
    function inventHead(): void {
      proxy.rule(async (method, params) => {
        if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return 'pass'
        const block = await stage.node.request({ method, params } as never)
        return { result: { ...(block as object), number: '0xffff' } }
      })
    }

    /** Makes the proxy's node show every transfer of the token as a transfer to this charge's split. */
    function inventTransferTo({ splitAddress }: PaidCharge): void {
      const topic = `0x${splitAddress.slice(2).padStart(64, '0')}`
      const pretend = (log: { readonly topics: readonly string[] }) => ({
        ...log,
        topics: [...log.topics.slice(0, 2), topic],
      })
      proxy.rule(async (method, params) => {
        if (method === 'eth_getLogs') {
          const [query] = params as [{ topics: readonly unknown[] }]
          if (!Array.isArray(query.topics[2])) return 'pass'
          const all = { ...query, topics: [query.topics[0]] }
          const logs = await stage.node.request({ method, params: [all] } as never)
          return { result: (logs as Parameters<typeof pretend>[0][]).map(pretend) }
        }
        if (method !== 'eth_getTransactionReceipt') return 'pass'
        const receipt = await stage.node.request({ method, params } as never)
        const { logs } = receipt as { logs: Parameters<typeof pretend>[0][] }
        return { result: { ...(receipt as object), logs: logs.map(pretend) } }
      })
    }
  })

  /** Returns the URL of the fixture's node under another host name, which counts as a second operator. */
  function sameNode(): string {
    return stage.rpcUrl.replace('127.0.0.1', 'localhost')
  }

  function alertOf(lines: readonly Record<string, unknown>[], msg: string) {
    return lines.find((line) => line['level'] === 'error' && line['msg'] === msg)
  }

  /** Returns the log query without the addresses of this charge. */
  function without({ splitAddress }: PaidCharge, query: unknown): unknown {
    const { address, topics, ...rest } = query as { address: readonly string[]; topics: readonly unknown[] }
    const isOther = (one: string) => !one.toLowerCase().endsWith(splitAddress.slice(2))
    const others = (wanted: unknown) => (Array.isArray(wanted) ? wanted.filter(isOther) : wanted)
    return { ...rest, address: address.filter(isOther), topics: topics.map(others) }
  }

  /** Mints the charged amount to the split in a new block, as a payment. */
  function mint({ splitAddress }: PaidCharge): Promise<void> {
    return stage.callToken('mint', [splitAddress, 10_000_000n])
  }
})
