import { expect } from 'chai'
import { delay } from '../../../api/client/delay.ts'

const NEVER_MS = 2_000_000_000

describe('delay', () => {
  it('resolves after the given time', async () => {
    expect(await delay(1)).to.equal(undefined)
  })

  it('rejects with the reason of a signal that is aborted during the delay', async () => {
    const controller = new AbortController()
    const waiting = delay(NEVER_MS, controller.signal).catch((reason: unknown) => reason)
    controller.abort('closed')
    expect(await waiting).to.equal('closed')
  })

  it('rejects immediately if the signal has already been aborted', async () => {
    expect(await delay(NEVER_MS, AbortSignal.abort('closed')).catch((reason: unknown) => reason)).to.equal(
      'closed',
    )
  })
})
