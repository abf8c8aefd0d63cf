import { expect } from 'chai'
import { checksum } from '../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { address, startTestApi, type TestApi, TREASURY } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'

const PARTNER = address('0x52908400098527886e0f7030069857d2e4169ee7')
const ZERO = `0x${'0'.repeat(40)}`

describe('the endpoints of recipients', () => {
  let api: TestApi
  /**
   * `key` may register and read recipients, `payout` also has `recipients:manage_payout`, and `elevate` has only that
   * scope.
   */
  let key: string
  let payout: string
  let elevate: string

  before(async () => {
    api = await startTestApi()
    const scopes = ['recipients:read', 'recipients:write'] as const
    ;({ key } = await api.issueKey({ scopes }))
    ;({ key: payout } = await api.issueKey({ scopes: [...scopes, 'recipients:manage_payout'] }))
    ;({ key: elevate } = await api.issueKey({ scopes: ['recipients:manage_payout'] }))
  })
  after(() => api.stop())
  afterEach(() => api.owner`delete from recipients`)

  const register = (body: object, withKey = key): Promise<Answer> =>
    call(api, 'POST /v1/recipients', { key: withKey, body })
  const list = (query = '', withKey = key): Promise<Answer> =>
    call(api, `GET /v1/recipients${query}`, { key: withKey })
  const patch = (id: string, body: object, withKey = payout): Promise<Answer> =>
    call(api, `PATCH /v1/recipients/${id}`, { key: withKey, body })
  const revoke = (id: string, withKey = key): Promise<Answer> =>
    call(api, `DELETE /v1/recipients/${id}`, { key: withKey })
  const someAddress = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`

  describe('POST /v1/recipients', () => {
    it('returns the recipient with a checksummed address, not eligible for payouts', async () => {
      const { status, body, text } = await register({ address: PARTNER, label: 'Partner' })
      expect(status, text).to.equal(201)
      expect(body).to.deep.include({
        environment: 'live',
        address: checksum(PARTNER),
        label: 'Partner',
        payout: false,
      })
    })

    it('treats an address in lower, upper and checksummed case as the same', async () => {
      const spellings = [PARTNER, `0x${PARTNER.slice(2).toUpperCase()}`, checksum(PARTNER)]
      const ids = []
      for (const spelling of spellings) ids.push((await register({ address: spelling })).body.id)
      expect(new Set(ids).size).to.equal(1)
    })

    it('accepts a TRON address, distinct from the EVM address of the same bytes', async () => {
      const tron = await register({ address: formatTronAddress(PARTNER) })
      expect(tron.body.address).to.equal(formatTronAddress(PARTNER))
      expect((await register({ address: PARTNER })).body.id).to.not.equal(tron.body.id)
    })

    it('updates the label of a registered address, removes its eligibility for payouts, and keeps its id and creation time', async () => {
      const first = (await register({ address: PARTNER, label: 'Old' })).body
      await patch(first.id, { payout: true })
      const second = await register({ address: PARTNER, label: 'New' })
      expect(second.status).to.equal(201)
      expect(second.body).to.deep.equal({ ...first, label: 'New' })
    })

    it('keeps the label if none is given, even if the recipient was revoked', async () => {
      const { id } = (await register({ address: PARTNER, label: 'Partner' })).body
      expect((await register({ address: PARTNER })).body).to.include({ id, label: 'Partner' })
      await revoke(id)
      expect((await register({ address: PARTNER })).body).to.include({ id, label: 'Partner' })
    })

    it('restores a revoked recipient that is registered again', async () => {
      const { id } = (await register({ address: PARTNER })).body
      await revoke(id)
      expect((await register({ address: PARTNER })).body.id).to.equal(id)
      expect((await list()).body.data).to.have.length(1)
    })

    it('creates one recipient for many simultaneous requests', async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => register({ address: PARTNER })))
      expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1)
      expect((await list()).body.data).to.have.length(1)
    })

    it('registers the treasury’s address, but does not make it eligible for payouts', async () => {
      const { body } = await register({ address: TREASURY })
      expectError(await patch(body.id, { payout: true }), '400 validation_error', 'payout')
    })

    const refused: readonly (readonly [title: string, body: object, param: string])[] = [
      ['no address', {}, 'address'],
      ['an address that is a number', { address: 7 }, 'address'],
      ['a short address', { address: '0x12' }, 'address'],
      ['an address without 0x', { address: PARTNER.slice(2) }, 'address'],
      ['a mistyped checksum', { address: checksum(PARTNER).replace('F', 'f') }, 'address'],
      ['a mistyped TRON address', { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u' }, 'address'],
      ['a long text', { address: 'T'.repeat(10_000) }, 'address'],
      ['the zero address', { address: ZERO }, 'address'],
      ['the zero address of TRON', { address: formatTronAddress(address(ZERO)) }, 'address'],
      ['an empty label', { address: PARTNER, label: '' }, 'label'],
      ['a label of 65 characters', { address: PARTNER, label: 'é'.repeat(65) }, 'label'],
      ['a label that is null', { address: PARTNER, label: null }, 'label'],
      ['an unknown field', { address: PARTNER, payout: true }, 'payout'],
    ]
    for (const [title, body, param] of refused) {
      it(`rejects ${title}`, async () => {
        expectError(await register(body), '400 validation_error', param)
      })
    }

    it('accepts a label of 64 characters, and rejects a NUL character in a label', async () => {
      const label = '🍵'.repeat(64)
      expect((await register({ address: PARTNER, label })).body.label).to.equal(label)
      expectError(await register({ address: PARTNER, label: 'a\0b' }), '400 validation_error', 'label')
    })
  })

  describe('GET /v1/recipients', () => {
    it('lists the newest recipients first, without gaps between pages if recipients are added', async () => {
      for (const number of [1, 2, 3, 4, 5]) await register({ address: someAddress(number) })
      const first = (await list('?limit=2')).body
      await register({ address: someAddress(6) })
      const second = (await list(`?limit=2&cursor=${first.nextCursor}`)).body
      const third = (await list(`?limit=2&cursor=${second.nextCursor}`)).body
      const numbers = [first, second, third].map(({ data }) =>
        data.map((one: { address: string }) => Number(one.address)),
      )
      expect(numbers).to.deep.equal([[5, 4], [3, 2], [1]])
      expect([first.hasMore, second.hasMore, third.hasMore]).to.deep.equal([true, true, false])
      expect(third.nextCursor).to.equal(null)
    })

    it('excludes revoked recipients and recipients of other environments and organizations', async () => {
      const scopes = ['recipients:read', 'recipients:write'] as const
      const test = await api.issueKey({ environment: 'test', scopes })
      const other = await api.issueKey({ organization: 'org_two', scopes })
      const { id } = (await register({ address: PARTNER })).body
      await register({ address: PARTNER }, test.key)
      await register({ address: PARTNER }, other.key)
      await revoke(id)
      expect((await list()).body.data).to.deep.equal([])
      expect((await list('', test.key)).body.data[0].environment).to.equal('test')
    })

    for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=', 'cursor=abc', 'payout=true']) {
      it(`rejects ${query}`, async () => {
        expectError(await list(`?${query}`), '400 validation_error', query.split('=')[0])
      })
    }

    it('rejects a cursor of more than 500 characters, and a cursor of the other environment', async () => {
      expectError(await list(`?cursor=${'a'.repeat(501)}`), '400 validation_error', 'cursor')
      for (const number of [1, 2]) await register({ address: someAddress(number) })
      const { nextCursor } = (await list('?limit=1')).body
      const test = await api.issueKey({ environment: 'test', scopes: ['recipients:read'] })
      expectError(await list(`?cursor=${nextCursor}`, test.key), '400 validation_error', 'cursor')
    })
  })

  describe('GET /v1/recipients/{id}', () => {
    const get = (id: string, withKey = key) => call(api, `GET /v1/recipients/${id}`, { key: withKey })

    it('returns the same body as the registration', async () => {
      const { body } = await register({ address: PARTNER, label: 'Partner' })
      const { status, body: found } = await get(body.id)
      expect(status).to.equal(200)
      expect(found).to.deep.equal(body)
    })

    it('returns 404 for a recipient that is revoked, unknown or another organization’s, and 400 for an id with a NUL character', async () => {
      const { id } = (await register({ address: PARTNER })).body
      const { key: stranger } = await api.issueKey({ organization: 'org_two', scopes: ['recipients:read'] })
      expectError(await get(id, stranger), '404 recipient_not_found')
      await revoke(id)
      expectError(await get(id), '404 recipient_not_found')
      expectError(await get('rc_x%00'), '400 validation_error', 'id')
      expectError(await get('PARTNER'), '404 recipient_not_found')
    })
  })

  describe('PATCH /v1/recipients/{id}', () => {
    it('sets and removes a recipient’s eligibility for payouts, and returns the recipient', async () => {
      const { body } = await register({ address: PARTNER, label: 'Partner' })
      expect((await patch(body.id, { payout: true })).body).to.deep.equal({ ...body, payout: true })
      expect((await list()).body.data[0].payout).to.equal(true)
      expect((await patch(body.id, { payout: false }, elevate)).body).to.deep.equal(body)
    })

    for (const [body, param] of [
      [{}, 'payout'],
      [{ payout: 'yes' }, 'payout'],
      [{ payout: true, label: 'x' }, 'label'],
    ] as const) {
      it(`rejects ${JSON.stringify(body)}`, async () => {
        const { id } = (await register({ address: PARTNER })).body
        expectError(await patch(id, body), '400 validation_error', param)
      })
    }
  })

  it('makes a TRON recipient eligible for payouts', async () => {
    const { id } = (await register({ address: formatTronAddress(PARTNER) })).body
    expect((await patch(id, { payout: true })).body.payout).to.equal(true)
  })

  describe('DELETE /v1/recipients/{id}', () => {
    it('returns 204 the first time and 404 the second time', async () => {
      const { id } = (await register({ address: PARTNER })).body
      const answer = await revoke(id)
      expect({ status: answer.status, text: answer.text }).to.deep.equal({ status: 204, text: '' })
      expectError(await revoke(id), '404 recipient_not_found')
      expectError(await patch(id, { payout: true }), '404 recipient_not_found')
    })

    it('returns 404 for a payout-eligible recipient to a key that may only register and read', async () => {
      const { id } = (await register({ address: PARTNER })).body
      await patch(id, { payout: true })
      const missing = `rc_${'0'.repeat(36)}`
      const [hidden, none] = [await revoke(id), await revoke(missing)]
      expectError(hidden, '404 recipient_not_found')
      expect(hidden.text.replace(id, missing)).to.equal(none.text)
      expect((await list()).body.data).to.have.length(1)
      expect((await revoke(id, payout)).status).to.equal(204)
    })

    it('lets a key with only recipients:manage_payout revoke only payout-eligible recipients', async () => {
      const { id } = (await register({ address: PARTNER })).body
      expectError(await revoke(id, elevate), '403 insufficient_scope')
      await patch(id, { payout: true })
      expect((await revoke(id, elevate)).status).to.equal(204)
      expectError(await revoke(id, elevate), '404 recipient_not_found')
    })
  })

  it('returns the same 404 for a malformed id and for keys of another organization or environment', async () => {
    const scopes = ['recipients:write', 'recipients:manage_payout'] as const
    const strangers = [
      await api.issueKey({ organization: 'org_two', scopes }),
      await api.issueKey({ environment: 'test', scopes }),
    ]
    const { id } = (await register({ address: PARTNER })).body
    for (const stranger of strangers) {
      expectError(await patch(id, { payout: true }, stranger.key), '404 recipient_not_found')
      expectError(await revoke(id, stranger.key), '404 recipient_not_found')
    }
    for (const malformed of ['x', 'rc_', '%ff', `rc_${'z'.repeat(3000)}`]) {
      expectError(await patch(malformed, { payout: true }), '404 recipient_not_found')
      expectError(await revoke(malformed), '404 recipient_not_found')
    }
  })

  describe('by scope', () => {
    const requests = [
      ['POST /v1/recipients', 'recipients:write', { address: PARTNER }],
      ['GET /v1/recipients', 'recipients:read', undefined],
      ['GET /v1/recipients/rc_1', 'recipients:read', undefined],
      ['PATCH /v1/recipients/rc_1', 'recipients:manage_payout', { payout: true }],
      ['DELETE /v1/recipients/rc_1', 'recipients:write', undefined],
    ] as const
    for (const [request, scope, body] of requests) {
      it(`${request} requires a key with ${scope}`, async () => {
        const others = await api.issueKey({
          scopes: ['charges:read', 'charges:write', 'webhooks:write', 'sandbox:trigger'],
        })
        const answer = await call(api, request, { key: others.key, ...(body && { body }) })
        expectError(answer, '403 insufficient_scope')
        expect(answer.headers.get('www-authenticate')).to.contain(`scope="${scope}"`)
        expectError(await call(api, request), '401 missing_api_key')
      })
    }

    for (const scope of ['recipients:write', 'recipients:manage_payout'] as const) {
      it(`all reject a key with both ${scope} and charges:split_write`, async () => {
        const conflicting = await api.issueKey({ scopes: [scope, 'recipients:read', 'charges:split_write'] })
        for (const [request, , body] of requests) {
          const answer = await call(api, request, { key: conflicting.key, ...(body && { body }) })
          expectError(answer, '403 conflicting_api_key_scopes')
        }
      })
    }
  })

  describe('when a key’s payout address is revoked as a payout-eligible recipient', () => {
    let paid: string
    let id: string

    beforeEach(async () => {
      ;({ key: paid } = await api.issueKey({ payoutAddress: PARTNER, scopes: ['recipients:read'] }))
      ;({ id } = (await register({ address: PARTNER })).body)
      await patch(id, { payout: true })
    })

    const isLetIn = async (): Promise<boolean> => {
      const answer = await list('', paid)
      if (answer.status !== 200) expectError(answer, '401 payout_address_revoked')
      return answer.status === 200
    }

    it('reject the key from the next request on', async () => {
      expect(await isLetIn()).to.equal(true)
      await revoke(id, payout)
      expect(await isLetIn()).to.equal(false)
      expect((await list('', paid)).headers.get('www-authenticate')).to.equal('Bearer error="invalid_token"')
    })

    it('reject the key until the recipient is eligible for payouts again, not merely registered or revoked again', async () => {
      await revoke(id, payout)
      await register({ address: PARTNER })
      expect(await isLetIn()).to.equal(false)
      await patch(id, { payout: false })
      expect(await isLetIn()).to.equal(false)
      await revoke(id)
      await register({ address: PARTNER })
      expect(await isLetIn()).to.equal(false)
      await patch(id, { payout: true })
      expect(await isLetIn()).to.equal(true)
    })

    it('still accept keys of the other environment, other organizations or other addresses', async () => {
      const scopes = ['recipients:read'] as const
      const others = [
        await api.issueKey({ scopes }),
        await api.issueKey({ payoutAddress: PARTNER, environment: 'test', scopes }),
        await api.issueKey({ payoutAddress: PARTNER, organization: 'org_two', scopes }),
      ]
      await revoke(id, payout)
      for (const other of others) expect((await list('', other.key)).status).to.equal(200)
    })

    it('also reject keys whose payout address on TRON was revoked', async () => {
      const otherPayoutAddresses = { tron: PARTNER }
      const { key } = await api.issueKey({ otherPayoutAddresses, scopes: ['recipients:read'] })
      const evm = (await register({ address: PARTNER })).body
      await patch(evm.id, { payout: true })
      await revoke(evm.id, payout)
      expect((await list('', key)).status).to.equal(200)
      const tron = (await register({ address: formatTronAddress(PARTNER) })).body
      await patch(tron.id, { payout: true })
      await revoke(tron.id, payout)
      expectError(await list('', key), '401 payout_address_revoked')
    })

    it('still accept the key if the recipient was not eligible for payouts, or is the TRON address of the same bytes', async () => {
      const tron = (await register({ address: formatTronAddress(PARTNER) })).body
      await patch(tron.id, { payout: true })
      expect((await revoke(tron.id, payout)).status).to.equal(204)
      await patch(id, { payout: false })
      await revoke(id)
      expect(await isLetIn()).to.equal(true)
    })
  })
})
