import { expect } from 'chai'
import { type ApiClient, createApiClient } from '../../../api/client/client.ts'
import { payBySignature, SignatureMismatch } from '../../../api/client/pay-by-signature.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { authorizationTypedData } from '../../../shared/domain/authorization.ts'

const PAYER = `0x${'12'.repeat(20)}` as const
const SIGNATURE = `0x${'ab'.repeat(65)}`
const CHARGE = {
  ...{ id: `ch_${'0'.repeat(36)}`, address: `0x${'c4'.repeat(20)}` },
  ...{ amount: 10, amountExact: '10', amountReceivedExact: null },
}
const PAIR = { token: 'USDC', network: 'base' } as const

describe('payBySignature', () => {
  it('has the wallet sign what the service asks, and brings that', async () => {
    const { api, brought, signed, wallet } = stage()
    await payBySignature(api, wallet, { charge: CHARGE, pair: PAIR, payer: PAYER })
    expect(signed).to.deep.equal(['eth_signTypedData_v4'])
    expect(brought).to.have.length(1)
    expect(brought[0]).to.deep.include({ ...PAIR, value: '10000000', signature: SIGNATURE })
  })

  it('brings the very same again when an answer does not come, and signs nothing anew', async () => {
    const { api, brought, signed, wallet } = stage({ failures: 2 })
    await payBySignature(api, wallet, { charge: CHARGE, pair: PAIR, payer: PAYER })
    expect([signed.length, brought.length]).to.deep.equal([1, 3])
    expect(brought[1]).to.deep.equal(brought[0])
  })

  it('gives up after three, and says what the service said', async () => {
    const { api, brought, wallet } = stage({ failures: 9 })
    const error = await payBySignature(api, wallet, { charge: CHARGE, pair: PAIR, payer: PAYER }).catch(
      (one: Error) => one,
    )
    expect([brought.length, (error as { code?: string }).code]).to.deep.equal([3, 'service_unavailable'])
  })

  const lies: readonly [string, Parameters<typeof stage>[0]][] = [
    ['pays another address', { to: `0x${'66'.repeat(20)}` }],
    ['pays more than the charge asks', { value: 10_000_001n }],
    ['is to be signed by somebody else', { from: `0x${'66'.repeat(20)}` }],
    ['is of another pair', { network: 'arbitrum' }],
  ]
  for (const [what, change] of lies)
    it(`has nothing signed that ${what}`, async () => {
      const { api, signed, wallet } = stage(change)
      const paying = payBySignature(api, wallet, { charge: CHARGE, pair: PAIR, payer: PAYER })
      expect(await paying.catch((error: Error) => error)).to.be.instanceOf(SignatureMismatch)
      expect(signed).to.deep.equal([])
    })

  it('has no more signed than what is not credited yet', async () => {
    const { api, wallet } = stage({ value: 6_000_001n })
    const charge = { ...CHARGE, amountReceivedExact: '4' }
    const paying = payBySignature(api, wallet, { charge, pair: PAIR, payer: PAYER })
    expect(await paying.catch(String)).to.contain('more than 6')
  })
})

type Change = {
  readonly to?: string
  readonly from?: string
  readonly value?: bigint
  readonly network?: string
  /** So many answers to a signature do not come. */
  readonly failures?: number
}

function stage({ to = CHARGE.address, from = PAYER, value = 10_000_000n, ...change }: Change = {}) {
  const { network = 'base', failures = 0 } = change
  const typedData = authorizationTypedData({
    ...{ chainId: 8453, token: `0x${'05'.repeat(20)}` as Address },
    domain: { name: 'USD Coin', version: '2' },
    authorization: {
      ...{ from: from as Address, to: to as Address, value, validAfter: 0n, validBefore: 1n },
      nonce: `0x${'01'.repeat(32)}`,
    },
  })
  const brought: object[] = []
  const signed: string[] = []
  const api: ApiClient = createApiClient({ apiUrl: 'http://api.test', apiKey: 'key' })
  api.use({
    onRequest: async ({ request }) => {
      if (request.method === 'GET')
        return Response.json({ authorizations: [{ token: 'USDC', network, typedData }] })
      brought.push((await request.json()) as object)
      const error = { code: 'service_unavailable', message: 'not now' }
      return brought.length <= failures ? Response.json({ error }, { status: 503 }) : Response.json(CHARGE)
    },
  })
  const wallet = {
    request: ({ method }: { method: string }) => {
      signed.push(method)
      return Promise.resolve(SIGNATURE)
    },
  }
  return { api, brought, signed, wallet }
}
