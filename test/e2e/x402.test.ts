import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme as ClientScheme } from '@x402/evm/exact/client'
import { ExactEvmScheme as FacilitatorScheme } from '@x402/evm/exact/facilitator'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch'
import { expect } from 'chai'
import { createWalletClient, http, publicActions } from 'viem'
import { createChainClient } from '../../shared/chain/nodes/client.ts'
import { ACCOUNTS, deriveAccount, toSigner } from '../devnet/accounts.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { sendTokens } from '../devnet/send-tokens.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { LIVE_DEVNET } from '../support/live-devnet.ts'
import { runClient } from '../support/run-client.ts'
import {
  type ChargeJson,
  createCharge,
  getCharge,
  waitForCharge,
  waitUntilSettled,
} from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const CONFIRMED = {
  what: 'confirmed',
  holds: ({ status }: ChargeJson) => status === 'confirmed',
}

/** The client and the facilitator are x402's own npm packages, so they test that our responses follow the protocol. */
describe('a charge paid by x402, end to end', function () {
  this.timeout(300_000)
  let devnet: Devnet

  before(async () => {
    devnet = (await LIVE_DEVNET.of(import.meta.filename)).devnet
  })

  const addressOf = ({ checkoutUrl }: ChargeJson) => `${checkoutUrl}/x402`
  const clientOf = () =>
    new x402Client().register('eip155:*', new ClientScheme(toSigner(ACCOUNTS.payer) as never))

  /** Creates a charge, and waits until the daemon offers payment by signature. */
  const createSignable = async (): Promise<ChargeJson> => {
    const charge = await createCharge(devnet)
    await waitFor(async () => (await fetch(addressOf(charge))).status === 402, {
      ...{ what: 'a charge that can be paid by signature', timeoutMs: 60_000, intervalMs: 200 },
    })
    return charge
  }

  it('is not paid by a client whose spending limit is the default of one dollar', async () => {
    const charge = await createSignable()
    const asked: string[] = []
    const counting: typeof fetch = (input, init) => {
      asked.push(new Request(input as Request, init).headers.get('payment-signature') ?? '')
      return fetch(input, init)
    }
    const failure = await wrapFetchWithPayment(
      counting,
      clientOf(),
    )(addressOf(charge)).catch((error: Error) => error.message)
    expect(failure).to.match(/rejected by spendControls/)
    expect(asked).to.deep.equal([''])
    expect((await getCharge(devnet, charge.id)).status).to.equal('pending')
  })

  it('is paid once, and settled, by x402’s unmodified client without spending limits', async () => {
    const charge = await createSignable()
    const pay = wrapFetchWithPayment(fetch, clientOf().setSpendControls(false))
    const answer = await pay(addressOf(charge))
    expect(answer.status, await answer.clone().text()).to.equal(200)
    const told = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '')
    expect(told).to.deep.include({
      ...{ success: true, network: `eip155:${BASE.chainId}`, amount: '10000000' },
      payer: ACCOUNTS.payer.address,
    })
    const confirmed = await waitForCharge(devnet, charge.id, CONFIRMED)
    expect(confirmed.txHash).to.equal(told.transaction)
    expect(confirmed.amountReceivedExact).to.equal('10')
    await waitUntilSettled(devnet, charge.id)
    // The charge requests no further payment, so the same client does not pay again.
    const again = await pay(addressOf(charge))
    expect([again.status, again.headers.get('payment-response')]).to.deep.equal([200, null])
    expect((await getCharge(devnet, charge.id)).amountReceivedExact).to.equal('10')
  })

  it('returns the same PAYMENT-RESPONSE header when a mined payment is sent again', async () => {
    const charge = await createSignable()
    const client = new x402HTTPClient(clientOf().setSpendControls(false))
    const required = await requirementOf(charge)
    const headers = client.encodePaymentSignatureHeader(await client.createPaymentPayload(required))
    const answers = await Promise.all([1, 2, 3].map(() => fetch(addressOf(charge), { headers })))
    const settled = await waitFor(
      async () => {
        const answer = await fetch(addressOf(charge), { headers })
        return answer.status === 200 && answer
      },
      { what: 'the payment to be mined', timeoutMs: 60_000, intervalMs: 500 },
    )
    // None of the responses requests another signature.
    for (const { status } of answers) expect([200, 202, 409]).to.include(status)
    await waitForCharge(devnet, charge.id, CONFIRMED)
    const later = await fetch(addressOf(charge), { headers })
    expect(later.headers.get('payment-response')).to.equal(settled.headers.get('payment-response'))
    expect((await getCharge(devnet, charge.id)).amountReceivedExact).to.equal('10')
  })

  it('is credited if x402’s own facilitator, not our relayer, executes the payment', async () => {
    const charge = await createSignable()
    const required = await requirementOf(charge)
    const payload = await clientOf().setSpendControls(false).createPaymentPayload(required)
    const result = await settleElsewhere(payload, required)
    expect(result, JSON.stringify(result)).to.include({ success: true })
    const confirmed = await waitForCharge(devnet, charge.id, CONFIRMED)
    expect(confirmed).to.include({ amountReceivedExact: '10', txHash: result.transaction })
    expect((await fetch(addressOf(charge))).status).to.equal(200)
  })

  it('is paid without x402, by svc charges authorize with a local key whose account has no native coins', async () => {
    const charge = await createSignable()
    const payer = deriveAccount(60)
    await sendTokens(devnet.description, {
      ...{ token: 'USDC', network: 'base', amount: '10' },
      ...{ from: ACCOUNTS.payer, to: payer.address },
    })
    const file = join(await temporaryDirectory('payer-key'), 'payer.key')
    await writeFile(file, `${payer.privateKey}\n`)
    const { apiUrl, keys } = devnet.description
    const env = { SVC_API_URL: apiUrl, SVC_API_KEY: keys.live }
    const { address, decimals } = devnet.description.networks.base?.live?.tokens.USDC ?? {}
    const token = { chainId: BASE.chainId, address, decimals, name: 'USD Coin', version: '2' }
    const authorize = (to: string, amount: string) => {
      const terms = ['--with', 'USDC@base', '--to', to, '--amount', amount, '--token', JSON.stringify(token)]
      return runClient('svc', ['charges', 'authorize', charge.id, ...terms, '--key-file', file], env)
    }
    for (const [to, amount] of [
      [payer.address, '10'],
      [charge.address, '9.99'],
    ] as const) {
      const refused = await authorize(to, amount)
      expect([refused.exitCode, refused.stderr]).to.satisfy(
        ([code, text]: [number, string]) => code === 1 && text.includes('nothing was signed'),
        refused.stderr,
      )
    }
    const { stdout, stderr, exitCode } = await authorize(charge.address, '10')
    expect(exitCode, stderr).to.equal(0)
    expect(stdout)
      .to.match(/^signature +mined$/m)
      .and.not.contain(payer.privateKey)
    const confirmed = await waitForCharge(devnet, charge.id, CONFIRMED)
    expect(stdout).to.contain(confirmed.txHash)
  })

  async function requirementOf(charge: ChargeJson): Promise<PaymentRequired> {
    const answer = await fetch(addressOf(charge))
    const client = new x402HTTPClient(new x402Client())
    return client.getPaymentRequiredResponse((name) => answer.headers.get(name))
  }

  async function settleElsewhere(payload: PaymentPayload, { accepts: [requirement] }: PaymentRequired) {
    if (requirement === undefined) throw new Error('the response requests no payment')
    const rpcUrl = devnet.description.networks.base?.live?.rpcUrl ?? ''
    const { chain } = createChainClient({ chainId: BASE.chainId, rpcUrls: [rpcUrl] })
    const account = toSigner(ACCOUNTS.keeper)
    const wallet = createWalletClient({ account, chain, transport: http(rpcUrl) }).extend(publicActions)
    const signer = toFacilitatorEvmSigner({ ...wallet, address: account.address } as never)
    const facilitator = new x402Facilitator()
    facilitator.register(`eip155:${BASE.chainId}`, new FacilitatorScheme(signer))
    expect(await facilitator.verify(payload, requirement)).to.include({ isValid: true })
    return facilitator.settle(payload, requirement)
  }
})
