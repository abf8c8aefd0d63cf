import { expect } from 'chai'
import { createEndpointSlots } from '../../../indexer/webhooks/endpoint-slots.ts'
import type { ClaimedDelivery } from '../../../shared/db/webhooks/daemon/claim-deliveries.ts'

const START_MS = Date.parse('2026-11-23T04:00:00Z')
const LEASE_MS = 15_000
const MIN_LEASE_MS = 14_000

describe('the slots of an endpoint', () => {
  it('are five, and further deliveries wait until one is free', async () => {
    const { slots, begun, end, settled } = stage()
    for (let id = 1; id <= 7; id += 1) slots.take(delivery(id), false)
    expect(begun()).to.deep.equal([1, 2, 3, 4, 5])
    expect(slots.held()).to.equal(2)
    await end(2, true)
    expect(begun()).to.deep.equal([1, 2, 3, 4, 5, 6])
    expect(slots.underWay()).to.have.length(5)
    for (const id of [1, 3, 4, 5, 6, 7]) await end(id, true)
    await settled()
    expect(begun()).to.deep.equal([1, 2, 3, 4, 5, 6, 7])
  })

  it('are not shared with other endpoints', () => {
    const { slots, begun } = stage()
    for (let id = 1; id <= 6; id += 1) slots.take(delivery(id), false)
    slots.take(delivery(7, 'wh_other'), false)
    expect(begun()).to.deep.equal([1, 2, 3, 4, 5, 7])
  })

  it('allow leasing deliveries ahead after a fast success, until a delivery is held', async () => {
    const { slots, end } = stage()
    expect(slots.roomAhead('wh_one')).to.equal(0)
    slots.take(delivery(1), false)
    await end(1, true)
    expect(slots.roomAhead('wh_one')).to.be.above(0)
    for (let id = 2; id <= 7; id += 1) slots.take(delivery(id), false)
    expect(slots.roomAhead('wh_one')).to.equal(0)
  })

  it('do not allow leasing deliveries ahead after a slow success', async () => {
    const { slots, end, pass } = stage()
    slots.take(delivery(1), false)
    pass(1_000)
    await end(1, true)
    expect(slots.roomAhead('wh_one')).to.equal(0)
  })

  it('release held deliveries when an attempt fails', async () => {
    const { slots, begun, end, released } = stage()
    for (let id = 1; id <= 8; id += 1) slots.take(delivery(id), false)
    await end(1, false)
    expect(released()).to.deep.equal([6, 7, 8])
    expect(begun()).to.deep.equal([1, 2, 3, 4, 5])
    expect(slots.held()).to.equal(0)
  })

  it('release held deliveries after a slow success', async () => {
    const { slots, begun, end, pass, released } = stage()
    for (let id = 1; id <= 8; id += 1) slots.take(delivery(id), false)
    pass(500)
    await end(1, true)
    expect(released()).to.deep.equal([6, 7, 8])
    expect(begun()).to.deep.equal([1, 2, 3, 4, 5])
  })

  it('release held deliveries when slots have become scarce', async () => {
    const { slots, begun, end, released } = stage({ concurrency: 8 })
    for (let id = 1; id <= 8; id += 1) slots.take(delivery(id), false)
    slots.take(delivery(9, 'wh_two'), false)
    await end(1, true)
    expect(begun()).to.deep.equal([1, 2, 3, 4, 5, 9, 6])
    slots.take(delivery(10, 'wh_three'), false)
    await end(2, true)
    expect(released()).to.deep.equal([7, 8])
    expect(begun()).to.deep.equal([1, 2, 3, 4, 5, 9, 6, 10])
  })

  it('release a delivery that was held too long, even after fast attempts', async () => {
    const { slots, begun, end, pass, released } = stage()
    for (let id = 1; id <= 8; id += 1) slots.take(delivery(id), false)
    for (const id of [1, 6]) {
      pass(400)
      await end(id, true)
    }
    expect(begun()).to.deep.equal([1, 2, 3, 4, 5, 6, 7])
    pass(LEASE_MS - MIN_LEASE_MS - 800 + 1)
    await end(7, true)
    expect(released()).to.deep.equal([8])
    expect(slots.underWay()).to.have.length(4)
  })

  it('do not start a held delivery after `settle` is called', async () => {
    const { slots, begun, end, released, settled } = stage()
    for (let id = 1; id <= 7; id += 1) slots.take(delivery(id), false)
    const ended = settled()
    expect(released()).to.deep.equal([6, 7])
    slots.take(delivery(8), false)
    for (const id of [1, 2, 3, 4, 5]) await end(id, true)
    expect(begun()).to.deep.equal([1, 2, 3, 4, 5])
    expect(released()).to.deep.equal([6, 7, 8])
    await ended
  })

  it('count a delivery twice if it is claimed again during its first attempt', async () => {
    const { slots, end } = stage()
    slots.take(delivery(1), false)
    slots.take(delivery(1), false)
    expect(slots.underWay()).to.have.length(2)
    await end(1, true)
    expect(slots.underWay()).to.have.length(1)
  })
})

/** Creates slots whose attempts end when the test calls `end`. */
function stage({ concurrency = 100 } = {}) {
  let nowMs = START_MS
  const ends = new Map<number, (isSuccess: boolean) => void>()
  const begun: number[] = []
  const released: number[] = []
  const slots = createEndpointSlots({
    attempt: ({ id }) => {
      begun.push(id)
      return new Promise((resolve) => ends.set(id, resolve))
    },
    clock: () => new Date(nowMs),
    concurrency,
    leastLeaseMs: MIN_LEASE_MS,
    release: async (deliveries) => void released.push(...deliveries.map(({ id }) => id)),
    onCount: () => {},
    onFree: () => {},
  })
  return {
    slots,
    begun: () => begun,
    released: () => released,
    pass: (ms: number) => {
      nowMs += ms
    },
    end: async (id: number, isSuccess: boolean) => {
      ends.get(id)?.(isSuccess)
      // One round of the event loop suffices, because all further steps are promises.
      await new Promise((resolve) => setImmediate(resolve))
    },
    settled: () => slots.settle(),
  }
}

function delivery(id: number, webhookId = 'wh_one'): ClaimedDelivery {
  return { id, webhookId, leasedUntil: new Date(START_MS + LEASE_MS) } as ClaimedDelivery
}
