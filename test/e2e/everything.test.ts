import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { expect } from 'chai'
import { ACCOUNTS, toSigner } from '../devnet/accounts.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { parseOptions } from '../devnet/everything.ts'
import { BASE } from '../devnet/networks.ts'
import { createCharge, waitForCharge } from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** Uses only one chain, because the other chains would take half a minute to start. */
describe('a devnet with --everything', function () {
  this.timeout(300_000)
  let devnet: Devnet

  before(async () => {
    const { extras = [] } = parseOptions(['--everything'])
    const directory = await temporaryDirectory('everything')
    devnet = await startDevnet({ directory, program: 'dist', chains: [BASE], extras, graceSeconds: 1 })
  })
  after(() => devnet?.stop())

  it('lets npm’s x402 client pay a charge on live base as soon as the devnet has written its description', async () => {
    const charge = await createCharge(devnet)
    expect(charge.payBySignature).to.deep.equal([{ token: 'USDC', network: 'base' }])
    const client = new x402Client().register(
      'eip155:*',
      new ExactEvmScheme(toSigner(ACCOUNTS.payer) as never),
    )
    const pay = wrapFetchWithPayment(fetch, client.setSpendControls(false))
    const answer = await pay(`${charge.checkoutUrl}/x402`)
    expect(answer.status, await answer.clone().text()).to.equal(200)
    const confirmed = { what: 'confirmed', holds: ({ status }: { status: string }) => status === 'confirmed' }
    expect((await waitForCharge(devnet, charge.id, confirmed)).amountReceivedExact).to.equal('10')
  })
})
