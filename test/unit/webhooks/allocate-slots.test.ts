import { expect } from 'chai'
import { allocatePrefetch, allocateSlots, allocateTurn } from '../../../indexer/webhooks/allocate-slots.ts'

const plenty = { free: 100, freeForFailing: 50, perEndpoint: 5, scarceBelow: 50 }

describe('allocateSlots', () => {
  it('gives a single endpoint the maximum per endpoint', () => {
    expect(allocateSlots([endpoint('a')], plenty)).to.deep.equal([{ webhookId: 'a', slots: 5 }])
  })

  it('subtracts the attempts in flight', () => {
    expect(
      allocateSlots([endpoint('a', { underWay: 3 }), endpoint('b', { underWay: 5 })], plenty),
    ).to.deep.equal([{ webhookId: 'a', slots: 2 }])
  })

  it('gives each endpoint one slot before any gets a second, in the order of the endpoints', () => {
    const endpoints = ['a', 'b', 'c', 'd'].map((id) => endpoint(id))
    expect(allocateSlots(endpoints, { ...plenty, free: 3 })).to.deep.equal([
      { webhookId: 'a', slots: 1 },
      { webhookId: 'b', slots: 1 },
      { webhookId: 'c', slots: 1 },
    ])
    expect(allocateSlots(endpoints, { ...plenty, free: 6 })).to.deep.equal([
      { webhookId: 'a', slots: 2 },
      { webhookId: 'b', slots: 2 },
      { webhookId: 'c', slots: 1 },
      { webhookId: 'd', slots: 1 },
    ])
  })

  it('gives a failing endpoint one slot, but none while an attempt is in flight', () => {
    const failing = [endpoint('a', { isFailing: true }), endpoint('b', { isFailing: true, underWay: 1 })]
    expect(allocateSlots(failing, plenty)).to.deep.equal([{ webhookId: 'a', slots: 1 }])
  })

  it('gives all failing endpoints together at most the slots reserved for them', () => {
    const endpoints = [...['a', 'b', 'c'].map((id) => endpoint(id, { isFailing: true })), endpoint('d')]
    expect(allocateSlots(endpoints, { ...plenty, free: 10, freeForFailing: 2 })).to.deep.equal([
      { webhookId: 'a', slots: 1 },
      { webhookId: 'b', slots: 1 },
      { webhookId: 'd', slots: 5 },
    ])
    expect(allocateSlots(endpoints, { ...plenty, free: 10, freeForFailing: -1 })).to.deep.equal([
      { webhookId: 'd', slots: 5 },
    ])
  })

  it('gives no slot if none is free', () => {
    expect(allocateSlots([endpoint('a')], { ...plenty, free: 0 })).to.deep.equal([])
  })
})

describe('allocatePrefetch', () => {
  const ahead = { free: 12, of: () => 10 }
  const full = (id: string) => endpoint(id, { underWay: 5 })

  it('leases more deliveries for an endpoint whose slots are all used', () => {
    expect(allocatePrefetch([full('a')], [], { capacity: plenty, ahead })).to.deep.equal([
      { webhookId: 'a', slots: 10 },
    ])
    const slots = [{ webhookId: 'b', slots: 5 }]
    expect(allocatePrefetch([endpoint('b')], slots, { capacity: plenty, ahead })).to.deep.equal([
      { webhookId: 'b', slots: 15 },
    ])
  })

  it('does not lease ahead for an endpoint that has free slots or fails', () => {
    const slots = [
      { webhookId: 'a', slots: 2 },
      { webhookId: 'b', slots: 1 },
    ]
    const endpoints = [endpoint('a'), endpoint('b', { isFailing: true, underWay: 4 })]
    expect(allocatePrefetch(endpoints, slots, { capacity: plenty, ahead })).to.deep.equal(slots)
  })

  it('leases at most the given total number of deliveries ahead', () => {
    expect(
      allocatePrefetch([full('a'), full('b'), full('c')], [], { capacity: plenty, ahead }),
    ).to.deep.equal([
      { webhookId: 'a', slots: 10 },
      { webhookId: 'b', slots: 2 },
    ])
  })

  it('does not lease ahead while each endpoint may use only one slot', () => {
    const capacity = { ...plenty, free: 50, perEndpoint: 1 }
    expect(allocatePrefetch([full('a')], [], { capacity, ahead })).to.deep.equal([])
  })

  it('does not lease ahead if this turn’s slots leave too few free slots', () => {
    const slots = [{ webhookId: 'b', slots: 5 }]
    const endpoints = [full('a'), endpoint('b')]
    const leasedAhead = (free: number) =>
      allocatePrefetch(endpoints, slots, { capacity: { ...plenty, free }, ahead }).length > 1
    expect(leasedAhead(55)).to.equal(true)
    expect(leasedAhead(54)).to.equal(false)
  })
})

describe('allocateTurn', () => {
  const endpoints = [endpoint('a'), endpoint('b'), endpoint('c'), endpoint('d', { underWay: 5 })]
  const capacity = { ...plenty, free: 2, scarceBelow: 0 }

  it('starts the next turn after the last endpoint with a slot, regardless of deliveries leased ahead', () => {
    const ahead = { free: 10, of: (id: string) => (id === 'd' ? 10 : 0) }
    expect(allocateTurn(endpoints, { capacity, ahead })).to.deep.equal({
      claims: [
        { webhookId: 'a', slots: 1 },
        { webhookId: 'b', slots: 1 },
        { webhookId: 'd', slots: 10 },
      ],
      lastServed: 'b',
    })
  })

  it('starts the next turn after the last examined endpoint if no endpoint got a slot', () => {
    const ahead = { free: 0, of: () => 0 }
    const turn = allocateTurn(endpoints, { capacity: { ...capacity, free: 0 }, ahead })
    expect(turn).to.deep.equal({ claims: [], lastServed: 'd' })
  })
})

function endpoint(webhookId: string, changes: { isFailing?: boolean; underWay?: number } = {}) {
  return { webhookId, isFailing: false, underWay: 0, ...changes }
}
