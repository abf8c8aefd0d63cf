import { expect } from 'chai'
import { waitFor } from '../../devnet/wait-for.ts'

describe('waitFor', () => {
  const soon = { what: 'a response', timeoutMs: 5, intervalMs: 20 }

  it('checks again at its timeout, in case the result arrived after the previous check', async () => {
    let looks = 0
    expect(await waitFor(() => (looks += 1) > 1, soon)).to.equal(true)
  })

  it('rejects with the last check’s error as its cause if that check fails', async () => {
    const reason = new Error('not yet')
    const end = await waitFor(() => Promise.reject(reason), soon).catch((error: unknown) => error)
    expect(end).to.include({ message: 'timed out after 5 ms waiting for a response', cause: reason })
  })
})
