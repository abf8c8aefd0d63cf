import { expect } from 'chai'
import { type ApiClient, createApiClient } from '../../../api/client/client.ts'
import { payBySignature } from '../../../api/client/pay-by-signature.ts'
import { ASKED, buildTypedData, CHARGE, PAIR, PAYER } from '../../support/signature-request.ts'

const SIGNATURE = `0x${'ab'.repeat(65)}`

describe('payBySignature', () => {
  it('has the wallet sign the transfer to this charge and submits the signature', async () => {
    const typedData = buildTypedData()
    const { pay, brought, signed } = stage({ typedData })
    await pay()
    expect(signed).to.deep.equal([typedData])
    expect(brought).to.have.length(1)
    expect(brought[0]).to.deep.include({ ...PAIR, value: '10000000', signature: SIGNATURE })
  })

  it('submits the same signature, with growing delays, until the service accepts it, and signs only once', async () => {
    const { pay, brought, signed, pauses } = stage({ failures: 7 })
    await pay()
    expect([signed.length, brought.length]).to.deep.equal([1, 8])
    for (const again of brought) expect(again).to.deep.equal(brought[0])
    expect(pauses).to.deep.equal([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
  })

  it('waits as long as the service requests', async () => {
    const { pay, pauses } = stage({ failures: 1, retryAfter: '5' })
    await pay()
    expect(pauses).to.deep.equal([5_000])
  })

  it('stops submitting if the signature expires before the next attempt, and throws the service’s error', async () => {
    const { pay, brought } = stage({ failures: 9, retryAfter: '301' })
    const error = await pay().catch((one: Error) => one)
    expect([brought.length, (error as { code?: string }).code]).to.deep.equal([1, 'service_unavailable'])
  })

  it('does not retry after an error that shows that the service has stored nothing', async () => {
    const { pay, brought } = stage({ failures: 9, code: 'signature_payment_unavailable' })
    const error = await pay().catch((one: Error) => one)
    expect((error as { code?: string }).code).to.equal('signature_payment_unavailable')
    expect(brought).to.have.length(1)
  })

  it('does not request a signature if the data is not for this charge', async () => {
    const { pay, signed } = stage({ typedData: buildTypedData({ to: PAYER }) })
    expect(await pay().catch(String)).to.contain('message.to')
    expect(signed).to.deep.equal([])
  })
})

type Change = {
  readonly typedData?: object
  /** Number of submissions that fail with this response. */
  readonly failures?: number
  readonly code?: string
  readonly retryAfter?: string
}

function stage({ typedData = buildTypedData(), failures = 0, ...failure }: Change = {}) {
  const { code = 'service_unavailable', retryAfter } = failure
  const brought: object[] = []
  const signed: unknown[] = []
  const pauses: number[] = []
  const api: ApiClient = createApiClient({ apiUrl: 'http://api.test', apiKey: 'key' })
  api.use({
    onRequest: async ({ request }) => {
      if (request.method === 'GET') return Response.json({ authorizations: [{ ...PAIR, typedData }] })
      brought.push((await request.json()) as object)
      if (brought.length > failures) return Response.json(CHARGE)
      const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
      return Response.json({ error: { code, message: 'not now' } }, { status: 503, headers })
    },
  })
  const wallet = {
    request: ({ params }: { params?: unknown }) => {
      signed.push(JSON.parse((params as readonly [string, string])[1]))
      return Promise.resolve(SIGNATURE)
    },
  }
  const pause = (ms: number) => Promise.resolve(pauses.push(ms))
  return { pay: () => payBySignature(api, wallet, { ...ASKED, pause }), brought, signed, pauses }
}
