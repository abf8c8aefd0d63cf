import { expect } from 'chai'
import type { Devnet } from '../devnet/devnet.ts'
import { LIVE_DEVNET } from '../support/live-devnet.ts'
import {
  type ChargeJson,
  createCharge,
  expireAt,
  pay,
  waitForCharge,
  waitUntilSettled,
} from '../support/scenario.ts'

describe('a payment after the expiry of its charge, end to end', function () {
  this.timeout(300_000)
  let devnet: Devnet
  let charge: ChargeJson

  before(async () => {
    devnet = (await LIVE_DEVNET.of(import.meta.filename)).devnet
    charge = await createCharge(devnet)
    await expireAt(devnet, { ids: [charge.id], seconds: BigInt(Math.floor(Date.now() / 1000)) })
    await waitForCharge(devnet, charge.id, { what: 'expired', holds: ({ status }) => status === 'expired' })
  })

  it('does not change the checkout page if only a cent arrives', async () => {
    expect(await readState()).to.include({ screen: 'expired' })
    await pay(devnet, { charge, amount: '0.01' })
    await untilReceived('0.01')
    expect(await readState()).to.include({ screen: 'expired' })
  })

  it('changes the checkout page if the whole amount arrives, and is paid out although the charge stays expired', async () => {
    await pay(devnet, { charge, amount: '10' })
    const { status } = await untilReceived('10.01')
    expect(status).to.equal('expired')
    expect(await readState()).to.include({ screen: 'late', amountLate: '10.01' })
    expect(await waitUntilSettled(devnet, charge.id)).to.include({ status: 'expired' })
    expect(await readState()).to.include({ screen: 'late' })
  })

  /** Reads the data of the checkout page, which is not cached. */
  async function readState(): Promise<object> {
    const response = await fetch(`${charge.checkoutUrl}/state.json`)
    expect(response.status).to.equal(200)
    return (await response.json()) as object
  }

  function untilReceived(amount: string): Promise<ChargeJson> {
    return waitForCharge(devnet, charge.id, {
      what: `paid ${amount}`,
      holds: ({ amountReceivedExact }) => amountReceivedExact === amount,
    })
  }
})
