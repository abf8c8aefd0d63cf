import { expect } from 'chai'
import { restWhileAsleep } from '../../../indexer/relayer/rest-while-asleep.ts'
import type { Db } from '../../../shared/db/connect.ts'

const MINUTE = 60_000

describe('a duty of a network', () => {
  let turns: number
  let isAsleep: boolean
  let now: Date
  let turn: ReturnType<typeof restWhileAsleep>

  beforeEach(() => {
    turns = 0
    isAsleep = true
    now = new Date('2026-11-21T12:00:00Z')
    const sql = (async () => (isAsleep ? [{}] : [])) as unknown as Db
    turn = restWhileAsleep({ sql, chainId: 8453, now: () => now }, async () => {
      turns += 1
      return 'idle'
    })
  })

  it('runs once at the start, and then once an hour, while the network sleeps', async () => {
    for (let minute = 0; minute < 61; minute += 1) {
      await turn()
      now = new Date(now.getTime() + MINUTE)
    }
    expect(turns).to.equal(2)
  })

  it('runs in each turn while the network is awake', async () => {
    isAsleep = false
    await turn()
    await turn()
    expect(turns).to.equal(2)
  })
})
