import { expect } from 'chai'
import * as fc from 'fast-check'
import { createDayLimit } from '../../../../shared/chain/pacing/day-limit.ts'
import { createNodePacer, type NodeBudget } from '../../../../shared/chain/pacing/node-pacer.ts'
import { PRIORITIES, type Priority } from '../../../../shared/chain/pacing/pacing.ts'
import { sendPaced } from '../../../../shared/chain/pacing/send-paced.ts'
import { isUnsent, markThrottle } from '../../../../shared/chain/pacing/throttle.ts'
import { createVirtualTimers } from '../../../support/virtual-timers.ts'

const DAY_MS = 86_400_000
const UNLIMITED: NodeBudget = { perSecond: null, perDay: null }

type Plan = { readonly budget: NodeBudget; readonly serveMs?: (nowMs: number) => number }

describe('the pacer of a node', () => {
  /** Starts a pacer and a node, and records which requests arrive at the node and which are not sent. */
  function start({ budget, serveMs = () => 0 }: Plan) {
    const timers = createVirtualTimers()
    const pacer = createNodePacer(budget, timers)
    const arrivals: { readonly atMs: number; readonly priority: Priority; readonly name: string }[] = []
    const unsent: string[] = []
    let answer: (() => Error | null) | null = null
    const ask = (name: string, priority: Priority = 'payment', maxWaitMs = 5_000) => {
      const send = () =>
        new Promise<void>((resolve, reject) => {
          const onWayMs = serveMs(timers.nowMs())
          // The request arrives halfway between its sending and its response.
          timers.after(onWayMs / 2, () => arrivals.push({ atMs: timers.nowMs(), priority, name }))
          timers.after(onWayMs, () => {
            const failure = answer?.() ?? null
            if (failure === null) resolve()
            else reject(failure)
          })
        })
      return sendPaced({ pacer, priority }, { maxWaitMs, send }).catch((error: unknown) => {
        if (isUnsent(error)) unsent.push(name)
      })
    }
    return {
      ...{ timers, pacer, arrivals, unsent, ask },
      names: () => arrivals.map(({ name }) => name),
      answerWith: (next: () => Error | null) => {
        answer = next
      },
    }
  }

  /** Returns the most arrivals in any window of this length. */
  function countBusiest(times: readonly number[], windowMs: number): number {
    return Math.max(
      0,
      ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length),
    )
  }

  it('sends every request immediately if the budget is unlimited', async () => {
    const { timers, arrivals, ask } = start({ budget: UNLIMITED })
    for (let index = 0; index < 300; index += 1) void ask(`${index}`)
    await timers.advance(1)
    expect(arrivals).to.have.lengthOf(300)
  })

  /** A process may use a share of a node’s limit, so most limits are not integers. */
  const arbitraryLimit = fc
    .record({ perSecond: fc.integer({ min: 1, max: 15 }), percent: fc.integer({ min: 20, max: 100 }) })
    .map(({ perSecond, percent }) => perSecond * (percent / 100))

  it('never exceeds the limit per second, regardless of the latency of requests', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryLimit,
        fc.array(fc.record({ gapMs: fc.nat({ max: 300 }), wayMs: fc.nat({ max: 900 }) }), { maxLength: 60 }),
        async (perSecond, requests) => {
          const ways = requests.map(({ wayMs }) => wayMs)
          const serveMs = () => ways.shift() ?? 0
          const { timers, arrivals, ask } = start({ budget: { perSecond, perDay: null }, serveMs })
          for (const { gapMs } of requests) {
            void ask('one', 'payment', 600_000)
            await timers.advance(gapMs)
          }
          await timers.advance(600_000)
          const times = arrivals.map(({ atMs }) => atMs)
          expect(times).to.have.lengthOf(requests.length)
          for (let seconds = 1; seconds <= 10; seconds += 1)
            expect(countBusiest(times, seconds * 1_000), `in ${seconds} s`).to.be.at.most(
              Math.ceil(seconds * perSecond - 1e-6),
            )
        },
      ),
      { numRuns: 40 },
    )
  })

  it('sends 50 requests in 20 s with a limit of 2.5 per second', async () => {
    const { timers, arrivals, ask } = start({ budget: { perSecond: 2.5, perDay: null } })
    for (let index = 0; index < 100; index += 1) void ask('one', 'payment', 600_000)
    await timers.advance(19_999)
    expect(arrivals).to.have.lengthOf(50)
  })

  it('spaces requests evenly if the limit is below one per second', async () => {
    const { timers, arrivals, ask } = start({ budget: { perSecond: 0.4, perDay: null } })
    for (let index = 0; index < 3; index += 1) void ask('one', 'payment', 20_000)
    await timers.advance(10_000)
    expect(arrivals.map(({ atMs }) => atMs)).to.deep.equal([0, 2_500, 5_000])
  })

  it('never exceeds the limit per day in any 24 hours, and still sends requests on the third day', async () => {
    const perDay = 480
    const { timers, arrivals, ask } = start({ budget: { perSecond: null, perDay } })
    for (let minute = 0; minute < 3 * 1_440; minute += 1) {
      for (let index = 0; index < 2; index += 1) void ask('one', 'payment', 30_000)
      await timers.advance(60_000)
    }
    const times = arrivals.map(({ atMs }) => atMs)
    expect(countBusiest(times, DAY_MS))
      .to.be.at.most(perDay)
      .and.at.least(perDay - 5)
    expect(times.filter((at) => at > 2.9 * DAY_MS)).to.have.lengthOf.at.least(40)
  })

  it('never exceeds the limit per day of a node that counts requests when they arrive', () => {
    const limits = fc.oneof(
      fc.double({ min: 0.5, max: 10, noNaN: true }),
      fc.integer({ min: 2_000, max: 5_000 }),
    )
    fc.assert(
      fc.property(limits, fc.nat({ max: 59_999 }), (perDay, wayMs) => {
        const day = createDayLimit(perDay, 0)
        let nowMs = 0
        let arrived = 0
        // The requests sent before `wayMs` arrive at `wayMs`, and every later request arrives immediately. All of them
        // arrive within 24 hours.
        while (nowMs < DAY_MS + wayMs) {
          day.take(nowMs)
          arrived += 1
          nowMs = day.getReadyAtMs(nowMs, 'payment')
        }
        expect(arrived).to.be.at.most(Math.max(1, perDay))
      }),
      { numRuns: 30, examples: [[4_800, 59_999]] },
    )
  })

  it('sends the most urgent request first, and equally urgent requests in the order of their arrival', async () => {
    const { timers, names, ask } = start({ budget: { perSecond: 1, perDay: null } })
    void ask('first')
    void ask('compare', 'background')
    void ask('confirm', 'confirmation')
    void ask('pay 1')
    void ask('pay 2')
    await timers.advance(4_500)
    expect(names()).to.deep.equal(['first', 'pay 1', 'pay 2', 'confirm', 'compare'])
  })

  it('still sends background requests while more urgent requests fill the budget', async () => {
    const { timers, arrivals, ask } = start({ budget: { perSecond: 10, perDay: null } })
    for (let index = 0; index < 300; index += 1) {
      void ask('pay', 'payment', 3_000)
      void ask('pay', 'payment', 3_000)
      if (index % 10 === 0) void ask('compare', 'background', 3_000)
      await timers.advance(100)
    }
    const compared = arrivals.filter(({ priority }) => priority === 'background').length
    expect(compared).to.be.at.least(10)
    expect(arrivals.length - compared).to.be.at.least(6 * compared)
  })

  it('reserves half of the daily limit’s burst for requests above background priority', async () => {
    const { timers, names, ask } = start({ budget: { perSecond: null, perDay: 4_800 } })
    for (let index = 0; index < 20; index += 1) void ask('compare', 'background')
    await timers.advance(1)
    expect(names()).to.have.lengthOf(5)
    void ask('pay 1')
    void ask('pay 2')
    await timers.advance(1)
    expect(names()).to.include.members(['pay 1', 'pay 2'])
  })

  it('refuses a request that cannot be sent before its deadline, and does not send it later', async () => {
    const { timers, names, unsent, ask, pacer } = start({ budget: { perSecond: 0.1, perDay: null } })
    void ask('first')
    void ask('late', 'payment', 5_000)
    await timers.advance(4_999)
    expect(unsent).to.deep.equal([])
    await timers.advance(1)
    expect(unsent).to.deep.equal(['late'])
    await timers.advance(60_000)
    expect(names()).to.deep.equal(['first'])
    expect(pacer.getUsage().refused.payment).to.equal(1)
  })

  it('refuses the newest of the least urgent requests if more than 500 wait', async () => {
    const { timers, unsent, ask } = start({ budget: { perSecond: 0.1, perDay: null } })
    void ask('first')
    for (let index = 0; index < 499; index += 1) void ask(`pay ${index}`)
    void ask('compare', 'background')
    await timers.advance(0)
    expect(unsent).to.deep.equal([])
    void ask('pay more')
    await timers.advance(0)
    expect(unsent).to.deep.equal(['compare'])
    void ask('pay too much')
    await timers.advance(0)
    expect(unsent).to.deep.equal(['compare', 'pay too much'])
  })

  it('pauses for exactly the time that the node demands, then sends one request before the others', async () => {
    const { timers, arrivals, ask, answerWith } = start({ budget: UNLIMITED, serveMs: () => 40 })
    answerWith(() => markThrottle(new Error('429'), { retryAfterMs: 3_000 }))
    void ask('refused')
    await timers.advance(100)
    answerWith(() => null)
    for (const name of ['a', 'b', 'c']) void ask(name)
    await timers.advance(2_939)
    expect(arrivals).to.have.lengthOf(1)
    await timers.advance(2_000)
    expect(arrivals.map(({ atMs }) => atMs)).to.deep.equal([20, 3_060, 3_100, 3_100])
  })

  it('sends one request first even if a request from before the pause ends after it', async () => {
    const serveMs = (nowMs: number) => (nowMs === 0 ? 5_000 : 40)
    const { timers, arrivals, ask, answerWith } = start({ budget: UNLIMITED, serveMs })
    void ask('slow')
    await timers.advance(1)
    answerWith(() => markThrottle(new Error('429'), { retryAfterMs: 3_000 }))
    void ask('refused')
    await timers.advance(3_999)
    answerWith(() => null)
    for (const name of ['a', 'b', 'c']) void ask(name)
    await timers.advance(2_000)
    expect(arrivals.map(({ atMs }) => atMs)).to.deep.equal([21, 2_500, 5_020, 5_060, 5_060])
  })

  it('immediately refuses a request whose deadline is before the end of a pause', async () => {
    const { timers, unsent, ask, answerWith } = start({ budget: UNLIMITED })
    answerWith(() => markThrottle(new Error('429'), { retryAfterMs: 60_000 }))
    void ask('refused')
    await timers.advance(1)
    void ask('next')
    await timers.advance(0)
    expect(unsent).to.deep.equal(['next'])
  })

  it('pauses for at most an hour if the node names a time, otherwise twice as long at each demand', async () => {
    const { timers, pacer, ask, answerWith } = start({ budget: UNLIMITED })
    const pauses: number[] = []
    const throttled = async (retryAfterMs: number | null) => {
      answerWith(() => markThrottle(new Error('429'), { retryAfterMs }))
      void ask('one')
      await timers.advance(1)
      pauses.push(pacer.getUsage().pausedMs)
      await timers.advance(pacer.getUsage().pausedMs)
    }
    for (const asked of [null, null, null, 86_400_000, -5]) await throttled(asked)
    expect(pauses.map((ms) => Math.round(ms / 1_000))).to.deep.equal([1, 2, 4, 3_600, 16])
  })

  it('does not double the pause for requests that the node refuses at the same time', async () => {
    const { timers, pacer, ask, answerWith } = start({ budget: UNLIMITED, serveMs: () => 10 })
    answerWith(() => markThrottle(new Error('429'), { retryAfterMs: null }))
    for (let index = 0; index < 8; index += 1) void ask('one')
    await timers.advance(11)
    expect(pacer.getUsage().pausedMs).to.be.at.most(1_000)
    expect(pacer.getUsage().throttled).to.equal(8)
  })

  it('releases a slot only once, even if the end of its request is reported twice', async () => {
    const { timers, pacer } = start({ budget: { perSecond: 1, perDay: null } })
    const end = await pacer.acquire({ priority: 'payment', maxWaitMs: 0 })
    end(null)
    end(null)
    const [one, other] = [0, 1].map(() => pacer.acquire({ priority: 'payment', maxWaitMs: 1_500 }))
    const results: string[] = []
    void one?.then(() => results.push('sent'))
    void other?.catch(() => results.push('refused'))
    await timers.advance(5_000)
    expect(results).to.deep.equal(['sent', 'refused'])
  })

  it('counts the requests that were sent, by priority and in the last 24 hours', async () => {
    const { timers, pacer, ask } = start({ budget: UNLIMITED })
    for (const priority of PRIORITIES) void ask('one', priority)
    await timers.advance(1)
    expect(pacer.getUsage()).to.deep.include({ waiting: 0, pausedMs: 0, sentInDay: 3, throttled: 0 })
    expect(pacer.getUsage().sent).to.deep.equal({ payment: 1, confirmation: 1, background: 1 })
    await timers.advance(DAY_MS / 2)
    void ask('later')
    await timers.advance(DAY_MS / 2 + 3_600_000)
    expect(pacer.getUsage().sentInDay).to.equal(1)
  })
})
