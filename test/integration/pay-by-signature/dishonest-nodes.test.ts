import { expect } from 'chai'
import { concatHex, numberToHex, sliceHex } from 'viem'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import {
  type Changes,
  createPayBySignatureFixture,
  nonce,
  type OpenCharge,
  OTHER_PAYER,
  offer,
  PAYER,
  type PayBySignatureFixture,
} from '../../support/pay-by-signature-fixture.ts'
import { addressOf, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'

const STRANGER = `0x${'66'.repeat(20)}` as Address
const ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n

/** An attacker with write access to requests could forge their content, so the daemon verifies all of it again. */
describe('a request to execute a signature is rejected', function () {
  this.timeout(60_000)
  let stage: Stage
  let signing: PayBySignatureFixture
  let charge: OpenCharge

  stageForEach(async (fresh) => {
    stage = fresh
    signing = await createPayBySignatureFixture(stage)
    charge = await stage.openCharge()
  })
  afterEach(() => signing.close())

  const seconds = () => BigInt(Math.floor(stage.time.now.getTime() / 1000))

  const LIES: readonly (readonly [
    title: string,
    code: string,
    param: string | undefined,
    lie: () => Changes,
  ])[] = [
    ['an amount that is one unit too low', 'authorization_invalid', 'value', () => ({ value: 9_999_999n })],
    ['an amount that is one unit too high', 'authorization_invalid', 'value', () => ({ value: 10_000_001n })],
    ['the maximum uint256 amount', 'authorization_invalid', 'value', () => ({ value: 2n ** 256n - 1n })],
    ['another recipient', 'validation_error', undefined, () => ({ to: STRANGER })],
    ['the charge’s own address as payer', 'authorization_invalid', 'from', () => ({ from: charge.address })],
    ['another chain’s domain', 'authorization_invalid', 'signature', () => ({ chainId: 8453 })],
    [
      'another name in the token’s domain',
      'authorization_invalid',
      'signature',
      () => ({ domain: { name: 'USDC', version: '2' } }),
    ],
    ['another token’s domain', 'authorization_invalid', 'signature', () => ({ token: stage.usdt })],
    ['a signature whose v is 0 or 1', 'authorization_invalid', 'signature', () => ({ signature: withLowV })],
    ['a high s', 'authorization_invalid', 'signature', () => ({ signature: withHighS })],
    [
      'a signature that no key made',
      'authorization_invalid',
      'signature',
      () => ({ signature: () => `0x${'11'.repeat(65)}` }),
    ],
    ['a signature of one byte', 'authorization_invalid', 'signature', () => ({ signature: () => '0x11' })],
    [
      'a window that has not started',
      'authorization_invalid',
      'validAfter',
      () => ({ validAfter: seconds() + 1n }),
    ],
    [
      'a window that ends in seven seconds',
      'authorization_invalid',
      'validBefore',
      () => ({ validBefore: seconds() + 7n }),
    ],
    [
      'a window that ends in 15 minutes and one second',
      'authorization_invalid',
      'validBefore',
      () => ({ validBefore: seconds() + 901n }),
    ],
    ['an unlimited window', 'authorization_invalid', 'validBefore', () => ({ validBefore: 2n ** 256n - 1n })],
  ]
  for (const [title, code, param, lie] of LIES) {
    it(`for ${title}`, async () => {
      const request = await signing.ask(charge, lie())
      await signing.cast().turn()
      await expectRefused(request, { code, ...(param && { param }) })
    })
  }

  it('for another payer’s signature', async () => {
    const written = await signing.sign(charge, { payer: OTHER_PAYER })
    const request = await signing.request(charge, { ...written, from: addressOf(PAYER.address) })
    await signing.cast().turn()
    await expectRefused(request, { code: 'authorization_invalid', param: 'signature' })
  })

  it('for a forged signature of a payer whose other payment is in flight, which the error does not reveal', async () => {
    await signing.ask(await stage.openCharge())
    const { turn } = signing.cast({ broadcast: () => Promise.resolve() })
    await turn()
    const written = await signing.sign(charge, { payer: OTHER_PAYER })
    const request = await signing.request(charge, { ...written, from: addressOf(PAYER.address) })
    await turn()
    const answer = await signing.answerOf(request ?? '')
    expect(answer, 'the code reveals nothing about the payer').to.deep.include({
      code: 'authorization_invalid',
    })
  })

  it('for a window that ends one second after the charge expires', async () => {
    const short = await stage.openCharge({ expiresInSeconds: 400 })
    const request = await signing.ask(short, { validBefore: seconds() + 401n })
    await signing.cast().turn()
    await expectRefused(request, { code: 'authorization_invalid', param: 'validBefore' })
  })

  for (const [title, payload] of [
    ['an empty payload', {}],
    ['a number instead of a string', { value: 10_000_000 }],
    ['a number of a thousand digits', { value: '9'.repeat(1000) }],
    ['a malformed nonce', { nonce: '0x' }],
    [
      'a signature of a contract that is not deployed',
      { signature: `0x${'00'.repeat(65)}${'6492'.repeat(16)}` },
    ],
  ] as const) {
    it(`for ${title}`, async () => {
      const written = title === 'an empty payload' ? {} : { ...(await signing.sign(charge)), ...payload }
      const request = await signing.request(charge, written)
      await signing.cast().turn()
      await expectRefused(request, { code: 'validation_error' })
    })
  }

  it('for a charge with terms that the service did not set', async () => {
    await stage.sql`delete from service_terms`
    const request = await signing.ask(charge)
    await signing.cast().turn()
    await expectRefused(request, { code: 'validation_error' })
  })

  it('for a token that the charge does not accept', async () => {
    const other = await stage.openCharge({ acceptedPayments: ['USDT/base'] })
    const request = await signing.ask(other)
    await signing.cast().turn()
    await expectRefused(request, { code: 'signature_payment_unavailable' })
  })

  it('for a token that no daemon publishes as payable by signature', async () => {
    await stage.sql`delete from signable_pairs`
    const request = await signing.ask(charge)
    await signing.cast().turn()
    await expectRefused(request, { code: 'signature_payment_unavailable' })
  })

  it('for a payer with less than the signed amount', async () => {
    const request = await signing.ask(charge, { payer: OTHER_PAYER })
    const { wallet, node, token } = stage
    await node.impersonateAccount({ address: OTHER_PAYER.address })
    await node.setBalance({ address: OTHER_PAYER.address, value: 10n ** 18n })
    await wallet.writeContract({
      ...{
        account: OTHER_PAYER.address,
        address: token,
        functionName: 'transfer',
        args: [STRANGER, 1_000_000_000n],
      },
      abi: [
        {
          type: 'function',
          name: 'transfer',
          stateMutability: 'nonpayable',
          inputs: [{ type: 'address' }, { type: 'uint256' }],
          outputs: [{ type: 'bool' }],
        },
      ],
    } as never)
    await stage.mine()
    await signing.cast().turn()
    await expectRefused(request, { code: 'insufficient_balance' })
  })

  it('for a payer whose payments reverted three times within a day', async () => {
    for (let count = 1; count <= 3; count += 1) await insertEnded('reverted')
    const request = await signing.ask(charge)
    await signing.cast().turn()
    await expectRefused(request, { code: 'signature_payment_unavailable' })
  })

  it('but not because of another authorization whose window ended hours ago', async () => {
    await signing.ask(await stage.openCharge())
    const { turn } = signing.cast({ broadcast: () => Promise.resolve() })
    await turn()
    await stage.sql`update authorizations set valid_before = valid_before - 2 * 3600`
    await signing.ask(charge)
    await turn()
    expect(await stage.relayerTransactions()).to.have.length(2)
  })

  it('for an organization that has used up its daily gas', async () => {
    await offer(stage, { dailyGasLimit: 200_000 })
    await insertEnded('expired')
    const request = await signing.ask(charge)
    await signing.cast().turn()
    await expectRefused(request, { code: 'signature_payment_unavailable' })
  })

  it('after a minute in which no daemon claimed it', async () => {
    const request = await signing.ask(charge)
    await stage.sql`update requests set created_at = now() - interval '61 seconds'`
    await signing.cast().turn()
    await expectRefused(request, { code: 'service_unavailable' })
  })

  it('and does not keep its signature', async () => {
    const request = await signing.ask(charge, { value: 1n })
    await signing.cast().turn()
    const [row] = await stage.sql`select payload from requests where id = ${request}`
    expect(row?.['payload']).to.deep.equal({})
  })

  async function expectRefused(request: string | null, refusal: object): Promise<void> {
    expect(await signing.answerOf(request ?? '')).to.deep.include({ outcome: 'refused', ...refusal })
    expect(await stage.relayerTransactions(), 'nothing is signed').to.deep.equal([])
    expect(await stage.sql`select from authorizations where status = 'signed'`).to.deep.equal([])
  }

  async function insertEnded(status: string): Promise<void> {
    const ended = await stage.openCharge()
    await stage.sql`
      with relayer as (
        insert into relayers as r (chain_id, address, next_nonce) values (31337, '0x1', 1)
        on conflict (chain_id, address) do update set next_nonce = r.next_nonce + 1 returning address, next_nonce)
      insert into authorizations (request_id, organization_id, charge_id, chain_id, token_address, payer, nonce, digest,
        value_atomic, valid_before, from_block, relayer, relayer_nonce, status, ended_at)
      select ${nonce()}, 'org_1', ${ended.chargeId}, 31337, ${stage.token}, ${addressOf(PAYER.address)}, ${nonce()},
        ${nonce()}, 1, 1, 1, address, next_nonce, ${status}, now() from relayer`
  }
})

function withLowV(signature: Hex): Hex {
  const v = Number(sliceHex(signature, 64)) - 27
  return concatHex([sliceHex(signature, 0, 64), numberToHex(v, { size: 1 })])
}

function withHighS(signature: Hex): Hex {
  const s = ORDER - BigInt(sliceHex(signature, 32, 64))
  const v = Number(sliceHex(signature, 64)) === 27 ? 28 : 27
  return concatHex([sliceHex(signature, 0, 32), numberToHex(s, { size: 32 }), numberToHex(v, { size: 1 })])
}
