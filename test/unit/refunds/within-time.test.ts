import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { withinTime } from '../../../indexer/refunds/within-time.ts'
import { AppError } from '../../../shared/domain/errors.ts'

describe('withinTime', () => {
  it('returns a result that arrives in time', async () => {
    expect(await withinTime(Promise.resolve('head'), 60_000)).to.equal('head')
  })

  it('rejects a late result, but only once the query has ended', async () => {
    let hasEnded = false
    let end: (result: string) => void = () => undefined
    const query = new Promise<string>((resolve) => {
      end = resolve
    })
    const waiting = withinTime(query, -1)
      .catch((error: unknown) => error)
      .finally(() => {
        hasEnded = true
      })
    await nextTurn()
    expect(hasEnded).to.equal(false)
    end('head')
    const error = await waiting
    expect(error).to.be.instanceOf(AppError).and.to.include({ code: 'rpc_unavailable' })
  })
})
