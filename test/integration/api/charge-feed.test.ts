import { expect } from 'chai'
import { prepareNewCharge } from '../../../api/charges/present.ts'
import { createChargeFeed } from '../../../api/streams/charge-feed.ts'
import type { EventStream } from '../../../api/streams/event-stream.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { insertSeenTransfer } from '../../support/daemon-rows.ts'

const CHARGE = { amount: 10, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }

describe('the streams of one charge', () => {
  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
  })
  after(() => api.stop())

  it('start with the charge, even if they are opened while its progress is being read', async () => {
    const { id } = (await call(api, 'POST /v1/charges', { key, body: CHARGE })).body
    await insertSeenTransfer(api.owner, { chargeId: id, blockNumber: 100, txHash: '0xa1' })
    const feed = createChargeFeed({
      sql: api.owner,
      ids: api.hub.ids,
      staleAfter: { blocks: 20, atLeastMs: 120_000 },
      present: ({ charge }) =>
        prepareNewCharge(charge, { config: { checkoutBaseUrl: null }, swap: null })(null),
    })
    const [first, second] = [recordStream(), recordStream()]
    feed.follow(id, first.stream)
    await feed.refresh({ progress: true })
    const reading = feed.refresh({ progress: true })
    feed.follow(id, second.stream)
    await reading
    await feed.refresh({ progress: true })
    expect(first.kinds).to.deep.equal(['charge', 'confirmation_progress'])
    expect(second.kinds).to.deep.equal(['charge', 'confirmation_progress'])
  })
})

/** Creates a stream whose client reads everything immediately, and records the types of its events. */
function recordStream(): { readonly stream: EventStream; readonly kinds: string[] } {
  const kinds: string[] = []
  const stream: EventStream = {
    openedAtMs: 0,
    send: (frame) => void kinds.push(/^event: (.*)$/m.exec(frame.toString())?.[1] ?? ''),
    isCongested: () => false,
    onDrain: () => undefined,
    onClose: () => undefined,
    holdBack: () => undefined,
    end: () => undefined,
    cut: () => undefined,
  }
  return { stream, kinds }
}
