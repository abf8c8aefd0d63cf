import { expect } from 'chai'
import { prepareNewCharge } from '../../../api/charges/present.ts'
import { createChargeFeed } from '../../../api/streams/charge-feed.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { insertSeenTransfer } from '../../support/daemon-rows.ts'
import { fieldOf, recordStream } from '../../support/record-stream.ts'

const CHARGE = { amount: 10, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }

describe('the streams of one charge', () => {
  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
  })
  after(() => api.stop())

  it('start with the charge, even if they are opened while the charge’s confirmations are being read', async () => {
    const { id } = (await call(api, 'POST /v1/charges', { key, body: CHARGE })).body
    await insertSeenTransfer(api.owner, { chargeId: id, blockNumber: 100, txHash: '0xa1' })
    const feed = createFeed()
    const [first, second]: [string[], string[]] = [[], []]
    feed.follow(id, recordTo(first))
    await feed.refresh({ progress: true })
    const reading = feed.refresh({ progress: true })
    feed.follow(id, recordTo(second))
    await reading
    await feed.refresh({ progress: true })
    const kindsOf = (frames: readonly string[]) => frames.map((frame) => fieldOf(frame, 'event'))
    expect(kindsOf(first)).to.deep.equal(['charge', 'confirmation_progress'])
    expect(kindsOf(second)).to.deep.equal(['charge', 'confirmation_progress'])
  })

  it('start with a state that was read after they were opened', async () => {
    const { id } = (await call(api, 'POST /v1/charges', { key, body: CHARGE })).body
    const [first, second]: [string[], string[]] = [[], []]
    let onRead = (): void => undefined
    const feed = createFeed(() => onRead())
    feed.follow(id, recordTo(first))
    onRead = () => feed.follow(id, recordTo(second))
    await feed.refresh({ progress: false })
    onRead = () => undefined
    await api.owner`update charges set status = 'expired' where id = ${id}`
    await feed.refresh({ progress: false })
    const statuses = second.map((frame) => JSON.parse(fieldOf(frame, 'data')).status as string)
    expect(first).to.have.length(2)
    expect(statuses).to.deep.equal(['expired'])
  })

  function createFeed(onRead: () => void = () => undefined) {
    return createChargeFeed({
      ...{ sql: api.owner, ids: api.hub.ids },
      present: (charge) => {
        onRead()
        return prepareNewCharge(charge, { config: { checkoutBaseUrl: null }, swap: null })(null)
      },
    })
  }

  function recordTo(frames: string[]) {
    return recordStream((frame) => frames.push(frame))
  }
})
