import { expect } from 'chai'
import { parseAddress, presentAddress } from '../../../shared/domain/chain-families/chain-families.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { insertSeenTransfer } from '../../support/daemon-rows.ts'
import { randomHex } from '../../support/factories.ts'
import { readQrCode } from '../../support/read-qr-code.ts'

const USDC_BASE = { token: 'USDC', network: 'base' }
const USDT_BASE = { token: 'USDT', network: 'base' }
const USDT_BNB = { token: 'USDT', network: 'bnb' }
const TRON_CONTRACT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

describe('GET /v1/charges/{id}/qrcode', () => {
  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
  })
  after(() => api.stop())

  const create = async (acceptedPayments: readonly object[], amount = '10') => {
    const text = JSON.stringify({ acceptedPayments, expiresIn: 600 }).replace('{', `{"amount":${amount},`)
    return (await call(api, 'POST /v1/charges', { key, text })).body
  }
  const draw = (id: string, query = '', withKey = key): Promise<Answer> =>
    call(api, `GET /v1/charges/${id}/qrcode${query}`, { key: withKey })
  const uriOf = async (id: string, query = ''): Promise<string> => {
    const { status, text } = await draw(id, query)
    expect(status, text).to.equal(200)
    return readQrCode(text)
  }
  const receive = (id: string, receivedAtto: string, status = 'partially_paid') =>
    api.owner`update charges set received_atto = ${receivedAtto}::numeric, status = ${status} where id = ${id}`

  it('returns an SVG that must not be cached', async () => {
    const { headers, text } = await draw((await create([USDC_BASE])).id)
    expect(headers.get('content-type')).to.equal('image/svg+xml')
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(text).to.match(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]*><rect .*<\/svg>$/)
  })

  it('requests the whole amount of an unpaid charge, in units with six decimals', async () => {
    const { id, address } = await create([USDC_BASE], '12.345678')
    expect(await uriOf(id)).to.equal(
      `ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=${address}&uint256=12345678`,
    )
  })

  it('requests the amount in units with eighteen decimals if the token has eighteen decimals', async () => {
    const { id, address } = await create([USDT_BNB], '999999999999')
    expect(await uriOf(id)).to.equal(
      'ethereum:0x55d398326f99059fF775485246999027B3197955@56/transfer' +
        `?address=${address}&uint256=999999999999000000000000000000`,
    )
  })

  it('requests the amount due, rounded up to a whole unit of the token', async () => {
    const { id } = await create([USDC_BASE, USDT_BNB])
    await receive(id, '9999999999999999999')
    expect(await uriOf(id, '?token=USDC')).to.match(/&uint256=1$/)
    expect(await uriOf(id, '?network=bnb')).to.match(/&uint256=1$/)
    await receive(id, '3999999000000000001')
    expect(await uriOf(id, '?token=USDC&network=base')).to.match(/&uint256=6000001$/)
    expect(await uriOf(id, '?token=USDT&network=bnb')).to.match(/&uint256=6000000999999999999$/)
  })

  it('subtracts an unconfirmed partial payment from the amount, and requests no payment once the rest is detected', async () => {
    const { id } = await create([USDC_BASE])
    await insertSeenTransfer(api.owner, { chargeId: id, blockNumber: 98, txHash: randomHex(32), dollars: 4 })
    expect(await uriOf(id)).to.match(/&uint256=6000000$/)
    await insertSeenTransfer(api.owner, { chargeId: id, blockNumber: 98, txHash: randomHex(32), dollars: 6 })
    expectError(await draw(id), '409 charge_not_payable')
  })

  it('does not request a payment once the deadline has passed', async () => {
    const { id } = await create([USDC_BASE])
    await api.owner`update charges set expires_at = now() where id = ${id}`
    expectError(await draw(id), '409 charge_not_payable')
  })

  it('contains a TRON address in TRON’s format', async () => {
    await api.owner`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, contracts_match,
        head_number, max_head_number, max_head_at)
      values (728126428, 'tron', 'live', 'tron', 19, 3000, true, 100, 100, now())`
    await api.owner`
      insert into pairs (chain_id, network, environment, token, token_address, decimals, enabled)
      values (728126428, 'tron', 'live', 'USDT', ${parseAddress(TRON_CONTRACT)}, 6, true)`
    const { id, address } = await create([USDC_BASE])
    await api.owner`
      update charges set family = 'tron', accepted_payments = '{USDT/tron}', accepted_chains = '{728126428}' where id = ${id}`
    const recipient = presentAddress(parseAddress(address) ?? expect.fail('no address'), 'tron')
    expect(await uriOf(id)).to.equal(`tron:${recipient}?amount=10&token=${TRON_CONTRACT}`)
  })

  it('requires a pair if several are possible', async () => {
    const { id } = await create([USDC_BASE, USDT_BASE, USDT_BNB])
    expectError(await draw(id), '422 payment_pair_required', 'token')
    expectError(await draw(id, '?network=base'), '422 payment_pair_required', 'token')
    expectError(await draw(id, '?token=USDT'), '422 payment_pair_required', 'network')
    expect((await draw(id, '?token=USDC')).status, 'the only USDC').to.equal(200)
  })

  it('rejects a pair that the charge does not accept', async () => {
    const { id } = await create([USDC_BASE, USDT_BNB])
    expectError(await draw(id, '?token=USDT&network=base'), '422 payment_pair_not_accepted', 'token')
    expectError(await draw(id, '?network=polygon'), '422 payment_pair_not_accepted', 'network')
    const { id: single } = await create([USDC_BASE])
    expectError(await draw(single, '?token=USDT'), '422 payment_pair_not_accepted', 'token')
  })

  it('rejects unknown tokens and networks, and other parameters', async () => {
    const { id } = await create([USDC_BASE])
    expectError(await draw(id, '?token=DAI'), '400 validation_error', 'token')
    expectError(await draw(id, '?network=solana'), '400 validation_error', 'network')
    expectError(await draw(id, '?size=10'), '400 validation_error', 'size')
  })

  for (const status of ['confirmed', 'expired', 'underpaid']) {
    it(`rejects a charge that is ${status}, before it requires a pair`, async () => {
      const { id } = await create([USDC_BASE, USDT_BNB])
      const confirmedAt = status === 'confirmed' ? new Date() : null
      await api.owner`update charges set status = ${status}, confirmed_at = ${confirmedAt} where id = ${id}`
      expectError(await draw(id), '409 charge_not_payable')
    })
  }

  it('rejects a charge without an amount due, even if the payment arrived too late to confirm the charge', async () => {
    const { id } = await create([USDC_BASE])
    await receive(id, '10000000000000000000', 'pending')
    expectError(await draw(id), '409 charge_not_payable')
  })

  it('returns a code for the pair that is not paused, and 503 for the paused pair', async () => {
    const { id } = await create([USDC_BASE, USDT_BNB])
    await api.owner`update pairs set paused_at = now() where token = 'USDT' and network = 'bnb'`
    const answer = await draw(id, '?token=USDT')
    expect((await draw(id, '?token=USDC')).status).to.equal(200)
    await api.owner`update pairs set paused_at = null`
    expectError(answer, '503 payment_temporarily_unavailable')
    expect(Number(answer.headers.get('retry-after'))).to.be.above(0)
    expect((await draw(id, '?token=USDT')).status).to.equal(200)
  })

  it('returns the same 404 as GET /v1/charges/{id}, and requires the scope', async () => {
    const { id } = await create([USDC_BASE])
    const foreign = await api.issueKey({ organization: 'org_two' })
    const writer = await api.issueKey({ scopes: ['charges:write'] })
    expectError(await draw(id, '', foreign.key), '404 charge_not_found')
    expectError(await draw(newId('ch', Date.now())), '404 charge_not_found')
    expectError(await draw(id, '', writer.key), '403 insufficient_scope')
    expectError(await call(api, `GET /v1/charges/${id}/qrcode`), '401 missing_api_key')
  })
})
