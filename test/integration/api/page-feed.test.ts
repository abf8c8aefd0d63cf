import { expect } from 'chai'
import { createPageFeed } from '../../../api/streams/page-feed.ts'
import { createStreamIds } from '../../../api/streams/stream-ids.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { recordStream } from '../../support/record-stream.ts'
import { STALE_AFTER } from '../../support/rows.ts'

const PAGES = 450
const TURN = { progress: false, isPoll: false }

describe('the streams of payers’ pages', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.drop())

  /** Creates a feed with `PAGES` pages, none of which has received its first frame. */
  const follow = (fail: () => boolean = () => false) => {
    const read: number[] = []
    const feed = createPageFeed({
      sql: database.sql,
      ids: createStreamIds(['secret']),
      staleAfter: STALE_AFTER,
      readPages: async (ids) => {
        if (fail()) throw new Error('the database is down')
        read.push(ids.length)
        return new Map(ids.map((id) => [id, { data: `"${id}"`, revision: id, isFinal: false }]))
      },
    })
    const sent: string[] = []
    const toSent = recordStream((frame) => sent.push(frame))
    for (let page = 0; page < PAGES; page += 1) feed.follow(`ch_${page}`, toSent)
    return { feed, read, sent }
  }
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0)

  it('send to at most 200 pages per refresh, until every page is up to date', async () => {
    const { feed, read, sent } = follow()
    const totals = []
    for (const expected of ['more', 'more', 'idle'] as const) {
      expect(await feed.refresh(TURN)).to.equal(expected)
      totals.push(sum(read))
    }
    expect(totals).to.deep.equal([200, 400, PAGES])
    expect(new Set(sent)).to.have.property('size', PAGES)
  })

  it('do not lose a page when a read fails', async () => {
    let isDown = true
    const { feed, sent } = follow(() => isDown)
    expect(await feed.refresh(TURN).catch(String)).to.equal('Error: the database is down')
    isDown = false
    while ((await feed.refresh(TURN)) === 'more');
    expect(new Set(sent)).to.have.property('size', PAGES)
  })
})
