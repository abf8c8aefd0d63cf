import { expect } from 'chai'
import { hashTypedData } from 'viem'
import { changeBrand } from '../../../shared/db/organizations/daemon/brands.ts'
import { ESCROW_ACTIONS, type EscrowAction } from '../../../shared/domain/escrow-action.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { ACCOUNTS, type DevnetAccount, toSigner } from '../../devnet/accounts.ts'
import { call } from '../../support/call-route.ts'
import { BALANCE, type FundedEscrows, startFundedEscrows } from '../../support/funded-escrow.ts'

const SETTINGS = {
  ...{ CHECKOUT_BASE_URL: 'https://pay.example/pay', TRUST_PROXY: '1' },
  CHECKOUT_FRAME_ORIGINS: 'https://shop.example',
}

type Typed = {
  readonly domain: Record<string, unknown>
  readonly message: Record<string, unknown>
}
type Prepared = { readonly amount: string; readonly typedData: Typed; readonly destination: string }

/* Tests the page by HTTP without a key. test/browser/payment.test.ts releases an escrow with a wallet in a browser. */
describe('the page of an escrow', () => {
  let escrows: FundedEscrows
  let visitors = 0

  before(async () => {
    escrows = await startFundedEscrows(SETTINGS)
  })
  after(() => escrows.stop())
  beforeEach(() => {
    escrows.reset()
  })

  /** Returns another IP address for each request, because an address may send only ten orders a minute. */
  const nextVisitor = () => {
    visitors += 1
    return `203.0.${Math.floor(visitors / 250)}.${1 + (visitors % 250)}`
  }
  const open = async (id: string, init: RequestInit = {}, ip = nextVisitor()) => {
    const headers = { ...(init.headers as Record<string, string>), 'x-forwarded-for': ip }
    const response = await fetch(`${escrows.api.baseUrl}/pay/${id}/escrow`, { ...init, headers })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text }
  }
  const post = async (id: string, body: unknown, ip?: string) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = { 'content-type': 'application/json' }
    const answer = await open(id, { method: 'POST', headers, body: text }, ip)
    const json = JSON.parse(answer.text)
    return { status: answer.status, headers: answer.headers, body: json, code: json.error?.code }
  }
  const prepare = async (id: string, action: EscrowAction = 'release'): Promise<Prepared> =>
    (await call(escrows.api, `GET /v1/charges/${id}/${action}/prepare`, { key: escrows.key })).body
  const sign = (typedData: Typed, by: DevnetAccount = ACCOUNTS.releaser) =>
    toSigner(by).sign({ hash: hashTypedData(typedData as never) })
  const requestsOf = (id: string) => escrows.api.owner<{ payload: object }[]>`
    select payload from requests where charge_id = ${id} and kind = 'escrow_order'`

  it('shows the held amount, both destinations, and that only the releaser can move the money', async () => {
    const id = await escrows.create()
    const { status, headers, text } = await open(id)
    expect(status, text).to.equal(200)
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8')
    const shown = text.replaceAll(/<[^>]*>/g, '')
    for (const action of ESCROW_ACTIONS) expect(shown).to.contain((await prepare(id, action)).destination)
    expect(shown).to.contain('10.00 USDC on Base held in escrow')
    expect(shown).to.contain(`Only a signature of ${ACCOUNTS.releaser.address} moves this money`)
    expect(shown.toLowerCase()).to.contain(escrows.api.config.treasury.evm)
    expect(text).not.to.contain('<button')
  })

  it('shows whether the escrow is not funded, ordered or released', async () => {
    const id = await escrows.create(0)
    expect((await open(id)).text).to.contain('<h1>Nothing is held in escrow</h1>')
    const paid = await escrows.create()
    await escrows.insertOrder(paid, { action: 'release', status: 'mined' })
    expect((await open(paid)).text).to.contain('<h1>Signed and on its way</h1>')
    await escrows.api.owner`update charges set escrow_released_at = now() where id = ${paid}`
    expect((await open(paid)).text).to.contain('<h1>It was released from escrow to the merchant.</h1>')
  })

  it('cannot be framed by any site, including the merchant’s, and neither can its error pages', async () => {
    const id = await escrows.create()
    const plain = await createPlain()
    await changeBrand(escrows.api.owner, 'org_one', { name: 'Tea', frameOrigins: ['https://tea.example'] })
    const answers = [await open(id), await open(plain), await open('unknown'), await post(id, {})]
    const checkout = await fetch(`${escrows.api.baseUrl}/pay/${id}`)
    await escrows.api.owner`delete from brands`
    expect(checkout.headers.get('content-security-policy'), 'the charge’s page').to.contain(
      'https://tea.example',
    )
    for (const { headers } of answers) {
      expect(headers.get('x-frame-options')).to.equal('DENY')
      expect(headers.get('content-security-policy')).to.match(/; frame-ancestors 'none'$/)
      expect(headers.get('cache-control')).to.equal('no-store')
      expect(headers.get('referrer-policy')).to.equal('no-referrer')
    }
  })

  it('does not exist for a charge without escrow or for an unknown id', async () => {
    const plain = await createPlain()
    for (const id of [plain, newId('ch', Date.now()), 'x']) {
      const { status, text } = await open(id)
      expect([status, text.includes('<h1>Payment not found</h1>')], id).to.deep.equal([404, true])
    }
    expect((await post(plain, { action: 'release', signature: '0x00' })).code).to.equal('not_found')
  })

  for (const action of ESCROW_ACTIONS) {
    describe(`an order for a ${action}`, () => {
      let id: string
      let prepared: Prepared

      beforeEach(async () => {
        id = await escrows.create()
        prepared = await prepare(id, action)
      })

      const orderOf = async (typedData = prepared.typedData, by = ACCOUNTS.releaser) => ({
        ...{ action, amount: prepared.amount },
        signature: await sign(typedData, by),
      })
      /** Expects that an order is rejected without a request to the daemon. */
      const expectRefused = async (order: object, error: string) => {
        const { status, code } = await post(id, order)
        expect(`${status} ${code}`).to.equal(error)
        expect(await requestsOf(id)).to.deep.equal([])
      }

      it('is sent to the daemon, and is returned as pending', async () => {
        const order = await orderOf()
        const ordered = post(id, order)
        await escrows.openOrder(id)
        const { signature, amount: amountAtomic } = order
        expect((await requestsOf(id)).map(({ payload }) => payload)).to.deep.equal([
          { chainId: 8453, action, signature, amountAtomic },
        ])
        await escrows.insertOrder(id, { action, status: 'mined' })
        await escrows.answerOrder(id, { outcome: 'mined' })
        const { status, body } = await ordered
        expect([status, body]).to.deep.equal([
          200,
          { escrow: { releasedAt: null, refundedAt: null, pendingAction: action } },
        ])
      })

      it('is rejected if anyone but the releaser signed it', async () => {
        for (const stranger of [ACCOUNTS.merchant, ACCOUNTS.payer])
          await expectRefused(await orderOf(prepared.typedData, stranger), '400 escrow_invalid_signature')
      })

      it('is rejected with the releaser’s signature for another charge', async () => {
        const other = await prepare(await escrows.create(), action)
        await expectRefused(await orderOf(other.typedData), '400 escrow_invalid_signature')
      })

      it('is rejected with the releaser’s signature for another chain', async () => {
        const { typedData } = prepared
        const elsewhere = { ...typedData, domain: { ...typedData.domain, chainId: 1 } }
        await expectRefused(await orderOf(elsewhere), '400 escrow_invalid_signature')
      })

      it('is rejected with the releaser’s signature for another destination', async () => {
        const [other = 'refund'] = ESCROW_ACTIONS.filter((each) => each !== action)
        await expectRefused(
          await orderOf((await prepare(id, other)).typedData),
          '400 escrow_invalid_signature',
        )
      })

      it('is rejected if its amount is not the signed amount', async () => {
        const order = await orderOf()
        await expectRefused({ ...order, amount: String(BALANCE - 1n) }, '400 escrow_invalid_signature')
        await expectRefused({ ...order, amount: String(BALANCE / 2n) }, '400 escrow_invalid_signature')
        await expectRefused({ ...order, amount: String(BALANCE + 1n) }, '400 escrow_invalid_signature')
      })

      it('is rejected after the Safe has executed a transaction with the same nonce', async () => {
        const order = await orderOf()
        escrows.safe.nonce = 1n
        await expectRefused(order, '400 escrow_invalid_signature')
      })

      it('is rejected after the escrow has ended', async () => {
        const order = await orderOf()
        await escrows.api.owner`update charges set escrow_released_at = now() where id = ${id}`
        await expectRefused(order, '409 escrow_already_released')
      })

      it('is executed only once if it is sent several times, before and after it is mined', async () => {
        const order = await orderOf()
        const first = post(id, order)
        const requestId = await escrows.openOrder(id)
        const second = post(id, order)
        await escrows.insertOrder(id, { action, status: 'mined', requestId })
        await escrows.answerOrder(id, { outcome: 'mined' })
        const answers = [await first, await second, await post(id, order)]
        await escrows.api.owner`update escrow_orders set status = 'final' where charge_id = ${id}`
        await escrows.api.owner`update charges set escrow_released_at = now() where id = ${id}`
        expect([...answers, await post(id, order)].map(({ status }) => status)).to.deep.equal([
          200, 200, 200, 200,
        ])
        expect(await requestsOf(id)).to.have.length(1)
      })

      it('is rejected while another order of the releaser is in progress', async () => {
        const first = post(id, await orderOf())
        await escrows.openOrder(id)
        const { signature, ...rest } = await orderOf()
        // The same signature with v 0 or 1 instead of 27 or 28.
        const respelled = `${signature.slice(0, -2)}${signature.endsWith('1b') ? '00' : '01'}`
        const second = await post(id, { ...rest, signature: respelled })
        await escrows.answerOrder(id, { outcome: 'mined' })
        expect([second.status, second.code]).to.deep.equal([409, 'request_in_progress'])
        expect((await first).status).to.equal(200)
      })

      it('is rejected with the daemon’s reason', async () => {
        const ordered = post(id, await orderOf())
        const code = 'recipient_transfer_restricted'
        await escrows.answerOrder(id, {
          outcome: 'refused',
          code,
          message: 'the issuer forbids the transfer',
        })
        expect((await ordered).code).to.equal(code)
      })
    })
  }

  it('rejects bodies that are not an order, and bodies above 2 KiB', async () => {
    const id = await escrows.create()
    const signature = `0x${'5a'.repeat(65)}`
    for (const [body, error] of [
      ['{', '400 validation_error'],
      [[], '400 validation_error'],
      [{ signature }, '400 validation_error'],
      [{ action: 'burn', signature }, '400 validation_error'],
      [{ action: 'release', signature: 5 }, '400 validation_error'],
      [{ action: 'release', signature, destination: ACCOUNTS.merchant.address }, '400 validation_error'],
      [{ action: 'release', signature: '0x00' }, '400 escrow_invalid_signature'],
      [{ action: 'release', signature: `0x${'5a'.repeat(2000)}` }, '413 payload_too_large'],
    ] as const) {
      const { status, code } = await post(id, body)
      expect(`${status} ${code}`, JSON.stringify(body).slice(0, 80)).to.equal(error)
    }
    const form = await open(id, { method: 'POST', body: new URLSearchParams({ action: 'release' }) })
    expect([form.status, JSON.parse(form.text).error.code]).to.deep.equal([415, 'unsupported_media_type'])
    expect((await open(id, { method: 'PUT' })).headers.get('allow')).to.equal('GET, HEAD, POST')
    expect(await requestsOf(id)).to.deep.equal([])
  })

  it('limits each IP address to ten orders a minute', async () => {
    const id = await escrows.create()
    const [one, other] = [nextVisitor(), nextVisitor()]
    const order = { action: 'release', signature: `0x${'5a'.repeat(65)}` }
    for (let sent = 0; sent < 10; sent += 1)
      expect((await post(id, order, one)).code).to.equal('escrow_invalid_signature')
    const over = await post(id, order, one)
    expect([over.status, over.code]).to.deep.equal([429, 'rate_limited'])
    expect(Number(over.headers.get('retry-after'))).to.be.within(1, 60)
    expect((await post(id, order, other)).code).to.equal('escrow_invalid_signature')
  })

  it('reads the chain at most once in 5 s, regardless of the number of visitors and invalid signatures', async () => {
    const id = await escrows.create()
    const before = escrows.reads.count
    const order = { action: 'release', signature: `0x${'5a'.repeat(65)}` }
    await Promise.all(Array.from({ length: 5 }, () => [open(id), post(id, order)]).flat())
    expect(escrows.reads.count - before).to.be.within(1, 2)
  })

  it('does not count invalid signatures towards the releaser’s limit', async () => {
    const id = await escrows.create()
    const invalid = { action: 'release', signature: `0x${'5a'.repeat(65)}` }
    for (let sent = 0; sent < 12; sent += 1) await post(id, invalid)
    const { typedData, amount } = await prepare(id)
    const ordered = post(id, { action: 'release', amount, signature: await sign(typedData) })
    await escrows.answerOrder(id, { outcome: 'mined' })
    expect((await ordered).status).to.equal(200)
  })

  async function createPlain(): Promise<string> {
    const body = { amount: 10, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }
    return (await call(escrows.api, 'POST /v1/charges', { key: escrows.key, body })).body.id
  }
})
