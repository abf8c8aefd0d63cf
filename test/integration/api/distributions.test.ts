import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { PendingDistribution } from '../../../api/distributions/schema.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { appendEvent, insertPayout } from '../../support/daemon-rows.ts'
import { type EventReader, readEvents } from '../../support/read-events.ts'

const CHARGE = { amount: 10, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }

const YESTERDAY = new Date(Date.now() - 25 * 3_600_000)

const isPendingDistribution = new Ajv2020({ strict: true }).compile(PendingDistribution)

describe('the keeper feed', () => {
  let api: TestApi
  let key: string
  /** Split addresses of the live distributions, in the order of availability. */
  let splits: string[]
  const readers: EventReader[] = []

  before(async () => {
    api = await startTestApi()
    const merchant = await api.issueKey()
    ;({ key } = await api.issueKey({ organization: 'org_keeper', scopes: [] }))
    const made = []
    for (let index = 0; index < 5; index += 1) made.push(await makeDistribution(merchant.key, index))
    splits = made.map(({ body }) => body.address)
    const test = await api.issueKey({ environment: 'test' })
    await makeDistribution(test.key, 9)
  })
  afterEach(() => readers.splice(0).forEach((reader) => reader.close()))
  after(() => api.stop())

  async function makeDistribution(withKey: string, minute: number): Promise<Answer> {
    const answer = await call(api, 'POST /v1/charges', { key: withKey, body: CHARGE })
    await insertPayout(api.owner, {
      chargeId: answer.body.id,
      creditedAtomic: '10000000',
      availableSince: `2026-11-20T12:0${minute}:00.123456Z`,
    })
    return answer
  }
  const list = (query = '', withKey = key) =>
    call(api, `GET /v1/distributions/pending${query}`, { key: withKey })
  const splitsOf = (body: { data: { splitAddress: string }[] }): string[] =>
    body.data.map(({ splitAddress }) => splitAddress)

  describe('GET /v1/distributions/pending', () => {
    it('shows a key of another organization the pending distributions with their terms', async () => {
      const { body } = await list()
      expect(splitsOf(body)).to.deep.equal(splits)
      const [first] = body.data
      expect(first).to.deep.include({
        network: 'base',
        token: 'USDC',
        distributorFeePercent: 0.1,
        estimatedRewardAmount: 0.01,
        availableSince: '2026-11-20T12:00:00.123Z',
        chainId: 8453,
        deployed: false,
      })
      expect(
        first.recipients.map((one: { percentAllocation: number }) => one.percentAllocation),
      ).to.deep.equal([99.0991, 0.9009])
    })

    it('pages without omitting or repeating distributions', async () => {
      const found: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { body } = await list(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
        found.push(...splitsOf(body))
        cursor = body.nextCursor
      }
      expect(found).to.deep.equal(splits)
    })

    it("shows only the key's environment", async () => {
      const test = await api.issueKey({ environment: 'test' })
      expect((await list('', test.key)).body.data).to.have.length(1)
      const { nextCursor } = (await list('?limit=1')).body
      expectError(await list(`?limit=1&cursor=${nextCursor}`, test.key), '400 validation_error', 'cursor')
    })

    it('omits claimed and held distributions, and distributions without an amount left to distribute', async () => {
      const changes: readonly (readonly [change: string, back: string])[] = [
        [`update payouts set status = 'processing'`, `update payouts set status = 'pending'`],
        [`update payouts set held_since = now()`, `update payouts set held_since = null`],
        [
          `update charge_ledgers set distributed_atomic = credited_atomic`,
          `update charge_ledgers set distributed_atomic = 0`,
        ],
      ]
      for (const [change, back] of changes) {
        await api.owner.unsafe(change)
        expect((await list()).body.data, change).to.deep.equal([])
        await api.owner.unsafe(back)
      }
      expect((await list()).body.data).to.have.length(5)
    })

    it('lists payouts that the service has abandoned if they have an amount left to distribute', async () => {
      await api.owner`update payouts set status = 'failed'`
      expect(splitsOf((await list()).body)).to.deep.equal(splits)
      await api.owner`update payouts set status = 'pending'`
    })

    for (const [query, param] of [
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['cursor=x', 'cursor'],
      ['network=base', 'network'],
    ] as const) {
      it(`rejects ${query}`, async () => expectError(await list(`?${query}`), '400 validation_error', param))
    }
  })

  describe('GET /v1/distributions/pending/events', () => {
    const follow = async (
      options: { query?: string; lastEventId?: string; key?: string } = {},
    ): Promise<EventReader> => {
      const reader = await readEvents(
        `${api.baseUrl}/v1/distributions/pending/events${options.query ?? ''}`,
        {
          key: options.key ?? key,
          ...(options.lastEventId === undefined ? {} : { headers: { 'last-event-id': options.lastEventId } }),
        },
      )
      readers.push(reader)
      expect(reader.status).to.equal(200)
      return reader
    }
    const publish = (
      name: string,
      change: { environment?: string; createdAt?: Date } = {},
    ): Promise<number> =>
      appendEvent(api.owner, {
        type: 'distribution.claimed',
        category: 'distributions',
        data: JSON.stringify({ type: 'distribution.claimed', splitAddress: name }),
        ...change,
      })
    const namesOf = ({ events }: EventReader): string[] =>
      events.map(({ data }) => JSON.parse(data).splitAddress)

    it('sends each event of its environment with its id, by default without a snapshot', async () => {
      const reader = await follow()
      const seq = await publish('0x1')
      await publish('0xtest', { environment: 'test' })
      await appendEvent(api.owner, { type: 'charge.updated', category: 'internal' })
      await publish('0x2')
      await reader.until('two events', ({ events }) => events.length === 2)
      expect(namesOf(reader)).to.deep.equal(['0x1', '0x2'])
      expect(reader.events[0]).to.include({ event: 'distribution', id: api.hub.ids.ofEvent(seq) })
    })

    it('sends up to `limit` claimable distributions first', async () => {
      const reader = await follow({ query: '?limit=3' })
      await reader.until('three events', ({ events }) => events.length === 3)
      await publish('0x3')
      await reader.until('the next', ({ events }) => events.length === 4)
      const snapshot = reader.events.slice(0, 3).map(({ event, data }) => ({ event, ...JSON.parse(data) }))
      for (const { event, type, distribution } of snapshot) {
        expect({ event, type }).to.deep.equal({ event: 'distribution', type: 'distribution.available' })
        expect(isPendingDistribution(distribution)).to.equal(true)
      }
      expect(snapshot.map(({ distribution }) => distribution.splitAddress)).to.deep.equal(splits.slice(0, 3))
    })

    it('sends the events after the client’s last event, without a snapshot, and then new events', async () => {
      const seen = await publish('0x4')
      await publish('0x5')
      await publish('0xtest', { environment: 'test' })
      const last = await publish('0x6')
      const reader = await follow({ query: '?limit=3', lastEventId: api.hub.ids.ofEvent(seen) })
      await publish('0x7')
      await reader.until('three events', ({ events }) => events.length === 3)
      expect(namesOf(reader)).to.deep.equal(['0x5', '0x6', '0x7'])
      expect(reader.events[1]?.id).to.equal(api.hub.ids.ofEvent(last))
    })

    it('sends the id to resume from immediately, before the first event', async () => {
      const reader = await follow()
      await reader.until('an id', ({ lastEventId }) => lastEventId() !== '')
      expect(reader.events).to.deep.equal([])
      reader.close()
      await publish('0xmissed')
      const again = await follow({ lastEventId: reader.lastEventId() })
      await again.until('the missed payout', () => namesOf(again).includes('0xmissed'))
    })

    it('resumes after an event of any age if the next event is at most 24 hours old', async () => {
      const seen = await publish('0x8', { createdAt: YESTERDAY })
      await publish('0x9')
      const reader = await follow({ query: '?limit=2', lastEventId: api.hub.ids.ofEvent(seen) })
      await reader.until('an event', ({ events }) => events.length > 0)
      expect(namesOf(reader)).to.deep.equal(['0x9'])
    })

    it('sends a snapshot to a client that missed events older than 24 hours', async () => {
      const seen = await publish('0x8', { createdAt: YESTERDAY })
      await publish('0x9', { createdAt: YESTERDAY })
      await publish('0xa')
      const reader = await follow({ query: '?limit=2', lastEventId: api.hub.ids.ofEvent(seen) })
      await reader.until('the snapshot', ({ events }) => events.length >= 2)
      expect(reader.events.slice(0, 2).map(({ data }) => JSON.parse(data).type)).to.deep.equal([
        'distribution.available',
        'distribution.available',
      ])
    })

    it('sends every event once and in order to a client that resumes while many are published', async () => {
      const seen = await publish('start')
      const names = Array.from({ length: 60 }, (_, index) => `n${index}`)
      const publishing = (async () => {
        for (const name of names) await publish(name)
      })()
      const resumed = await Promise.all(
        Array.from({ length: 5 }, () => follow({ lastEventId: api.hub.ids.ofEvent(seen) })),
      )
      await publishing
      for (const reader of resumed) {
        await reader.until('all', ({ events }) => events.length >= names.length)
        expect(namesOf(reader)).to.deep.equal(names)
      }
    })

    it('sends a snapshot to a client with an invalid id, such as a number', async () => {
      for (const lastEventId of ['x', '0', '1', api.hub.ids.ofEvent(1).slice(1)]) {
        const reader = await follow({ query: '?limit=1', lastEventId })
        await reader.until('the snapshot', ({ events }) => events.length === 1)
        expect(JSON.parse(reader.events[0]?.data ?? '').type).to.equal('distribution.available')
      }
    })

    it('rejects a limit out of range', async () => {
      const path = '/v1/distributions/pending/events'
      for (const limit of ['-1', '101', 'x']) {
        expectError(await call(api, `GET ${path}?limit=${limit}`, { key }), '400 validation_error', 'limit')
      }
    })
  })
})
