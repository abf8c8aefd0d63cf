import { expect } from 'chai'
import type { ProofResult } from '../../../indexer/evidence/prove-receipts.ts'
import { queryInTurn } from '../../../indexer/evidence/query-in-turn.ts'
import { createChainNodes } from '../../../shared/chain/nodes/chain-nodes.ts'
import { markThrottle, NodeBudgetError } from '../../../shared/chain/pacing/throttle.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import { recordingLog } from '../../support/recording-log.ts'

const HASH = `0x${'aa'.repeat(32)}` as const
const WANTED = { blockHash: HASH, logsOf: new Map([[HASH, []]]) }
const PROVEN: ProofResult = {
  proof: { header: '0x01', nodes: ['0x02'], transactionIndex: 0, firstLogIndex: 0 },
  reason: null,
}
const NOT_SERVED: ProofResult = { proof: null, reason: 'block_not_served' }
const UNKNOWN_HEADER: ProofResult = { proof: null, reason: 'unknown_header' }
const UNKNOWN_RECEIPTS: ProofResult = { proof: null, reason: 'unknown_receipts' }

describe('queryInTurn', () => {
  const { log } = recordingLog()

  /** Queries the nodes a, b and c, which respond with `answers` in this order; `null` and errors are failures. */
  async function query(answers: readonly (ProofResult | Error | null)[], attempt = 1) {
    const nodes = nodesAt(['http://a.example', 'http://b.example', 'http://c.example'])
    const asked: string[] = []
    const prover = {
      ...{ stop: () => Promise.resolve(), isStopped: () => false },
      prove: ({ url }: { readonly url: string }) => {
        asked.push(new URL(url).hostname.slice(0, 1))
        const answer = answers['abc'.indexOf(asked.at(-1) ?? '')]
        if (answer instanceof Error) return Promise.reject(answer)
        return answer ? Promise.resolve(new Map([[HASH, answer]])) : Promise.reject(new Error('no response'))
      },
    }
    const chain = createChainNodes({ chainId: 1, ...nodes })
    const answer = await queryInTurn({ log, prover }, chain, { wanted: WANTED, attempt })
    const { results, isUnanimous, isUnsent } = answer
    const failed = chain.nodes.filter(chain.health.hasFailed).map(({ url }) => new URL(url).hostname[0])
    return { asked: asked.join(''), reason: results.get(HASH)?.reason, isUnanimous, isUnsent, failed }
  }

  it('returns the result of the first node that has the block', async () => {
    const expected = { asked: 'a', reason: null, isUnanimous: false, isUnsent: false, failed: [] }
    expect(await query([PROVEN, null, null])).to.deep.equal(expected)
  })

  it('tries the next node in the same attempt if a node fails, lacks the block or has an unknown header', async () => {
    for (const first of [null, NOT_SERVED, UNKNOWN_HEADER])
      expect(await query([first, PROVEN, null])).to.deep.include({ asked: 'ab', reason: null })
  })

  it('stops if receipts do not match the header, and starts the next attempt with the next node', async () => {
    const answers = [UNKNOWN_RECEIPTS, UNKNOWN_RECEIPTS, PROVEN]
    expect(await query(answers)).to.deep.include({ asked: 'a', reason: 'unknown_receipts' })
    expect(await query(answers, 2)).to.deep.include({ asked: 'b', reason: 'unknown_receipts' })
    expect(await query(answers, 3)).to.deep.include({ asked: 'c', reason: null })
    expect(await query(answers, 4)).to.deep.include({ asked: 'a' })
  })

  it('reports a reason as unanimous only if every node returns this reason', async () => {
    const all = [UNKNOWN_HEADER, UNKNOWN_HEADER, UNKNOWN_HEADER]
    expect(await query(all)).to.deep.include({ asked: 'abc', reason: 'unknown_header', isUnanimous: true })
    expect((await query([UNKNOWN_HEADER, NOT_SERVED, UNKNOWN_HEADER])).isUnanimous).to.equal(false)
    expect((await query([UNKNOWN_HEADER, null, UNKNOWN_HEADER])).isUnanimous).to.equal(false)
    expect(await query([null, null, null])).to.deep.include({
      reason: 'block_not_served',
      isUnanimous: false,
    })
  })

  it('queries the next node if a node’s request budget is exhausted, which is not a failure', async () => {
    const noRoom = new NodeBudgetError('no room')
    const throttled = markThrottle(new Error('429'), { retryAfterMs: null })
    expect(await query([noRoom, PROVEN, null])).to.deep.include({ asked: 'ab', reason: null, failed: [] })
    for (const budget of [noRoom, throttled])
      expect(await query([NOT_SERVED, budget, null])).to.deep.include({
        ...{ asked: 'abc', reason: 'block_not_served' },
        ...{ isUnanimous: false, isUnsent: true, failed: ['c'] },
      })
  })
})
