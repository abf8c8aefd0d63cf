import { expect } from 'chai'
import { waitFor } from '../../devnet/wait-for.ts'

describe('waiting', () => {
  const soon = { what: 'what we wait for', timeoutMs: 5, intervalMs: 20 }

  it('looks once more when its time is over, for what came while nobody looked', async () => {
    let looks = 0
    expect(await waitFor(() => (looks += 1) > 1, soon)).to.equal(true)
  })

  it('is in vain when that is not there either, for the reason of the last look', async () => {
    const reason = new Error('not yet')
    const end = await waitFor(() => Promise.reject(reason), soon).catch((error: unknown) => error)
    expect(end).to.include({ message: 'waited 5 ms in vain for what we wait for', cause: reason })
  })
})
