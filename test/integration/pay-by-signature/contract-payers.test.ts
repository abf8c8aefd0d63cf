import { expect } from 'chai'
import type { Hex } from 'viem'
import {
  createPayBySignatureFixture,
  nonce,
  type OpenCharge,
  OTHER_PAYER,
  PAYER,
  type PayBySignatureFixture,
} from '../../support/pay-by-signature-fixture.ts'
import { addressOf, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'

/**
 * Code of a contract that counts down from 12,000, at 26 gas each, and then approves every signature. The worker
 * detects the excessive cost only after it has sent the signature to nodes.
 */
const DEAR: Hex = '0x62002ee05b6001900380600457631626ba7e60e01b60005260206000f3'

/** Signatures cost a contract nothing, so they must not block more charges than a key's signatures do. */
describe('a contract as payer', function () {
  this.timeout(60_000)
  let stage: Stage
  let signing: PayBySignatureFixture
  let charge: OpenCharge

  stageForEach(async (fresh) => {
    stage = fresh
    signing = await createPayBySignatureFixture(stage)
    charge = await stage.openCharge()
    await stage.node.setCode({ address: PAYER.address, bytecode: DEAR })
  })
  afterEach(() => signing.close())

  it('is rejected immediately while another payment of the payer is in flight, which the error does not reveal', async () => {
    await bring(charge)
    await signing.cast().turn()
    const second = await bring(await stage.openCharge())
    await signing.cast().turn()
    const answer = await signing.answerOf(second)
    expect(answer).to.deep.include({ code: 'signature_payment_unavailable' })
    expect(JSON.stringify(answer)).to.not.match(/payer|under way/)
    expect(await signing.authorizations()).to.have.length(1)
  })

  it('is rejected after three of its authorizations expired unsent within a day', async () => {
    for (let count = 1; count <= 3; count += 1) await insertLapsed()
    const request = await bring(charge)
    await signing.cast().turn()
    expect(await signing.answerOf(request)).to.deep.include({ code: 'signature_payment_unavailable' })
  })

  it('can pay with its own key after three authorizations expired, because expiry with a key is our fault', async () => {
    for (let count = 1; count <= 3; count += 1) await insertLapsed()
    await stage.node.setCode({ address: PAYER.address, bytecode: '0x' })
    await signing.ask(charge)
    await signing.cast().turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  /** Requests a payment with a signature by another account's key. */
  async function bring(of: OpenCharge): Promise<string> {
    const written = await signing.sign(of, { payer: OTHER_PAYER, from: addressOf(PAYER.address) })
    return (await signing.request(of, written)) ?? ''
  }

  async function insertLapsed(): Promise<void> {
    const { chargeId } = await stage.openCharge()
    await stage.sql`
      insert into authorizations (request_id, organization_id, charge_id, chain_id, token_address, payer, nonce, digest,
        value_atomic, valid_before, from_block, status, ended_at)
      values (${nonce()}, 'org_1', ${chargeId}, 31337, ${stage.token}, ${addressOf(PAYER.address)}, ${nonce()}, ${nonce()},
        1, 1, 1, 'expired', now())`
  }
})
